"""The side effects of commands, by what they are and what they print."""

import pytest

from prunus.shell.side_effects import find_side_effects


def may_change(command: str, output: str = "", path: str = "src/a.ts") -> bool:
    """Whether a file that was changed once may have changed."""
    found = find_side_effects(command, output, lambda path: None)
    return found.covers(path) or any(run.covers(path) for run in found.formatters)


@pytest.mark.parametrize(
    ("command", "output", "path"),
    [
        ("gofmt -w cmd", "", "internal/a.go"),
        ("gofmt -l .", "internal/a.go\n", "internal/a.go"),
        ("eslint --ext .ts --fix lib", "", "src/a.ts"),
        ("pre-commit run --all-files", "black......Passed\nruff......Passed\n", "a.py"),
        ("cp -r src/ out/copy", "", "src/a.ts"),
        ("find . -name __pycache__ -exec rm -rf {} +", "", "src/a.ts"),
        ("bash -n run.sh", "", "src/a.ts"),
        ("make html", "", "src/a.py"),
        ("Get-Date; python -c \"print(open('src/a.ts').read())\"", "", "src/a.ts"),
        ("Remove-Item -Recurse build", "", "src/a.ts"),
        ("$exe = 'C:\\tools\\rg.exe'; & $exe x", "", "src/a.ts"),
        ("npm run format -- --check", "", "src/a.ts"),
        ("npm run format:check", "", "src/a.ts"),
        ("eslint src > report.txt", "", "src/a.ts"),
        ("cargo add serde", "", "src/a.rs"),
        ("git apply <<'EOF'\n--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-x\n+y\nEOF", "", "src/a.ts"),
        (".venv/bin/python -m pytest", "", "src/a.py"),
        ("uv run --extra dev pytest", "", "src/a.py"),
        ("command -v black", "", "src/a.py"),
        ("gh pr view 12", "", "src/a.py"),
        ("tmux capture-pane -p", "", "src/a.py"),
        ("source .venv/bin/activate", "", "src/a.py"),
        ("docker compose exec api npx jest", "", "src/a.ts"),
        ("find . -name '*.py' -exec grep -l x {} +", "", "src/a.py"),
        ("./gradlew build", "", "src/A.java"),
        ("f() { ls; }; f", "", "src/a.py"),
        ("Get-Date; Get-FileHash a.ts", "", "src/a.ts"),
        ("python -c \"print(confirm('x'), transform('y'))\"", "", "src/a.py"),
    ],
)
def test_a_program_leaves_a_file_alone(command: str, output: str, path: str) -> None:
    assert not may_change(command, output, path)


@pytest.mark.parametrize(
    ("command", "output", "path"),
    [
        ("npx prettier --write src", "src/a.ts 12ms\nsrc/b.ts 9ms (unchanged)\n", "src/a.ts"),
        ("npx prettier --write src | tail -1", "src/b.ts 9ms (unchanged)\n", "src/a.ts"),
        ("npx prettier --write src", "[error] src/b.ts: SyntaxError\n", "src/a.ts"),
        ("black .", "reformatted src/a.py\n\nAll done!\n1 file reformatted.\n", "src/a.py"),
        ("ruff check --fix .", "Found 3 errors (3 fixed, 0 remaining).\n", "src/a.py"),
        ("ruff check . && ruff format -q .", "All checks passed!\n", "src/a.py"),
        ("ruff check . && ruff format . > log", "All checks passed!\n", "src/a.py"),
        ("biome check --write", "Checked 9 files in 4ms. Fixed 1 file.\n", "src/a.ts"),
        ("gofmt -w .", "", "internal/a.go"),
        ("gofmt -l -w .", "internal/a.go\n", "internal/a.go"),
        ("gofmt -l -w internal/a.go", "internal/a.go\n", "internal/a.go"),
        ("gofmt -w ./...", "", "internal/a.go"),
        ("gofmt -w internal", "", "internal/a.go"),
        ("eslint --fix --ext .ts", "", "src/a.ts"),
        ("eslint --ext .ts --fix src", "", "src/a.ts"),
        ("eslint --fix 'src/**/*.ts'", "", "src/deep/a.ts"),
        ("cargo fmt", "", "src/a.rs"),
        ("pre-commit run --all-files", "black......Failed\n- files were modified by this hook\n", "a.py"),
        ("bun run lint | grep error", "", "src/a.ts"),
        ("cp -r src/ out", "", "out/src/a.ts"),
        ("cp -r other/src .", "", "src/a.ts"),
        ("for f in a.ts c.ts; do cp old/$f src/$f; done", "", "src/a.ts"),
        ("for f in $(ls); do cp old/$f src/$f; done", "", "src/a.ts"),
        ("timeout 9 bash -c 'sed -i s/a/b/ src/a.ts'", "", "src/a.ts"),
        ("git pull", "Fast-forward\n src/a.ts | 2 +-\n 1 file changed, 1 insertion(+)\n", "src/a.ts"),
        ("git pull", "Merge made by the 'ort' strategy.\n src/b.ts | 2 +-\n 1 file changed\n", "src/a.ts"),
        ("git pull | tail -1", " 1 file changed\n", "src/a.ts"),
        ("git stash", "Saved working directory and index state WIP\n", "src/a.ts"),
        ("make", "", "src/a.ts"),
        ("Get-Date; python -c \"import os; os.remove('src/a.ts')\"", "", "src/a.ts"),
        ("Get-Date; & python -c \"import shutil; shutil.rmtree('x')\"", "", "src/a.ts"),
        ("$out = node -e \"require('fs').writeFileSync('src/a.ts', '1')\"", "", "src/a.ts"),
        ("Get-Date; if ($x) { bash -c 'git stash' }", "", "src/a.ts"),
        ("Remove-Item -Recurse src", "", "src/a.ts"),
        ("Get-Content a | ForEach-Object { Set-Content $_ 1 }", "", "src/a.ts"),
        ("Get-Content 'open", "", "src/a.ts"),
        ("npm run format -- --check; npm run lint", "", "src/a.ts"),
        ("yarn > $LOG", "", "src/a.ts"),
        ("cat fix.py | python3", "", "src/a.ts"),
        ("python -c \"open(f'{folder}/a.ts', 'w').write('x')\"", "", "src/a.ts"),
        ("Get-Date; (bash -c 'git stash')", "", "src/a.ts"),
        ("cp old/*.ts src/", "", "src/a.ts"),
        ("cd $DIR && rm -r src", "", "src/a.ts"),
        ("frobnicate", "", "src/a.ts"),
        ("$exe = 'C:\\tools\\game.exe'; & $exe --headless", "", "src/a.ts"),
        ("python -m codegen", "", "src/a.py"),
        ("stdbuf -oL python fix.py", "", "src/a.py"),
        ("timeout -k 5 60 python fix.py", "", "src/a.py"),
        ("timeout --signal=KILL 60 npx prettier --write .", "", "src/a.ts"),
        ("npm exec -- prettier --write .", "", "src/a.ts"),
        ("pnpm --filter web exec prettier --write .", "", "src/a.ts"),
        ("uv run --extra dev ruff format .", "", "src/a.py"),
        ("coverage run fix.py", "", "src/a.py"),
        ("npx prettier@3 --write .", "", "src/a.ts"),
        ("ruff check . --fix-only", "", "src/a.py"),
        ("cargo clippy --fix", "", "src/a.rs"),
        ("./gradlew spotlessApply", "", "src/A.java"),
        ("npx prisma db pull", "", "prisma/schema.prisma"),
        ("rails generate model Foo", "", "config/routes.rb"),
        ("gh pr checkout 12", "", "src/a.ts"),
        ("tmux send-keys -t x 'npx prettier --write .' Enter", "", "src/a.ts"),
        ("docker compose exec api npx prettier --write .", "", "src/a.ts"),
        ("find . -name '*.py' -exec python fix.py {} +", "", "src/a.py"),
        ("fd -e py -x sed -i s/a/b/ {}", "", "src/a.py"),
        ("eval 'sed -i s/a/b/ src/a.ts'", "", "src/a.ts"),
        ('sed -i s/a/b/ "$@"', "", "src/a.ts"),
        ("tar -C src -xf a.tar", "", "src/a.ts"),
        ("python < fix.py", "", "src/a.py"),
        ("python -P fix.py", "", "src/a.py"),
        ('perl -e \'open(my $f, ">", "src/a.ts")\'', "", "src/a.ts"),
        ("node -e \"require('fs').rmSync('src/a.ts')\"", "", "src/a.ts"),
        ("python -c \"json.dump({}, open(os.path.join(d, n), 'w'))\"", "", "src/a.json"),
        ("python -c \"frame.to_csv('src/a.csv')\"", "", "src/a.csv"),
        ('cd x && powershell -Command "Set-Content a.ts 1"', "", "x/a.ts"),
        ('Get-Date; cmd.exe /d /c "del a.ts"', "", "a.ts"),
        ("Get-Content fix.ps1 | Invoke-Expression", "", "src/a.ts"),
        ("Get-Date; Expand-Archive a.zip", "", "src/a.ts"),
    ],
)
def test_a_program_may_change_a_file(command: str, output: str, path: str) -> None:
    assert may_change(command, output, path)


def test_a_task_whose_command_is_not_echoed_is_known_by_its_name() -> None:
    assert may_change("npm run lint | tail -5")
    assert may_change("npm run gen")
    assert not may_change("npm run build")


def test_a_shell_script_whose_text_is_known_has_the_side_effects_of_its_commands() -> None:
    texts = {"fix.sh": "#!/bin/sh\nsed -i s/a/b/ src/a.ts\n", "look.sh": "#!/bin/sh\nls src\n"}
    assert find_side_effects("./fix.sh", "", texts.get).covers("src/a.ts")
    assert not find_side_effects("./fix.sh", "", texts.get).covers("src/b.ts")
    assert not find_side_effects("sh look.sh", "", texts.get).covers("src/a.ts")


def test_a_sourced_script_counts_if_its_text_is_known() -> None:
    texts = {"fix.sh": "sed -i s/a/b/ src/a.ts\n"}
    assert find_side_effects("source fix.sh", "", texts.get).covers("src/a.ts")
    assert find_side_effects("bash < fix.sh", "", texts.get).covers("src/a.ts")


@pytest.mark.parametrize(
    "nested", ["docker run x ", "xargs nohup ", "find . -exec nohup ", "fd -x nohup ", "eval "]
)
def test_programs_that_run_each_other_many_times_are_not_followed(nested: str) -> None:
    assert may_change(nested * 2000 + "frobnicate") is (nested != "docker run x ")

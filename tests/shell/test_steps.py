"""Commands as the programs that they run."""

import pytest

from prunus.shell.steps import ShellStep, pipelines, steps


def only(command: str) -> ShellStep:
    [step] = steps(command) or ()
    return step


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("sudo -E env A=1 make test", "make"),
        ("sudo -u www -E make test", "make"),
        ("npx prettier --write a.ts", "prettier"),
        ("uv run pytest -q", "pytest"),
        ("npm run build", "npm"),
        ("python -m black a.py", "black"),
        ("timeout 9 /usr/bin/grep x", "grep"),
        (r"C:\\tools\\rg.exe x", "rg"),
        ("timeout -k 5 60 grep x", "grep"),
        ("stdbuf -oL nice -n 5 grep x", "grep"),
        ("uv --project x tool run --with y ruff check", "ruff"),
        ("uv tool install ruff", "uv"),
        ("npm exec -w web -- tsc", "tsc"),
        ("python3.12 -m pytest", "pytest"),
        ("npx @biomejs/biome@1.9.4 check", "biome"),
        ("command -v black", "command"),
    ],
)
def test_a_step_names_the_program_behind_its_runners(command: str, name: str) -> None:
    assert only(command).name == name


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("ls", "reads"),
        ("pytest", "works"),
        ("pre-commit run", "rewrites"),
        ("frobnicate", "rewrites"),
        ("make test", "works"),
        ("make release", "rewrites"),
        ("codex export", "reads"),
        ("codex exec", "rewrites"),
    ],
)
def test_the_table_says_what_a_program_does_to_other_files(command: str, kind: str) -> None:
    assert only(command).kind == kind


@pytest.mark.parametrize(
    ("command", "files", "wild"),
    [
        ("sed -i '' 's/a/b/' a.py", ["a.py"], False),
        ("sed -n 5p a.py", [], False),
        ("black --check a.py", [], False),
        ("black -l 100 a.py", ["a.py"], False),
        ("ruff format .", [], True),
        ("npm install left-pad", ["package.json"], False),
        ("find . -name x -delete", [], True),
        ("ls | xargs rm", [], True),
        ("make test > out.log 2> err.log", ["out.log", "err.log"], False),
        ("echo x > $OUT", [], True),
        ("make test >& out.log", ["out.log"], False),
        ("make test >&2", [], False),
        ("sed -zi s/a/b/ a.py", ["a.py"], False),
        ("sed -i -es/a/b/ a.py", ["a.py"], False),
        ("sed -i --expression=s/a/b/ a.py", ["a.py"], False),
        ("sort -o a.txt b.txt", ["a.txt"], False),
        ("yq -i .a=1 a.yaml", ["a.yaml"], False),
        ("awk -i inplace -v n=1 '{print n}' a.txt", ["a.txt"], False),
        ("awk -F, '{print $1}' a.txt", [], False),
        ("python -m json.tool a.json b.json", ["b.json"], False),
        ("curl -sSLo a.js https://x.org/b.js", ["a.js"], False),
        ("curl -LO https://x.org/b.js?v=1", ["b.js"], False),
        ("curl -XPOST https://x.org/b.json", [], False),
        ("curl -s -o /dev/null https://x.org", [], False),
        ("wget https://x.org/b.js", ["b.js"], False),
        ("wget -qO- https://x.org/b.js", [], False),
        ("wget -qO a.js https://x.org/b.js", ["a.js"], False),
        ("iwr https://x.org/b.js -OutFile a.js", ["a.js"], False),
        ("cargo init", ["Cargo.toml"], False),
        ("npm version patch", ["package.json"], False),
        ("bundle add rails", ["Gemfile"], False),
        ("composer require x/y", ["composer.json"], False),
    ],
)
def test_a_step_says_which_files_it_changes(command: str, files: list[str], wild: bool) -> None:
    found = [step.changes for step in steps(command) or ()]
    assert [path for changes in found for path in changes.paths] == files
    assert any(changes.wild for changes in found) is wild


def test_pipelines_are_steps_that_are_joined_by_pipes() -> None:
    found = pipelines(steps("cat a | head -3; ls && wc -l < b | cat") or ())
    assert [[step.name for step in pipe] for pipe in found] == [["cat", "head"], ["ls"], ["wc", "cat"]]


def test_a_command_that_cannot_be_read_has_no_steps() -> None:
    assert steps("echo 'open") is None


@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("cd src && ls && cd ../lib && ls", ["", "src", "src", "lib"]),
        ("(cd src && ls); ls", ["", "src", ""]),
        ("cd $DIR && ls && cd /w && ls", ["", None, None, "/w"]),
        ("cd src | ls; ls", ["", "", ""]),
    ],
)
def test_a_step_knows_the_folder_that_it_runs_in(command: str, folders: list[str | None]) -> None:
    assert [step.folder for step in steps(command) or ()] == folders

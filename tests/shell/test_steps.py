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
        ("frobnicate", "unknown"),
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

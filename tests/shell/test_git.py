import pytest

from prunus.shell.git import hooks_kept_files
from prunus.shell.steps import steps

DONE = "[main 1a2b3c4] add it\n 2 files changed, 3 insertions(+)\n create mode 100644 a.py\n"
STATUS = "On branch main\nChanges not staged for commit:\n\tmodified:   .husky/pre-commit\n"
STAGED = "[STARTED] Running tasks for staged files...\n[STARTED] prettier --write\n[COMPLETED] prettier --write\n"


@pytest.mark.parametrize(
    "output",
    [
        DONE,
        DONE + STATUS,
        "rm 'old/a.py'\n" + DONE,
        "black....................Passed\nmypy....(no files to check)Skipped\n" + DONE,
        "→ lint-staged could not find any staged files matching configured tasks.\n" + DONE,
        "[FAILED] eslint\n[STARTED] Reverting to original state because of errors...\n[COMPLETED] Reverting\n",
    ],
)
def test_a_commit_whose_hooks_changed_nothing_keeps_the_files(output: str) -> None:
    assert hooks_kept_files(output)


@pytest.mark.parametrize(
    "output",
    [
        "",
        STAGED + DONE,
        DONE + STAGED,
        "Formatting files\n" + DONE,
        "black....................Failed\n- files were modified by this hook\n",
        "[FAILED] Reverting to original state because of errors\n",
    ],
)
def test_a_commit_whose_hooks_may_have_changed_files_is_doubted(output: str) -> None:
    assert not hooks_kept_files(output)


@pytest.mark.parametrize(
    ("command", "files", "wild"),
    [
        ("git checkout -- a.py src", ["a.py", "src"], False),
        ("git checkout a.py", ["a.py"], False),
        ("git checkout main", [], True),
        ("git checkout HEAD a.py", ["a.py"], True),
        ("git checkout .", [], True),
        ("git checkout -b topic", [], False),
        ("git checkout -b topic origin/main", [], True),
        ("git switch -c topic origin/main", [], True),
        ("git submodule update", [], True),
        ("git co main", [], True),
        ("git log --oneline", [], False),
        ("git restore --staged a.py", [], False),
        ("git restore -s HEAD a.py", ["a.py"], False),
        ("git -C sub rm a.py", ["sub/a.py"], False),
        ("git switch -c topic", [], False),
        ("git -c user.name=x pull", [], True),
    ],
)
def test_a_git_command_names_the_files_that_it_changes(command: str, files: list[str], wild: bool) -> None:
    [step] = steps(command) or ()
    assert list(step.changes.paths) == files
    assert step.changes.wild is wild

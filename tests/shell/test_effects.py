"""The changes of files that shell commands spell out."""

import pytest

from prunus.calls.changes import Append, Delete, Patch, Rename, Unclear, Write
from prunus.shell.effects import PathChange, ShellEffect, effects, only_move, written_texts
from prunus.shell.git import Record, Restore, Stash
from prunus.shell.programs import steps


def found(command: str) -> list[ShellEffect]:
    return [effect for step in steps(command) or () for effect in effects(step)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat > a.py <<'EOF'\nx = $y\nEOF", PathChange("a.py", Write("x = $y\n"))),
        ("cat > a.py <<EOF\nx = $y\nEOF", PathChange("a.py", Write("x = $y\n", verbatim=False))),
        ("cat >> a.py <<'EOF'\nx\nEOF", PathChange("a.py", Append("x\n"))),
        ("echo x y > a.txt", PathChange("a.txt", Write("x y\n", verbatim=False))),
        ("echo x | tee -a a.txt", PathChange("a.txt", Append(None))),
        ("mv a.py src/b.py", PathChange("src/b.py", Rename("a.py"))),
        ("git mv a.py src/", PathChange("src/a.py", Rename("a.py"))),
        ("rm -f a.py", PathChange("a.py", Delete())),
        ("git rm a.py", PathChange("a.py", Delete())),
        ("sed -i 's/a/b/' a.py", PathChange("a.py", Unclear())),
        ("git checkout -- a.py", Restore(("a.py",), "index")),
        ("git checkout HEAD a.py", Restore(("a.py",), "head")),
        ("git reset --hard HEAD~1", Restore((".",), "other")),
        ("git -C sub add a.py", Record(("a.py",), "index")),
        ("git commit -qm x", Record((".",), "head")),
        ("git stash", Stash()),
        ("git stash pop", Stash(pop=True)),
    ],
)
def test_a_command_has_one_effect(command: str, expected: ShellEffect) -> None:
    assert found(command) == [expected]


@pytest.mark.parametrize(
    "command",
    ["make > build.log", "curl -o a.html example.org", "git checkout -b new", "git rm --cached a.py"],
)
def test_output_that_a_file_merely_catches_is_no_effect(command: str) -> None:
    assert found(command) == []


def test_a_patch_in_a_heredoc_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"
    [effect] = found(f"apply_patch <<'EOF'\n{patch}\nEOF")
    assert isinstance(effect, Patch) and [file.path for file in effect.files] == ["a.py"]


def test_texts_are_written_below_the_folder_that_the_command_enters() -> None:
    command = "cd src && cat > a.py <<'EOF'\nx\nEOF\ncat > b.py <<EOF\n$y\nEOF"
    assert written_texts(command) == {"src/a.py": "x\n"}


def test_an_empty_heredoc_writes_an_empty_file() -> None:
    assert written_texts("cat > .gitkeep <<'EOF'\nEOF") == {".gitkeep": ""}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mv a.py b.py", ("a.py", "b.py")),
        ("git mv a.py b.py", ("a.py", "b.py")),
        ("mv a.py b.py && ls", None),
        ("mv a.py .github", None),
        ("mv *.py b.py", None),
    ],
)
def test_a_command_that_only_renames_a_file_is_recognised(command: str, expected: tuple[str, str] | None) -> None:
    assert only_move(command) == expected

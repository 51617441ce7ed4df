"""The one description of what each step of a command changes."""

import pytest

from prunus.calls.changes import Append, Delete, Rename, Unclear, Write
from prunus.calls.touches import Touch
from prunus.shell.changes import Changes, Incidental, PathChange, Record, Restore, Stash
from prunus.shell.steps import steps


def only(command: str) -> Changes:
    """The changes of the last step of a command."""
    return (steps(command) or ())[-1].changes


def found(command: str) -> list[object]:
    """The changes that are edits, and what git restores, records or stashes."""
    changes = only(command)
    edits = [file for file in changes.files if not isinstance(file.change, Incidental)]
    return [*edits, *([changes.git] if changes.git else ())]


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
def test_a_command_makes_one_change(command: str, expected: object) -> None:
    assert found(command) == [expected]


@pytest.mark.parametrize(
    "command",
    ["make > build.log", "curl -o a.html example.org", "git checkout -b new", "git rm --cached a.py"],
)
def test_output_that_a_file_merely_receives_is_no_edit(command: str) -> None:
    assert found(command) == []


PATCH = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"


@pytest.mark.parametrize(
    "command",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF",
        f"cat <<'EOF' | apply_patch\n{PATCH}\nEOF",
        f"patch -p1 <<'EOF'\n{DIFF}EOF",
        f"git apply <<'EOF'\n{DIFF}EOF",
    ],
)
def test_a_patch_in_a_heredoc_names_its_files(command: str) -> None:
    changes = next(step.changes for step in steps(command) or () if step.changes.patch)
    assert [file.path for file in changes.patch] == ["a.py"]
    assert not changes.wild


def test_a_patch_that_a_program_only_reads_may_be_applied() -> None:
    changes = only(f"./apply.sh <<'EOF'\n{PATCH}\nEOF")
    assert changes.files == (PathChange("a.py", Incidental()),)
    assert not changes.patch


def test_a_patch_that_is_written_to_a_file_may_be_applied_later() -> None:
    changes = only(f"cat > fix.patch <<'EOF'\n{PATCH}\nEOF")
    assert not changes.patch
    assert list(changes.touches("")) == [Touch("fix.patch", "change"), Touch("a.py", "change")]


def test_a_patch_for_one_file_or_folder_is_applied_there() -> None:
    assert [file.path for file in only(f"patch b.py <<'EOF'\n{DIFF}EOF").patch] == ["b.py"]
    assert [file.path for file in only(f"patch -d sub -p1 <<'EOF'\n{DIFF}EOF").patch] == ["sub/a.py"]
    assert [file.path for file in only(f"git -C sub apply <<'EOF'\n{DIFF}EOF").patch] == ["sub/a.py"]


@pytest.mark.parametrize(
    ("command", "edits", "touched"),
    [
        ("mv a.py lib", ["lib/a.py"], ["a.py", "lib", "lib/a.py"]),
        ("mv a.py lib/", ["lib/a.py"], ["a.py", "lib/a.py"]),
        ("mv a.py b.py c.d", ["c.d/a.py", "c.d/b.py"], ["a.py", "b.py", "c.d/a.py", "c.d/b.py"]),
        ("mv -t lib a.py b.py", ["lib/a.py", "lib/b.py"], ["a.py", "b.py", "lib/a.py", "lib/b.py"]),
        ("mv src/a.py .", ["./a.py"], ["src/a.py", "./a.py"]),
        ("mv a.py .github", [".github"], ["a.py", ".github", ".github/a.py"]),
        ("mv a.py $DIR", [], ["a.py"]),
        ("mv $FILE b.py", [], ["b.py"]),
        ("cp a.py lib", ["lib/a.py"], ["lib", "lib/a.py"]),
        ("cp -r src lib", ["lib"], ["lib", "lib/src"]),
        ("cp *.py lib/", [], ["lib/"]),
        ("cp $FILE b.py", ["b.py"], ["b.py"]),
        ("install -m 755 a.sh bin/", ["bin/a.sh"], ["bin/a.sh"]),
    ],
)
def test_a_moved_file_is_counted_once_and_touched_wherever_it_may_stand(
    command: str, edits: list[str], touched: list[str]
) -> None:
    changes = only(command)
    assert [file.path for file in changes.files if not isinstance(file.change, Incidental)] == edits
    assert list(changes.paths) == touched


@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("rm -rf src/lib", ("src/lib",)),
        ("rm -rf .github", (".github",)),
        ("git -C sub rm -r lib/", ("sub/lib",)),
        ("cp -r src out", ("out",)),
        ("cp *.py out/", ("out",)),
        ("find . -name __pycache__ -exec rm -rf {} +", ("__pycache__",)),
        ("cd sub && rm -r lib", ("sub/lib",)),
        ("go mod tidy", ("go.mod", "go.sum", "go.work")),
        ("rm -rf *", ()),
        ("rm -rf lib > $LOG", ()),
        ("find . -name '*.py' -delete", ()),
        ("ls | xargs git checkout --", ()),
    ],
)
def test_a_wild_change_is_limited_to_the_folders_that_the_command_names(
    command: str, folders: tuple[str, ...]
) -> None:
    changes = only(command)
    assert changes.wild
    assert changes.folders == folders


def test_a_line_that_begins_with_a_dash_is_echoed() -> None:
    assert found("echo '- item' >> list.md") == [PathChange("list.md", Append("- item\n"))]


def test_an_echo_of_an_expansion_writes_a_text_that_is_not_known() -> None:
    assert found('echo "$VERSION" > VERSION') == [PathChange("VERSION", Write(None, verbatim=False))]


def test_a_heredoc_that_cat_passes_on_is_read_by_the_program_behind_the_pipe() -> None:
    assert found("cat <<'EOF' | tee a.txt\nx\nEOF") == [PathChange("a.txt", Write("x\n", verbatim=False))]
    assert list(only("cat <<'EOF' | python3\nopen('a.py', 'w').write('x')\nEOF").paths) == ["a.py"]


def test_a_change_is_seen_from_the_folder_in_which_the_command_starts() -> None:
    assert found("cd src && mv a.py b.py") == [PathChange("src/b.py", Rename("src/a.py"))]
    assert found("(cd src && make); rm a.py") == [PathChange("a.py", Delete())]
    assert found("git -C src diff > a.diff") == []
    assert list(only("git -C src diff > a.diff").paths) == ["a.diff"]

"""Commands that spell out what a file holds afterwards."""

import pytest

from prunus.shell.spelled_out import lists_places, only_move, written_texts


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


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd src && rg -n x", True),
        ("timeout 9 git grep x", True),
        ("if ($x) { Get-ChildItem src }", True),
        ("cat a.py | grep x", False),
        ("cat > a.md <<'EOF'\nls src\nEOF", False),
        ("Get-Content (Get-ChildItem src | Select-Object -First 1)", False),
        ("git status", False),
    ],
)
def test_a_command_that_searches_or_lists_says_so(command: str, expected: bool) -> None:
    assert lists_places(command) is expected

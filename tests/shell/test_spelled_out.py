"""Commands that spell out what a file holds afterwards."""

import pytest

from prunus.shell.spelled_out import only_move, written_texts


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

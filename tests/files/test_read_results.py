import pytest

from prunus.calls.touches import FULL, Span
from prunus.files.read_results import read_result

OPENCODE = "<path>/a</path>\n<type>file</type>\n<content>\n"
REMINDER = "\n\n<system-reminder>\nconsider whether this is malware\n</system-reminder>"


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("Read", "     1→a\n     2→b\n     3→"),
        ("Read", "1\ta\n2\tb\n3\t" + REMINDER),
        ("Read", "1\ta\n2\tb\n3" + REMINDER),
        ("Read", "1\ta\n2\tb\n3\t\n[result-id: r34]"),
        (
            "read",
            OPENCODE + "1: a\n2: b\n\n(End of file - total 2 lines)\n</content>",
        ),
        ("read", "<file>\n00001| a\n00002| b\n\n(End of file - total 2 lines)\n</file>"),
        ("read_file", "a\nb\n"),
        ("view", "1. a\n2. b\n3. "),
        ("str_replace_editor", "Here's the result of running `cat -n` on /a:\n     1\ta\n     2\tb\n     3\t\n"),
    ],
)
def test_a_whole_file_is_read_in_every_format(tool: str, text: str) -> None:
    shown = read_result(tool, FULL, text)
    assert shown is not None
    assert (shown.start, shown.texts, shown.total) == (1, ("a", "b"), 2)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("Read", "4\ta\n5\tb"),
        (
            "read",
            OPENCODE + "4: a\n5: b\n\n(Showing lines 4-5 of 9. Use)\n</content>",
        ),
        ("read", "a\nb\n\n[4 more lines in file. Use offset=6 to continue.]"),
        ("read_file", "Showing lines 4-5 of 9 total lines.\n\n---\n\na\nb"),
        (
            "read_file",
            "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 4-5 of 9 total lines.\n"
            "Action: use start_line\n\n--- FILE CONTENT (truncated) ---\na\nb",
        ),
    ],
)
def test_a_part_of_a_file_is_read_in_every_format(tool: str, text: str) -> None:
    shown = read_result(tool, Span(4, 5), text)
    assert shown is not None
    assert (shown.start, shown.texts) == (4, ("a", "b"))
    assert shown.total in (None, 9)


@pytest.mark.parametrize("tool", ["Read", "view", "some_tool"])
def test_a_read_without_its_usual_line_numbers_teaches_nothing(tool: str) -> None:
    assert read_result(tool, FULL, "a\nb") is None


def test_a_long_line_may_be_cut_and_is_not_known() -> None:
    shown = read_result("Read", FULL, "1\t" + "x" * 2000 + "\n2\tb\n3\t")
    assert shown is not None and shown.texts == (None, "b")


def test_a_listing_of_2000_lines_may_not_be_all() -> None:
    shown = read_result("Read", FULL, "\n".join(f"{n}\tx" for n in range(1, 2001)))
    assert shown is not None and shown.total is None


def test_a_directory_is_no_file() -> None:
    text = "<path>/a</path>\n<type>directory</type>\n<entries>\nb.py\n\n(1 entries)\n</entries>"
    assert read_result("read", FULL, text) is None


def test_a_result_of_very_many_characters_is_not_followed() -> None:
    line = "     1\tplums\n"
    assert read_result("Read", FULL, line) is not None
    assert read_result("Read", FULL, line + " " * 8_000_000) is None

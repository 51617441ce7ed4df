"""The meaning of calls, for the tools of every agent."""

from __future__ import annotations

import pytest

from prunus.calls.meaning import Meaning, Tool
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import FULL, Span, Touch

BOX = Toolbox()


def test_tool_rows_with_the_same_name_are_distinguished_by_their_arguments() -> None:
    assert BOX.meaning("read", {"filePath": "/w/a.py"}).key == "/w/a.py"
    assert BOX.meaning("read", {"path": "/w/a.py"}).key == "/w/a.py"


def test_a_missing_argument_leaves_a_call_unknown() -> None:
    assert BOX.meaning("Read", {}) == Meaning("other")


def test_case_counts() -> None:
    assert BOX.meaning("READ", {"file_path": "a.py"}).kind == "other"


def test_an_unknown_tool_is_other() -> None:
    assert BOX.meaning("book_flight", {"path": "a.py"}) == Meaning("other")


@pytest.mark.parametrize("name", ["mcp__files__read_file", "mcp_files_read_file", "developer__read_file"])
def test_the_server_in_a_name_does_not_matter(name: str) -> None:
    assert BOX.meaning(name, {"path": "a.py"}).touches == (Touch("a.py", "read"),)


def test_a_file_of_another_repository_is_not_a_file_here() -> None:
    assert BOX.meaning("mcp__hub__read_file", {"path": "README.md", "repo": "x/y"}).kind == "other"


def test_rows_of_the_user_come_first() -> None:
    box = Toolbox((Tool("Read", "fetch", url="file_path"), Tool("mcp__*__peek", "read", path="where")))
    assert box.meaning("Read", {"file_path": "a.py"}).kind == "fetch"
    assert box.meaning("mcp__x__peek", {"where": "a.py"}).touches == (Touch("a.py", "read"),)


def test_lines_asked_for_in_an_unknown_way_are_not_claimed() -> None:
    meaning = BOX.meaning("Read", {"file_path": "a.pdf", "pages": "1-3"})
    assert (meaning.kind, meaning.key, meaning.touches) == ("read", "a.pdf", ())


@pytest.mark.parametrize("offset", ["[1, 5]", {}, -3, "x"])
def test_lines_that_make_no_sense_are_not_claimed(offset: object) -> None:
    assert BOX.meaning("Read", {"file_path": "a.py", "offset": offset}).touches == ()


def test_an_argument_of_null_counts_as_missing() -> None:
    assert BOX.meaning("read_file", {"file_path": "a.py", "offset": None, "limit": None}).touches[0].span == FULL


def test_numbers_may_come_as_text() -> None:
    touches = BOX.meaning("Read", {"file_path": "a.py", "offset": "10", "limit": "5"}).touches
    assert touches[0].span == Span(10, 14)


def test_arguments_may_be_unparsed_json() -> None:
    assert BOX.meaning("Read", '{"file_path": "a.py"}').key == "a.py"


def test_broken_json_is_other() -> None:
    assert BOX.meaning("Read", '{"file_path": ') == Meaning("other")


def test_options_that_change_an_answer_are_in_the_key() -> None:
    plain = BOX.meaning("Grep", {"pattern": "x", "path": "src"})
    files = BOX.meaning("Grep", {"pattern": "x", "path": "src", "output_mode": "content"})
    assert plain.key == "grep:src:x:"
    assert files.key != plain.key


def test_a_read_by_shell_has_the_key_of_the_file() -> None:
    meaning = BOX.meaning("Bash", {"command": "cat a.py", "description": "look"})
    assert meaning == Meaning("read", "a.py", (Touch("a.py", "read"),), "cat a.py", ("command", "description"))


def test_several_reads_by_shell_have_the_key_of_the_command() -> None:
    assert BOX.meaning("Bash", {"command": "cat a.py  b.py"}).key == "cat a.py b.py"


def test_git_stash_may_change_any_file() -> None:
    assert BOX.meaning("Bash", {"command": "git stash"}).wild


@pytest.mark.parametrize("command", ["", "   ", None, 7, ["", ""]])
def test_a_malformed_command_argument_does_not_fail(command: object) -> None:
    assert BOX.meaning("Bash", {"command": command}).kind in ("shell", "other")


def test_the_row_that_knows_most_arguments_is_meant() -> None:
    assert BOX.meaning("run_shell_command", {"command": "cat a.py", "dir_path": "/g"}).key == "/g/a.py"
    assert BOX.meaning("run_shell_command", {"command": "cat a.py", "directory": "/q"}).key == "/q/a.py"


def test_a_row_of_the_user_that_does_not_fit_is_passed_over() -> None:
    box = Toolbox((Tool("Read", "fetch", url="address"),))
    assert box.meaning("Read", {"file_path": "a.py"}).kind == "read"


@pytest.mark.parametrize(
    "command",
    ['echo "$(' * 3000, "bash -c '" * 2000, "find . -exec " * 2000, "xargs " * 3000, "Get-Content (" * 3000],
)
def test_a_command_of_any_depth_is_survived(command: str) -> None:
    assert BOX.meaning("bash", {"command": command}).kind == "shell"


def test_pages_at_two_addresses_differ_even_if_the_question_is_the_same() -> None:
    one, other = ({"url": f"https://x.test/{page}", "prompt": "sum up"} for page in "ab")
    for name in ("web_fetch", "WebFetch"):
        assert BOX.meaning(name, one).key != BOX.meaning(name, other).key

"""The notation of the case files, and the bodies that are built from it."""

import json
from pathlib import Path

import pytest

from tests.strategies.agents import Unspoken, localise
from tests.strategies.fillers import fill, filler
from tests.strategies.notation import Case, Expected, NotationError, page, parse_case
from tests.strategies.run import check, formats_of
from tests.strategies.story import Answer, File, Said, Thought, Tool, Turn, User
from tests.strategies.wire import FORMATS, build

STALE = """
user: Fix it.
1 read a.py -> <30 lines>
2 write a.py <30 lines> -> ok
3 ...
"""


def case(body: str) -> Case:
    return parse_case("a case", "", body)


def quiet(body: str) -> Case:
    return case(f"{body}\n=> nothing changes")


def test_a_call_has_its_tool_its_arguments_and_its_answer() -> None:
    [_, turn] = quiet("user: Go.\n1 read src/app.py lines 5-9 -> <3 lines>").story.events
    assert turn == Turn(
        1, (Tool("1", "read", {"path": "src/app.py", "first": 5, "last": 9}, Answer(filler(3, "lines"))),)
    )


def test_letters_put_calls_into_one_turn() -> None:
    [turn] = quiet("1a list src -> x\n1b list lib -> y").story.events
    assert isinstance(turn, Turn)
    assert [item.label for item in turn.items] == ["1a", "1b"]


def test_dots_stand_for_turns_with_other_calls() -> None:
    turns = quiet("1 says Hello.\n2-4 ...").story.events
    assert [turn.number for turn in turns if isinstance(turn, Turn)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("error: Error: no", Answer("Error: no", error=True)),
        ("(running)", Answer("", state="running")),
        ("(compacted) gone", Answer("gone", state="compacted")),
        ("see <image a.png 3KB>", Answer("see", files=(File("a.png", 3, image=True),))),
    ],
)
def test_an_answer_says_how_the_call_ended(answer: str, read: Answer) -> None:
    [turn] = quiet(f"1 list src -> {answer}").story.events
    assert isinstance(turn, Turn) and isinstance(turn.items[0], Tool)
    assert turn.items[0].answer == read


def test_words_thoughts_and_files() -> None:
    story = quiet("user: Look. <document a.pdf 9KB>\n1 thinks Well. (bound)\n1 says Yes.").story
    assert story.events == (
        User(1, "Look.", (File("a.pdf", 9),)),
        Turn(1, (Thought("1", "Well.", bound=True), Said("1", "Yes."))),
    )


def test_headers_are_read() -> None:
    read = quiet('settings: turns=2 protected_paths.patterns=["a","b"]\nwith: x y\nformats: gemini\nids: repeated')
    assert read.settings == {"turns": 2, "protected_paths.patterns": ["a", "b"]}
    assert (read.others, read.formats, read.story.repeated_ids) == (("x", "y"), ("gemini",), True)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("1 result: [Prunus: x]", Expected("1", "result", "text", "[Prunus: x]")),
        ("2b input keeps path, content", Expected("2b", "input", "keeps", "path, content")),
        ("1 thinking gone", Expected("1", "thinking", "gone", "gone")),
        ("user 2 file: [File: a]", Expected("user 2", "file", "text", "[File: a]")),
    ],
)
def test_expectations_are_read(line: str, read: Expected) -> None:
    assert case(f"1 list src -> x\n=> {line}").expected == (read,)


def test_a_refusal_stands_beside_nothing_changes() -> None:
    read = quiet("1 list src -> x\n=> 1 result kept by same_turn")
    assert read.expected == (Expected("1", "result", "guard", "same_turn"),)


@pytest.mark.parametrize(
    "body",
    [
        "1 list src -> x",
        "1 list src -> x\n=> nothing changes\n=> 1 result: y",
        "1 list src\n=> nothing changes",
        "1 juggle src -> x\n=> nothing changes",
        "list src -> x\n=> nothing changes",
        "1 list src -> x\n=> 1 result vanishes",
    ],
)
def test_an_unreadable_line_of_a_case_is_refused(body: str) -> None:
    with pytest.raises(NotationError):
        case(body)


def test_a_case_needs_a_title(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("# x\n\n```case\nuser: Hi.\n=> nothing changes\n```\n", encoding="utf-8")
    with pytest.raises(NotationError):
        page(path)


def test_a_filler_has_the_length_that_it_names() -> None:
    assert len(fill("<1,234 chars>")) == 1234
    assert fill("<7 lines of v2>").count("\n") == 6
    assert len(fill("<9 words>").split()) == 9


def test_fillers_differ_by_their_label_only() -> None:
    assert fill("<5 lines of v1>") == fill("<5 lines of v1>") != fill("<5 lines of v2>")


def test_shares_are_taken_from_the_whole() -> None:
    assert fill("<first 2 chars>-<last 3 chars> of <size>", "abcdef") == "ab-def of 6"


@pytest.mark.parametrize(
    ("format", "sign"),
    [
        ("anthropic_messages", '"is_error": true'),
        ("openai_chat", "Exit Code: 2"),
        ("openai_responses", "Command exited with code 2"),
        ("gemini", '"error"'),
        ("opencode", '"status": "error"'),
    ],
)
def test_each_format_has_its_own_way_to_say_that_a_command_failed(format: str, sign: str) -> None:
    story = quiet("user: Go.\n1 shell make -> error: no").story
    assert sign in json.dumps(build(localise(story, format), format).json)


def test_no_format_without_a_flag_tells_that_an_unknown_tool_failed() -> None:
    failed = quiet("user: Go.\n1 call lookup {} -> error: no")
    assert formats_of(failed) == ("anthropic_messages", "gemini", "opencode")


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_has_its_own_words_for_a_read(format: str) -> None:
    body = json.dumps(build(quiet("user: Go.\n1 read a.py -> amber").story, format).json)
    assert body.count("amber") == 1
    assert ("filePath" in body, "file_path" in body) == {
        "opencode": (True, False), "openai_responses": (False, False)
    }.get(format, (False, True))  # fmt: skip


def test_a_format_leaves_out_parts_that_it_cannot_express() -> None:
    steps = quiet("1 step-start\n1 says Hi.")
    assert formats_of(steps) == ("opencode",)
    with pytest.raises(Unspoken):
        build(steps.story, "gemini")


def test_a_change_that_the_case_does_not_name_is_a_problem() -> None:
    assert check(quiet(STALE), "stale_reads", "anthropic_messages")


def test_a_change_that_does_not_come_is_a_problem() -> None:
    expected = case(f"{STALE}\n=> 2 result: [Prunus: something]")
    assert check(expected, "stale_reads", "anthropic_messages")


def test_a_refusal_that_does_not_come_is_a_problem() -> None:
    note = "[Prunus: older read of a.py removed; the file was written later.]"
    kept = case(f"{STALE}\n=> 1 result: {note}\n=> 2 result kept by same_turn")
    assert any("refused by none" in problem for problem in check(kept, "stale_reads", "opencode"))


def test_a_part_that_is_not_there_is_named() -> None:
    with pytest.raises(NotationError):
        check(case(f"{STALE}\n=> 7 result: gone"), "stale_reads", "opencode")

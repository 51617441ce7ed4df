"""The seed smart-tool-history.md, from top to bottom, as preset smart has it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import prunus
from prunus import Settings
from prunus.settings.presets import PRESETS
from tests.seeds.conversations import Sent, every_format, in_formats, send

WROTE = "Successfully wrote 12 bytes to config.py"
POINTER = "[Re-read of config.py - see first read above for content]"


def smart(text: str, format: str, **settings: object) -> Sent:
    return send(f"user: Go.\n{text}", format, "smart", **settings)


def reads(count: int, texts: Sequence[str] = ()) -> str:
    """So many reads of config.py, each with the text of a version; the same one where none is given."""
    versions = [f" of {text}" for text in texts] or [""] * count
    lines = [f"{n} read config.py -> <40 lines{version}>\n" for n, version in enumerate(versions, 1)]
    return f"{''.join(lines)}{count + 1} ..."


def pointers(sent: Sent, count: int) -> list[int]:
    return [n for n in range(1, count + 1) if not sent.stays(str(n))]


# 1. Read file strategy: first + last + sampled


@every_format
@pytest.mark.parametrize(
    ("count", "gone"),
    [(1, []), (2, []), (3, [2]), (4, [2, 3]), (5, [2, 3, 4])],
)
def test_up_to_five_reads_keep_the_first_and_the_last(count: int, gone: list[int], format: str) -> None:
    sent = smart(reads(count), format)
    assert pointers(sent, count) == gone
    assert all(sent.result(str(n)) == POINTER for n in gone)


@every_format
@pytest.mark.parametrize("count", [6, 9, 10, 12])
def test_six_reads_and_more_also_keep_three_samples_as_the_sketch_chooses_them(count: int, format: str) -> None:
    middle = range(2, count)
    step = len(middle) / 3
    kept = {1, count, *(middle[int(i * step)] for i in range(3))}
    assert len(kept) == 5
    assert set(pointers(smart(reads(count), format), count)) == set(middle) - kept


@every_format
def test_of_the_six_reads_of_the_example_the_fourth_is_a_sample_and_the_fifth_a_pointer(format: str) -> None:
    sent = smart(reads(6), format)
    assert sent.stays("1", "4", "6")
    assert sent.result("5") == POINTER


@every_format
def test_a_pointer_is_the_answer_to_its_call(format: str) -> None:
    sent = smart(reads(3), format)
    assert [sent.result(n) for n in "123"].count(POINTER) == 1
    assert sent.input("2") == sent.input("1")


@every_format
def test_a_pointer_never_names_a_read_that_shows_something_else(format: str) -> None:
    sent = smart(reads(4, ["v1", "v2", "v3", "v3"]), format)
    changed = "[Re-read of config.py - the file changed since, read it to see its current text]"
    assert sent.result("2") == changed
    assert sent.result("3") == "[Re-read of config.py - see later read for content]"


@every_format
def test_a_pointer_may_name_a_sample(format: str) -> None:
    sent = smart(reads(8, ["v1", "v2", "v2", "v3", "v4", "v4", "v4", "v5"]), format)
    notes = {sent.result(str(n)) for n in pointers(sent, 8)}
    assert notes == {
        "[Re-read of config.py - see earlier read for content]",
        "[Re-read of config.py - see later read for content]",
    }


# 2. Edit file strategy: always keep, with intent


@every_format
def test_edits_are_always_kept(format: str) -> None:
    edits = "".join(f"{n} edit core/agent.py <30 lines of {n}> -> <30 lines of a diff {n}>\n" for n in range(1, 31))
    sent = smart(f"{edits}31-40 ...", format)
    labels = [str(n) for n in range(1, 31)]
    assert sent.stays(*labels)
    assert all(len(str(sent.input(label))) > 500 for label in labels)


def test_an_edit_tool_may_take_an_intent() -> None:
    tool = {
        "name": "edit_file",
        "input_schema": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("file_path", "old_str", "new_str")},
        },
    }
    offered = prunus.with_intent(tool)
    assert list(offered["input_schema"]["properties"]) == ["file_path", "old_str", "new_str", "intent"]
    assert "intent" not in offered["input_schema"].get("required", [])


EDIT = (
    '{"file_path": "core/agent.py", "old_str": "keep_recent_tool_results(30)",'
    ' "new_str": "keep_recent_tool_results(50)", "intent": "Increase tool result retention for better context"}'
)


@every_format
def test_the_intent_stands_in_the_history(format: str) -> None:
    sent = smart(f"1 call edit_file {EDIT} -> ok\n2-9 ...", format)
    assert sent.input("1")["intent"] == "Increase tool result retention for better context"


# 3. Bash output strategy: truncate


@every_format
@pytest.mark.parametrize("size", ["999", "1,000", "5,000", "10,000"])
def test_up_to_10k_chars_bash_output_is_kept(size: str, format: str) -> None:
    assert smart(f"1 shell npm test -> <{size} chars>\n2-9 ...", format).stays("1")


@every_format
def test_over_10k_chars_the_first_and_the_last_2k_stay_with_a_summary_line(format: str) -> None:
    sent = smart("1 shell npm test -> <45,231 chars>\n2 ...", format)
    head, line, tail = sent.result("1").split("\n\n")
    assert (len(head), len(tail)) == (2_000, 2_000)
    assert line.startswith("... [truncated: 45,231 chars total, ") and line.endswith(" lines] ...")


@every_format
def test_only_bash_output_is_truncated(format: str) -> None:
    assert smart("1 read big.txt -> <45,231 chars>\n2 ...", format).stays("1")


# 4. smart_tool_retention()


def test_the_projection_has_the_arguments_of_the_sketch() -> None:
    projection = prunus.smart_tool_retention(max_file_reads=5, keep_all_edits=True, bash_truncate=10_000)
    messages = [{"role": "user", "content": "Go."}]
    assert projection(messages) == messages


@in_formats("openai_chat", "anthropic_messages")
def test_the_projection_keeps_order_and_pairs(format: str) -> None:
    sent = smart(reads(4), format)
    projected = prunus.smart_tool_retention()(sent.body.messages)
    assert len(projected) == len(sent.body.messages)
    assert [message["role"] for message in projected] == [message["role"] for message in sent.body.messages]
    assert str(projected).count("Re-read of config.py") == 2


@in_formats("opencode", "openai_responses")
def test_listings_are_kept_only_while_recent(format: str) -> None:
    lists = "".join(f"{n} list dir{n} -> <40 lines of {n}>\n" for n in range(1, 14))
    sent = smart(f"{lists}14 ...", format)
    assert pointers(sent, 13) == [1, 2, 3]


# 5. Token budget comparison


@every_format
def test_about_half_of_the_tokens_stay(format: str) -> None:
    """The seed estimates 50 % for its own history; a history of the same shape keeps its parts here."""
    turns = []
    for n in range(1, 41):
        match n % 5:
            case 0:
                turns.append(f"{n} edit src/app.py <20 lines of {n}> -> ok")
            case 1:
                turns.append(f"{n} shell npm test {n} -> <14,000 chars of {n}>")
            case _:
                turns.append(f"{n} read src/file{n % 3}.py -> <120 lines of {n % 3}>")
    sent = smart("\n".join([*turns, "41 ..."]), format)
    assert 0.3 < len(sent.outcome.body) / len(json.dumps(sent.body.json)) < 0.7


# 6. Future enhancements


@every_format
def test_edit_intents_become_a_changelog(format: str) -> None:
    sent = smart(f"1 call edit_file {EDIT} -> ok\n2 ...", format)
    log = prunus.generate_changelog(sent.outcome.body)
    assert "Increase tool result retention for better context" in str(log)
    assert "core/agent.py" in str(log)


@every_format
def test_the_state_of_a_file_can_be_asked_for_at_any_turn(format: str) -> None:
    sent = smart(
        f"1 write config.py <3 lines of a> -> {WROTE}\n2 write config.py <3 lines of b> -> {WROTE}\n3 ...", format
    )
    history = prunus.history_of(sent.outcome.body)
    assert history.file_state_at("config.py", turn=1).text != history.file_state_at("config.py", turn=2).text


def edits(intents: Sequence[str]) -> str:
    """Edits of config.py from turn 10 on, with these intents, and then 50 turns without one."""
    rows = "".join(
        f'{n} call edit_file {{"file_path": "config.py", "old_str": "<4 lines of v{n}>",'
        f' "new_str": "<4 lines of v{n + 1}>", "intent": "{intent}"}} -> Edited config.py\n'
        for n, intent in enumerate(intents, 10)
    )
    last = 9 + len(intents)
    return f"1-9 ...\n{rows}{last + 1}-{last + 51} ..."


@every_format
def test_diffs_are_compressed_in_very_long_sessions(format: str) -> None:
    intents = ["Added AGENT_CONFIG", *["Modified system prompt"] * 3, "Added tool definitions"]
    sent = smart(edits(intents), format)
    assert sent.result("14") == "Edited config.py\n\n" + "\n".join(
        [
            "[Edits to config.py: 5 changes between turns 10-14]",
            "- Added AGENT_CONFIG",
            "- Modified system prompt 3x",
            "- Added tool definitions",
            "[Full diff available in ground truth]",
        ]
    )
    assert all(list(sent.input(label)) == ["file_path"] for label in ("10", "11", "12", "13"))


@every_format
def test_a_compressed_diff_shows_lines_if_an_edit_states_no_intent(format: str) -> None:
    sent = smart(edits(["Added AGENT_CONFIG", "", "Added tool definitions"]), format)
    _, _, _, first, second, *lines, _ = sent.result("12").split("\n")
    assert (first, second) == ("- Added AGENT_CONFIG", "- Added tool definitions")
    assert lines and all(line[0] in "+-" for line in lines)


# Summary


def test_the_preset_names_the_four_rows_of_the_summary() -> None:
    assert {"middle_reads", "long_outputs", "old_results"} <= PRESETS["smart"].keys()
    assert Settings.preset("smart").words == "seeds"

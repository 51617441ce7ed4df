"""Decisions of the agent: carried out at once, named when they cannot be, and taken back exactly."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from prunus import Pruner, Settings, prune
from prunus.agent import SCHEMA, execute
from prunus.notes import REASONING_GONE
from prunus.requested.targets import ACKNOWLEDGED
from prunus.schedule.ledger import Ledger
from tests.formats import call_and_result

TEXT = "line of a file\n" * 60
OFFERED = Settings(agent={"offer": "mcp"})
MANUAL = Settings(agent={"offer": "mcp"}, schedule="manual")


def read(path: str, text: str = TEXT, tool: str = "Read") -> list[Any]:
    return call_and_result("anthropic_messages", f"t{path}", tool, {"file_path": path}, f"{path}\n{text}")


def numbered(lines: list[str]) -> str:
    return "\n".join(f"{number}\t{line}" for number, line in enumerate([*lines, ""], 1))


def ask(action: str, *targets: list[str], id: str = "p1", reply: str = "ok") -> list[Any]:
    given = {"action": action, "targets": list(targets)}
    return call_and_result("anthropic_messages", id, "context_prune", given, reply)


def body(*messages: Any) -> dict[str, Any]:
    return {"model": "claude-x", "system": "s", "messages": [{"role": "user", "content": "Go."}, *messages]}


def sent(given: dict[str, Any], settings: Settings = OFFERED) -> str:
    outcome = prune(given, settings)
    assert outcome.error is None
    return json.dumps(outcome.body, ensure_ascii=False)


def ids(given: dict[str, Any]) -> list[str]:
    return re.findall(r"\[id ([0-9a-f]+)", sent(given))


START = (*read("/a"), *read("/b"), *read("/c"))
A, B, C = ids(body(*START))


@pytest.mark.parametrize("schedule", ["eager", "cache", "pressure", "manual"])
def test_a_requested_edit_is_made_at_once_under_every_schedule(schedule: str) -> None:
    settings = Settings(agent={"offer": "mcp"}, schedule=schedule)
    pruner = Pruner(settings)
    pruner.prune(body(*START), 0.0)
    outcome = pruner.prune(body(*START, *ask("discard", [A])), 5.0)
    assert [edit.strategy for edit in outcome.edits if edit.when.requested_by] == ["asked"]
    assert outcome.flush is not None and outcome.flush.cut == 2
    assert outcome.flush.reason == ("at once" if schedule == "eager" else "asked for")
    assert outcome.flush.saved > 100


def test_many_targets_in_one_call() -> None:
    whole = [message for i in range(12) for message in read(f"/{i}")]
    names = ids(body(*whole))
    assert len(names) == 12
    text = sent(body(*whole, *ask("discard", *[[name] for name in names])))
    assert text.count("you discarded it") == 12


@pytest.mark.parametrize("summary", ["Port 80.", 'Größe "5" 🎉\nzweite Zeile ]', "x" * 700])
def test_a_summary_is_visible_in_the_next_request_and_stays(summary: str) -> None:
    given = body(*read("/a", TEXT * 5), *read("/b"))
    name = ids(given)[0]
    after = [*given["messages"][1:], *ask("distill", [name, summary]), *read("/c"), *read("/d")]
    outcome = prune(body(*after), OFFERED)
    [shown] = [m["content"][0]["content"] for m in outcome.body["messages"] if "ta" not in m and m["role"] == "user"
               and isinstance(m["content"], list) and m["content"][0]["tool_use_id"] == "t/a"]  # fmt: skip
    assert shown == f"[Prunus: read of /a removed; what you kept of it: {summary}]\n[id {name}]"
    assert prune(outcome.body, OFFERED).body == outcome.body


def test_restore_brings_the_original_back_exactly() -> None:
    before = json.loads(sent(body(*START)))["messages"]
    after = json.loads(sent(body(*START, *ask("discard", [A], [B]), *ask("restore", [A], id="p2"))))["messages"]
    assert after[:3] == before[:3]
    assert "you discarded it" in json.dumps(after[4])


def test_a_restored_part_stays_until_another_request_cuts_it() -> None:
    twice = (*read("/a"), *read("/a"), *read("/b"))
    newest = {"duplicate_calls": {"point_back": False}}
    settings = Settings(agent={"offer": "mcp"}, schedule="eager", strategies=newest)
    name = ids(body(*twice))[0]
    assert "the same call was made again" in sent(body(*twice), settings)
    back = (*twice, *ask("restore", [name]))
    assert "removed" not in sent(body(*back), settings)
    again = sent(body(*back, *read("/c"), *ask("discard", [name], id="p2")), settings)
    assert again.count("removed") == 1


def test_a_restored_input_comes_back_too() -> None:
    write = call_and_result("anthropic_messages", "w", "Write", {"file_path": "/a", "content": TEXT}, "ok\n" * 100)
    whole = (*write, *read("/b"), *write, *read("/c"))
    settings = Settings(
        schedule="eager", strategies={"asked": {"enabled": True, "protected": []}, "spent_inputs": {"over": 10}}
    )
    outcome = prune(body(*whole, *ask("discard", ["tools"])), settings)
    assert any(edit.strategy == "spent_inputs" for edit in outcome.edits)
    restored = prune(body(*whole, *ask("discard", ["tools"]), *ask("restore", ["tools"], id="p2")), settings)
    assert restored.body["messages"][1:5] == list(body(*whole)["messages"][1:5])


def test_the_edits_survive_the_ledger() -> None:
    pruner = Pruner(MANUAL)
    pruner.prune(body(*START, *ask("discard", [A])), 0.0)
    ledger = pruner._conversations[-1].memo.ledger
    assert Ledger.load(ledger.dump()) == ledger
    assert {edit.when.requested_by for edit in ledger.edits} == {"agent"}


def test_reasoning_becomes_the_least_that_its_provider_takes() -> None:
    thought = "I wonder about this and that. " * 20
    said = {"role": "assistant", "content": "Yes.", "reasoning_content": thought}
    tail = [{"role": "user", "content": "Go on."}, *call_and_result(
        "openai_chat", "p", "context_prune", {"action": "discard", "targets": [["thinking"]]}, "ok")]  # fmt: skip
    messages = [{"role": "user", "content": "Go."}, said, *tail]
    found = prune({"messages": messages}, OFFERED).body["messages"][1]
    assert found == {**said, "reasoning_content": REASONING_GONE}
    kept = [["thinking", "I wondered."]]
    tail[1]["tool_calls"][0]["function"]["arguments"] = json.dumps({"action": "distill", "targets": kept})
    assert prune({"messages": messages}, OFFERED).body["messages"][1]["reasoning_content"] == "I wondered."


def test_signed_reasoning_goes_whole() -> None:
    block = {"type": "thinking", "thinking": "hm " * 100, "signature": "abc"}
    said = {"role": "assistant", "content": [block, {"type": "text", "text": "Yes."}]}
    user = {"role": "user", "content": "Go on."}
    whole = body(said, user, *ask("discard", ["thinking"]))
    assert prune(whole, OFFERED).body["messages"][1]["content"] == [{"type": "text", "text": "Yes."}]


def test_ids_of_thinking_and_text_stand_behind_the_next_result() -> None:
    block = {"type": "thinking", "thinking": "hm " * 100, "signature": "abc"}
    call, result = read("/a")
    said = {"role": "assistant", "content": [block, {"type": "text", "text": "word " * 80}, *call["content"]]}
    found = re.search(r"\[id \w+, thinking (\w+), text (\w+)\]", sent(body(said, result)))
    assert found is not None
    after = sent(body(said, result, *read("/b"), *ask("discard", [found[2]])))
    assert "[Prunus: message of 80 words removed; you discarded it.]" in after
    own = Settings(agent={"offer": "mcp", "own_ids": False})
    assert re.search(r"\[id \w+\]", sent(body(said, result), own))


def test_the_id_of_a_text_stands_behind_the_next_result() -> None:
    said = {"role": "assistant", "content": "word " * 80}
    user = {"role": "user", "content": "Go on."}
    assert re.search(r"\[id \w+, text \w+\]", sent(body(said, user, *read("/a"))))


@pytest.mark.parametrize("tool", ["Write", "Edit", "TodoWrite", "Task", "mcp__prunus__context_info"])
def test_protected_tools_have_no_id(tool: str) -> None:
    assert ids(body(*read("/a", tool=tool))) == []


def test_small_results_have_no_id() -> None:
    assert ids(body(*read("/a", "short"))) == []


def test_an_error_goes_at_once_when_it_is_asked_for() -> None:
    """By itself it would stay for some turns."""
    call, result = read("/a", "Traceback: it failed\n" * 40, "Bash")
    result["content"][0]["is_error"] = True
    name = ids(body(call, result))[0]
    assert "you discarded it" in sent(body(call, result, *ask("discard", [name])), MANUAL)


def test_ids_follow_content_and_position() -> None:
    assert ids(body(*START)) == [A, B, C]
    assert ids(body(*START, *read("/d")))[:3] == [A, B, C]
    assert A not in ids(body(*read("/b"), *read("/a")))


def test_echoes_do_not_go_back_upstream() -> None:
    said = {"role": "assistant", "content": f"See it.\n[id {A}] and [id ffffff]."}
    after = json.loads(sent(body(*START, said, {"role": "user", "content": "Go on."})))["messages"]
    assert after[-2]["content"] == "See it. and [id ffffff]."


def test_a_tool_that_cannot_see_the_history_is_put_right() -> None:
    after = sent(body(*START, *ask("discard", [A], ["abcdef"], reply=ACKNOWLEDGED)))
    assert f"{ACKNOWLEDGED} Not found: abcdef." in after
    assert f'{ACKNOWLEDGED}"' in sent(body(*START, *ask("restore", [A], reply=ACKNOWLEDGED)))


def test_a_tool_that_cannot_see_the_history_gets_the_status_line() -> None:
    after = sent(body(*START, *ask("discard", [A], [B], reply=ACKNOWLEDGED)))
    assert re.search(rf'{ACKNOWLEDGED} 「 ⚙️  2\(\d+\) ▼ 」"', after)
    again = body(*START, *ask("discard", [A], reply=ACKNOWLEDGED), *ask("discard", [A], reply=ACKNOWLEDGED))
    assert sent(again).count("▼") == 1
    assert "▼" not in sent(body(*START, *ask("discard", ["abcdef"], reply=ACKNOWLEDGED)))
    pruned = json.loads(after)
    assert sent(pruned) == after


# What the agent is told.


def told(
    action: str, *targets: list[str], given: dict[str, Any] | None = None, settings: Settings = OFFERED
) -> str:
    return execute(given or body(*START), {"action": action, "targets": list(targets)}, settings)


def test_the_answer_gives_names_and_counts_instead_of_ids() -> None:
    assert re.fullmatch(
        r"Discarded read of /a, read of /b: 2 results, about \d+ tokens\.\n「 ⚙️  2\(\d+\) ▼ 」",
        told("discard", [A], [B]),
    )


def test_unknown_already_pruned_and_protected_are_each_named() -> None:
    messages = (*START, *read("/w", tool="Write"), *ask("discard", [A]))
    given = body(*messages)
    pruner = Pruner(OFFERED)
    pruner.prune(given)
    write = pruner._conversations[-1].engine.view.ids
    protected = next(id for id, ref in write.items() if ref.message == 8)
    words = told("discard", [A], [B], ["abcdef"], [protected], given=given)
    assert "Discarded read of /b: 1 result" in words
    assert "Already pruned: read of /a." in words
    assert "Not found: abcdef." in words
    assert f"Protected: {protected} (Write is protected)." in words
    assert "Available: 1 result." in words


def test_the_answer_names_targets_that_the_settings_protect() -> None:
    settings = Settings(agent={"offer": "mcp"}, protected_paths=["/a"], protected_tools=["Glob"])
    assert "Protected: read of /a (/a is protected)." in told("discard", [A], settings=settings)


def test_nothing_available_yet() -> None:
    assert "run tools first" in told("discard", ["abcdef"], given=body())


def test_the_answer_names_targets_that_are_too_short() -> None:
    given = body(*call_and_result("anthropic_messages", "s", "Bash", {"command": "pwd"}, "/home"), *read("/a"))
    assert "Discarded read of /a" in told("discard", ["tools"], given=given)
    assert "too short" in told("discard", ["tools"], given=given)


def test_the_answer_says_that_there_is_nothing_to_restore() -> None:
    assert "nothing to restore: read of /a" in told("restore", [A])
    given = body(*START, *ask("discard", [A]))
    assert told("restore", [A], given=given).startswith("Restored read of /a: 1 result.")


def test_reasoning_of_the_open_loop_goes_later() -> None:
    block = {"type": "thinking", "thinking": "hm " * 100, "signature": "abc"}
    call, result = read("/a")
    said = {"role": "assistant", "content": [block, *call["content"]]}
    assert "Goes later: thinking" in told("discard", ["thinking"], given=body(said, result))


LONG = "The parser reads the whole file at once and then splits it into lines, which is slow."


@pytest.mark.parametrize(
    ("span", "reason"),
    [
        (["The parser reads", "nowhere at all here", "x"], "nothing matches"),
        (["The", "slow", "x"], "more than 15 characters"),
        (["The parser reads", "the", "x"], "only 20 characters match"),
        (["", "which is slow. And", "x"], "must not be empty"),
        (["The parser reads", "which is slow.", LONG], "holds the same again"),
        (["The parser reads", "which is slow.", " "], "the replacement is empty"),
    ],
)
def test_each_rule_of_replace_tells_its_reason(span: list[str], reason: str) -> None:
    said = {"role": "assistant", "content": LONG}
    given = body(said, {"role": "user", "content": "Go on."}, *read("/a"))
    words = told("replace", span, given=given)
    assert "Replace failed" in words and reason in words


def test_a_span_that_stands_twice_is_not_replaced() -> None:
    said = {"role": "assistant", "content": LONG}
    given = body(said, {"role": "user", "content": LONG}, *read("/a"))
    assert "2 places match" in told("replace", ["The parser reads", "which is slow.", "x"], given=given)


def test_spans_that_overlap_are_not_both_replaced() -> None:
    said = {"role": "assistant", "content": LONG}
    given = body(said, {"role": "user", "content": "Go on."}, *read("/a"))
    spans = (
        ["The parser reads", "splits it into lines", "It splits"],
        ["the whole file at", "which is slow.", "x"],
    )
    words = told("replace", *spans, given=given)
    assert "Replaced a part of message" in words and "overlaps with another" in words


def test_replacements_add_up_and_can_be_taken_back() -> None:
    text = f"{LONG} {'And more. ' * 30}"
    said = {"role": "assistant", "content": text}
    start = (said, {"role": "user", "content": "Go on."}, *read("/a"))
    one = ask("replace", ["The parser reads", "the whole file at once", "It reads"])
    two = ask("replace", ["and then splits it", "which is slow.", "slowly."], id="p2")
    after = json.loads(sent(body(*start, *one, *two)))["messages"][1]["content"]
    assert after == f"It reads slowly. {'And more. ' * 30}"
    name = re.findall(r"text (\w+)", sent(body(*start)))[0]
    back = json.loads(sent(body(*start, *one, *two, *ask("restore", [name], id="p3"))))["messages"][1]["content"]
    assert back == text


def test_context_info_shows_what_fills_the_context_and_what_could_go() -> None:
    words = execute(body(*START), {}, OFFERED, tool="context_info")
    assert re.match(r"Context: \d+ of 200,000 tokens, 0% full; pressure is light\.", words)
    assert f"[{A}] read of /a: " in words


@pytest.mark.parametrize(
    "given", [json.dumps(body(*START)), json.dumps(body(*START)).encode(), body(*START)["messages"]]
)
def test_context_prune_works_on_every_type_of_body(given: Any) -> None:
    assert "Discarded read of /a" in execute(given, {"action": "discard", "targets": [["tools"]]})


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat", "openai_responses", "gemini", "mcp"])
def test_the_schema_names_both_tools_in_every_shape(format: str) -> None:
    text = json.dumps(SCHEMA[format])
    assert "context_prune" in text and "context_info" in text and "prefixItems" not in text


def test_calls_in_one_message_are_all_carried_out() -> None:
    calls = [{"type": "tool_use", "id": f"p{i}", "name": "context_prune",
              "input": {"action": "discard", "targets": [[id]]}} for i, id in enumerate((A, B))]  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": f"p{i}", "content": "ok"} for i in range(2)]
    whole = body(*START, {"role": "assistant", "content": calls}, {"role": "user", "content": results})
    assert sent(whole).count("you discarded it") == 2


@pytest.mark.parametrize("schedule", ["eager", "cache"])
def test_restoring_a_view_brings_back_all_parts_that_it_replaced(schedule: str) -> None:
    """The view cannot go before that; until then each request would be taken for one that breaks the cache."""
    lines = [f"    value_{n} = compute_{n}(first, second) or default_{n}" for n in range(60)]
    change = {"file_path": "/w/a.py", "old_string": lines[3], "new_string": "    pass"}
    start = [
        *call_and_result("anthropic_messages", "t1", "Read", {"file_path": "/w/a.py"}, numbered(lines)),
        *call_and_result("anthropic_messages", "t2", "Edit", change, "The file /w/a.py has been updated."),
        *call_and_result(
            "anthropic_messages",
            "t3",
            "Read",
            {"file_path": "/w/a.py"},
            numbered([*lines[:3], "    pass", *lines[4:]]),
        ),
        *read("/b"),
    ]
    folds = {"enabled": True, "share": 0, "least": 1}
    strategies = {"folded_views": folds, "asked": {"enabled": True}}
    pruner = Pruner(Settings(preset="off", schedule=schedule, strategies=strategies))
    folded = pruner.prune(body(*start), 0.0)
    [view] = [edit for edit in folded.edits if edit.covers]
    assert len(folded.edits) > 1
    name = pruner._conversations[-1].engine.view.names[view.target]
    restored = body(*start, *ask("restore", [name]))
    assert pruner.prune(restored, 5.0).body == restored
    further = body(*start, *ask("restore", [name]), *read("/c"))
    assert pruner.prune(further, 10.0).flush is None


def cut_reads(*messages: Any, settings: Settings = MANUAL) -> list[str]:
    """The files whose reads were cut."""
    outcome = prune(body(*messages), settings)
    assert outcome.error is None
    rows = outcome.body["messages"]
    cut = {edit.target.message for edit in outcome.edits if edit.strategy == "asked"}
    calls = {i + 1: block["input"] for i, row in enumerate(rows) for block in row["content"] if "input" in block}
    return [calls[i]["file_path"] for i in sorted(cut) if "file_path" in calls.get(i, {})]


def test_old_takes_what_the_content_type_guide_calls_disposable() -> None:
    """Reads of five turns ago and more, and not those of files that are being edited."""
    reads = [message for n in range(10) for message in read(f"/{n}")]
    edit = call_and_result(
        "anthropic_messages", "e", "Edit", {"file_path": "/1", "old_string": "a", "new_string": "b"}, "ok"
    )
    # The decision is made in turn 12, so the read of turn 8 is four turns old.
    assert cut_reads(*reads, *edit, *ask("discard", ["old"])) == ["/0", *(f"/{n}" for n in range(2, 7))]


def test_old_can_be_distilled_and_restored() -> None:
    reads = [message for n in range(8) for message in read(f"/{n}")]
    assert len(cut_reads(*reads, *ask("distill", ["old", "nothing of note"]))) == 4
    assert cut_reads(*reads, *ask("discard", ["old"]), *ask("restore", ["old"], id="p2")) == []


def test_content_of_a_red_item_cannot_be_discarded_and_the_answer_says_so() -> None:
    todos = [{"content": "🔴 CRITICAL: /a must keep its shape", "status": "pending"}]
    listed = call_and_result("anthropic_messages", "todo", "TodoWrite", {"todos": todos}, "ok")
    assert cut_reads(*START, *listed, *ask("discard", ["*"])) == ["/b", "/c"]
    words = execute(body(*START, *listed), {"action": "discard", "targets": [[A]]}, MANUAL)
    assert "Protected: read of /a (a 🔴 item of the todo list names it)." in words
    # Its id does as well as its path.
    todos = [{"content": f"🔴 CRITICAL: {B}", "status": "pending"}]
    listed = call_and_result("anthropic_messages", "todo", "TodoWrite", {"todos": todos}, "ok")
    assert cut_reads(*START, *listed, *ask("discard", ["*"])) == ["/a", "/c"]


def test_discarded_content_that_a_later_red_item_names_comes_back() -> None:
    todos = [{"content": "🔴 CRITICAL: /a", "status": "pending"}]
    listed = call_and_result("anthropic_messages", "todo", "TodoWrite", {"todos": todos}, "ok")
    eager = Settings(agent={"offer": "mcp"}, schedule="eager")
    pruner = Pruner(eager)
    asked = (*START, *ask("discard", [A]))
    assert pruner.prune(body(*asked), 0.0).edits
    after = pruner.prune(body(*asked, *listed), 1.0)
    assert after.edits == prune(body(*asked, *listed), eager).edits == ()

"""Reminders: due at exact turns, one at a time, and where they were said until a flush."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.schedule.ledger import Ledger
from prunus.schedule.pressure import ADVICE

Todo = list[tuple[str, str]]


def settings(**reminders: Any) -> Settings:
    return Settings(preset="off", schedule="cache", reminders=reminders)


def call(id: str, tool: str, arguments: Any, text: str) -> list[Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    said = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id, "type": "function", "function": function}],
    }
    return [said, {"role": "tool", "tool_call_id": id, "content": text}]


def history(turns: int, todos: dict[int, Todo], first: str = "Go.", size: int = 5) -> Iterator[list[Any]]:
    """The requests of a session: in some turns the todo list is written, in the others a file is read."""
    messages: list[Any] = [{"role": "user", "content": first}]
    yield list(messages)
    for turn in range(1, turns + 1):
        if turn in todos:
            rows = [{"content": name, "status": status} for name, status in todos[turn]]
            messages += call(f"t{turn}", "todowrite", {"todos": rows}, "ok")
        else:
            messages += call(f"t{turn}", "read", {"filePath": f"/{turn}"}, f"text {turn} " * size)
        yield list(messages)


def said(pruner: Pruner, requests: Iterator[list[Any]], model: str = "gpt-5") -> dict[int, str]:
    """What the newest message of each request says; the turn is the number of the request."""
    found = {}
    for turn, messages in enumerate(requests):
        outcome = pruner.prune({"model": model, "messages": messages}, 5.0 * turn)
        assert outcome.error is None
        told = re.search(r"\n\n\[Prunus reminder: (.*)\]$", outcome.body["messages"][-1]["content"])
        if told:
            found[turn] = told[1]
    return found


OPEN: Todo = [("Build", "completed"), ("Test", "pending")]


def test_the_todo_reminder_comes_at_the_threshold_and_then_repeats() -> None:
    found = said(Pruner(settings(todo=True)), history(20, {2: OPEN}))
    assert list(found) == [7, 11, 15, 19]
    assert found[7].startswith("the todo list has 1 open task and was not updated for 5 turns")


def test_an_update_starts_the_count_anew() -> None:
    assert list(said(Pruner(settings(todo=True)), history(20, {2: OPEN, 9: OPEN}))) == [7, 14, 18]


@pytest.mark.parametrize("done", ["completed", "cancelled"])
def test_no_reminder_is_given_when_all_tasks_are_done(done: str) -> None:
    assert said(Pruner(settings(todo=True)), history(20, {2: [("Build", done), ("Test", done)]})) == {}


def test_the_reminder_says_that_there_is_no_todo_list() -> None:
    found = said(Pruner(settings(todo=True)), history(14, {}))
    assert list(found) == [5, 9, 13]
    assert found[5].startswith("there is no todo list after 5 turns")


def test_how_full_the_context_is_goes_by_the_size_that_counts_as_full() -> None:
    found = said(Pruner(settings(todo=True, max_context=1000)), history(20, {2: OPEN}, size=40))
    shares = [int(re.search(r"Context pressure: (\d+)%\.$", words)[1]) for words in found.values()]  # type: ignore[index]
    assert 0 < shares[0] < shares[1] <= shares[-1] == 100
    plain = said(Pruner(settings(todo=True)), history(20, {2: OPEN}, size=40))
    assert list(plain) == list(found) and "Context pressure" not in str(plain)


def test_acp_has_the_defaults_of_the_seeds() -> None:
    reminders = Settings(preset="acp").reminders
    assert reminders.todo and reminders.reflection and not reminders.pressure
    numbers = reminders.todo_after, reminders.todo_every, reminders.stuck_after, reminders.reflection_after
    assert (*numbers, reminders.max_context) == (5, 4, 12, 8, 100_000)
    assert not any(Settings(preset=name).active_reminders() for name in ("auto", "smart", "off"))
    assert list(said(Pruner(Settings(preset="acp")), history(14, {2: OPEN}, "Use automata mode."))) == [7, 8, 11]


def test_no_reminder_is_given_when_reminders_are_off() -> None:
    assert said(Pruner(settings()), history(20, {2: OPEN})) == {}
    assert Settings().active_reminders() is None


def test_a_task_is_stuck_after_exactly_so_many_turns() -> None:
    running: Todo = [("Build it", "in_progress"), ("Test", "pending")]
    updates = dict.fromkeys(range(2, 30, 3), running)
    found = said(Pruner(settings(todo=True)), history(20, updates))
    assert list(found) == [14, 18]
    assert found[14].startswith('"Build it" has been in progress for 12 turns')


def test_the_longest_running_task_is_named() -> None:
    todos: dict[int, Todo] = {2: [("A", "pending"), ("B", "in_progress")]}
    todos |= {turn: [("A", "in_progress"), ("B", "in_progress")] for turn in range(5, 20, 3)}
    assert '"B"' in said(Pruner(settings(todo=True)), history(16, todos))[14]


def test_a_pause_starts_the_time_of_a_task_anew() -> None:
    todos = {turn: [("B", "pending" if turn == 8 else "in_progress")] for turn in range(2, 30, 3)}
    assert list(said(Pruner(settings(todo=True)), history(22, todos))) == []
    assert list(said(Pruner(settings(todo=True)), history(24, todos))) == [23]


@pytest.mark.parametrize("status", ["pending", "completed", ""])
def test_only_tasks_in_progress_are_stuck(status: str) -> None:
    todos: dict[int, Todo] = {turn: [("B", status), ("C", "pending")] for turn in range(2, 40, 3)}
    assert said(Pruner(settings(todo=True)), history(30, todos)) == {}


def test_zero_switches_the_stuck_task_off() -> None:
    todos: dict[int, Todo] = {turn: [("B", "in_progress")] for turn in range(2, 40, 3)}
    assert said(Pruner(settings(todo=True, stuck_after=0)), history(30, todos)) == {}


def test_the_reminder_of_a_full_window_is_repeated_when_it_gets_fuller() -> None:
    rules = Settings(preset="off", schedule="cache", window=10_000, reminders={"pressure": True})
    found = said(Pruner(rules), history(60, {}, size=50))
    assert 2 < len(found) < 15
    shares = [int(re.search(r"(\d+)% full", words)[1]) for words in found.values()]  # type: ignore[index]
    assert shares[0] >= 75 and all(later > earlier for earlier, later in pairwise(shares))


@pytest.mark.parametrize("schedule", ["cache", "eager"])
def test_the_advice_about_a_full_window_differs_by_level(schedule: str) -> None:
    reminders = {"pressure": True, "pressure_at": 0.3}
    rules = Settings(preset="off", schedule=schedule, window=10_000, reminders=reminders)
    found = said(Pruner(rules), history(60, {}, size=50))
    advised: dict[str, list[int]] = {}
    for words in found.values():
        share, advice = re.fullmatch(r"the context is (\d+)% full\. (.*)", words).groups()  # type: ignore[union-attr]
        advised.setdefault(advice, []).append(int(share))
    assert list(advised) == list(ADVICE.values())
    assert all(30 <= share < 50 for share in advised[ADVICE["light"]])
    assert all(50 <= share < 75 for share in advised[ADVICE["moderate"]])
    assert all(75 <= share < 90 for share in advised[ADVICE["high"]])
    assert all(share >= 90 for share in advised[ADVICE["critical"]])


def test_under_eager_pressure_the_level_follows_from_the_request_alone() -> None:
    reminders = {"pressure": True, "pressure_at": 0.3}
    rules = Settings(preset="acp", window=3_000, reminders=reminders)
    pruner = Pruner(rules)
    for messages in history(40, {2: OPEN}, size=300):
        body = {"model": "gpt-5", "messages": messages}
        for _ in range(2):
            assert pruner.prune(body, 0.0).body == Pruner(rules).prune(body, 0.0).body


def test_reflection_waits_for_its_word_whatever_its_case() -> None:
    rules = settings(reflection=True)
    assert list(said(Pruner(rules), history(20, {}, "Use AutoMata mode."))) == [8, 16]
    assert said(Pruner(rules), history(20, {})) == {}


def test_only_one_reminder_is_given_and_the_todo_list_comes_first() -> None:
    rules = settings(todo=True, reflection=True, reflection_after=7)
    found = said(Pruner(rules), history(20, {2: OPEN}, "automata"))
    assert found[7].startswith("the todo list")
    assert found[14].startswith("pause")


def test_a_reminder_stays_in_the_message_where_it_was_added() -> None:
    pruner = Pruner(settings(todo=True))
    last: list[Any] = []
    for messages in history(20, {2: OPEN, 12: OPEN}):
        outcome = pruner.prune({"model": "gpt-5", "messages": messages}, 0.0)
        assert outcome.body["messages"][: len(last)] == last
        assert outcome.flush is None
        last = outcome.body["messages"]
    assert json.dumps(last).count("[Prunus reminder: ") == 3


def test_a_flush_removes_the_reminder() -> None:
    rules = Settings(preset="off", schedule="cache", reminders={"todo": True})
    pruner = Pruner(rules)
    *_, after = history(12, {2: OPEN}, size=200)
    for messages in history(11, {2: OPEN}, size=200):
        outcome = pruner.prune({"model": "gpt-5", "messages": messages}, 0.0)
    assert "[Prunus reminder: " in json.dumps(outcome.body)
    outcome = pruner.prune({"model": "gpt-5", "messages": after}, 1e6)
    assert "[Prunus reminder: " not in json.dumps(outcome.body)
    assert outcome.flush is not None


def test_turns_and_loops_are_not_counted_differently() -> None:
    """Words that were added are no message, so ages do not change."""
    plain, reminded = Pruner(settings()), Pruner(settings(todo=True))
    for messages in history(20, {2: OPEN}):
        for pruner in (plain, reminded):
            pruner.prune({"model": "gpt-5", "messages": messages}, 0.0)
    one, other = (pruner._conversations[-1].engine.view for pruner in (plain, reminded))
    assert (one.turn, one.loop, one.turns) == (other.turn, other.loop, other.turns)


def test_a_reminder_is_recorded_in_the_ledger() -> None:
    pruner = Pruner(settings(todo=True))
    for messages in history(10, {2: OPEN}):
        outcome = pruner.prune({"model": "gpt-5", "messages": messages}, 0.0)
    ledger = pruner._conversations[-1].memo.ledger
    assert [edit.strategy for edit in ledger.edits] == ["reminders"]
    assert Ledger.load(ledger.dump()) == ledger
    assert outcome.receipts == ()
    assert outcome.report.tokens_after > outcome.report.tokens_before


def test_pruning_a_reminded_request_adds_nothing() -> None:
    *_, messages = history(10, {2: OPEN})
    once = Pruner(settings(todo=True)).prune({"messages": messages}).body
    assert Pruner(settings(todo=True)).prune(once).body == once


def test_a_reminder_stands_before_the_marker_that_ends_a_step_of_opencode() -> None:
    pruner = Pruner(settings(todo=True))
    messages: list[Any] = [{"info": {"id": "u", "role": "user"}, "parts": [{"type": "text", "text": "Go."}]}]
    reminded = []
    for turn in range(1, 21):
        state = {"status": "completed", "input": {"filePath": f"/{turn}"}, "output": f"text {turn}"}
        tool = {"type": "tool", "callID": f"c{turn}", "tool": "read", "state": state}
        parts = [{"type": "step-start"}, tool, {"type": "step-finish"}]
        messages.append({"info": {"id": f"m{turn}", "role": "assistant"}, "parts": parts})
        outcome = pruner.prune(messages, 5.0 * turn, format="opencode")
        assert outcome.error is None
        if "[Prunus reminder: " in outcome.body[-1]["parts"][1]["state"]["output"]:
            reminded.append(turn)
    assert reminded

"""What happens when the context runs short: what goes first, what stays, and what it costs."""

from __future__ import annotations

from typing import Any, Final

import pytest

from prunus import Outcome, Pruner, Settings, smart_tool_retention
from prunus.conversations.conversation import Loader
from prunus.schedule.pressure import DEPTH, Level
from tests.strategies.fillers import filler

LONG: Final = filler(120, "lines")
NOW: Final = {"schedules": {"cache": {"patience": 1e9}}, "strategies": {"under_pressure": {"enabled": True}}}
LEVELS: Final[dict[Level, float]] = {"light": 0.3, "moderate": 0.6, "high": 0.8, "critical": 0.95}


def step(number: int, tool: str, given: dict[str, Any], answer: str, error: bool = False) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": answer, "is_error": error}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def story(turns: int = 12) -> list[dict[str, Any]]:
    """A failed command in turn 1, a todo list in turn 2, then a result each turn; result n is message 2n."""
    todos = [{"content": f"{LONG} {n}", "status": "pending", "activeForm": "x"} for n in range(2)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Make it green. {LONG}"}]
    messages += step(1, "Bash", {"command": "make"}, f"Error: exit code 1\n{LONG}", error=True)
    messages += step(2, "TodoWrite", {"todos": todos}, f"Todos have been modified.\n{LONG}")
    for number in range(3, turns + 1):
        messages += step(number, "Lookup", {"n": number}, f"{number}\n{LONG}")
    return messages


def tokens_of(messages: list[dict[str, Any]]) -> int:
    return Pruner(Settings(preset="off")).prune({"messages": messages}).report.tokens_before


def pruned(
    messages: list[dict[str, Any]], share: float, sent: int = 0, earlier: Pruner | None = None, **values: Any
) -> tuple[Pruner, Outcome]:
    """Prune a request that fills this share of the window, after one with the first `sent` messages."""
    window = round(tokens_of(messages) / share)
    guards = {"unresolved_errors": {"turns": 0}}
    pruner = earlier or Pruner(Settings(**{"preset": "off", "guards": guards, "window": window, **NOW, **values}))
    if sent:
        assert pruner.prune({"messages": messages[:sent]}, 0.0).error is None
    outcome = pruner.prune({"messages": messages}, 0.0)
    assert outcome.error is None
    return pruner, outcome


def results(outcome: Outcome) -> list[int]:
    """The turns whose results were cut."""
    return [edit.target.message // 2 for edit in outcome.edits]


@pytest.mark.parametrize(
    ("level", "gone"),
    [("light", []), ("moderate", [1]), ("high", [1, *range(3, 8)]), ("critical", [1, *range(3, 12)])],
)
def test_temporary_parts_go_first_important_ones_last_and_critical_ones_never(
    level: Level, gone: list[int]
) -> None:
    """As much is wanted as can be had: the failed command, old results, recent ones; never todos nor the newest."""
    _, outcome = pruned(story(), LEVELS[level], pressure={"relief": 0.7})
    assert results(outcome) == gone
    assert DEPTH[level] or not outcome.edits


def test_pressure_removes_no_more_parts_than_needed() -> None:
    _, outcome = pruned(story(), LEVELS["critical"], pressure={"relief": 0.05, "high": 0.95, "critical": 0.95})
    assert results(outcome) == [1]


def test_a_part_cut_under_pressure_leaves_an_outline() -> None:
    _, outcome = pruned(story(), LEVELS["high"])
    words = outcome.body["messages"][2]["content"][0]["content"]
    assert words.startswith("Error: exit code 1\n")
    assert words.endswith("lines removed; call the tool again to see them.]")


def test_moderate_pressure_does_not_break_a_warm_cache() -> None:
    pruner, outcome = pruned(story(), LEVELS["moderate"], sent=15)
    # The first request was light, so the failed command was sent whole.
    assert outcome.edits == () and outcome.flush is None
    assert pruner._conversations[-1].engine.pending.gains


def test_high_pressure_breaks_the_cache_at_any_cost() -> None:
    _, outcome = pruned(story(), LEVELS["high"], sent=15)
    assert outcome.flush is not None and outcome.flush.reason.startswith("the context is ")
    assert outcome.flush.saved >= 0.05 * tokens_of(story()) / LEVELS["high"]


@pytest.mark.parametrize("relief", [0.02, 0.1, 0.2, 0.3])
def test_a_flush_under_pressure_frees_at_least_the_relief(relief: float) -> None:
    _, outcome = pruned(story(20), LEVELS["high"], sent=29, pressure={"relief": relief})
    assert outcome.flush is not None
    assert outcome.flush.saved >= relief * tokens_of(story(20)) / LEVELS["high"]


def test_a_flush_that_would_free_less_is_not_made_before_it_is_critical() -> None:
    messages = story(8)
    _, outcome = pruned(messages, LEVELS["high"], sent=15, pressure={"relief": 0.9})
    assert outcome.flush is None
    _, outcome = pruned(messages, 1.05, sent=11, pressure={"relief": 0.9})
    assert outcome.flush is not None


def test_tokens_that_new_messages_free_do_not_count_as_relief() -> None:
    """Of what was sent before only a little can go, however much can go of what is new."""
    messages = [*story(2), *step(3, "Lookup", {"n": 3}, "short")]
    sent = len(messages)
    for number in range(4, 12):
        messages += step(number, "Bash", {"command": f"make {number}"}, f"{number}\n{filler(2000, 'lines')}")
    strategies = {
        "under_pressure": {"enabled": True},
        "long_outputs": {"enabled": True, "at_once": True, "over": 30_000},
    }
    _, outcome = pruned(messages, 1.6, sent=sent, strategies=strategies, pressure={"relief": 0.4, "critical": 9.0})
    assert outcome.edits
    assert outcome.flush is None


def test_the_cache_is_left_alone_if_new_messages_free_enough() -> None:
    """The new results are older than the newest by then, since several turns came at once."""
    messages = story(30)
    _, outcome = pruned(messages, LEVELS["high"], sent=13, pressure={"relief": 0.05})
    assert len(results(outcome)) > 10
    assert outcome.flush is None


def test_edits_made_under_pressure_stay_when_the_pressure_is_gone() -> None:
    messages = story()
    pruner, outcome = pruned(messages, LEVELS["critical"], pressure={"relief": 0.7})
    before = results(outcome)
    after = pruner.prune({"messages": [*messages, *step(13, "Lookup", {"n": 13}, "short")]}, 1.0)
    engine = pruner._conversations[-1].engine
    assert engine.depth == ()
    assert results(after) == before and after.flush is None
    # Not even when the cache is cold, and all that is found could be made without loss.
    again = pruner.prune({"messages": [*messages, *step(13, "Lookup", {"n": 13}, "short")]}, 10_000.0)
    assert results(again) == before and again.flush is None


def test_a_trigger_on_historical_context_cuts_below_the_window() -> None:
    waiting = {"strategies": {"duplicate_calls": {"enabled": True}}, "window": 1_000_000}
    messages = story(6)
    for number in range(7, 17):
        messages += step(number, "Lookup", {"n": 3}, f"{number}\n{LONG}")
    for relief in (0.0005, 0.0):
        for trigger, made in (({}, False), ({"historical": 100}, True), ({"aggressive": 100}, True)):
            _, outcome = pruned(messages, 0.01, sent=31, **waiting, pressure={"relief": relief, **trigger})
            assert (outcome.flush is not None) is made
            if outcome.flush is not None:
                assert outcome.flush.reason.endswith("tokens of historical context")


def test_without_relief_no_more_goes_than_has_to() -> None:
    least, more = (
        pruned(story(20), LEVELS["high"], sent=29, pressure={"relief": relief})[1] for relief in (0, 0.2)
    )
    assert 0 < len(results(least)) < len(results(more))


def test_the_aggressive_trigger_cuts_as_deep_as_a_high_level() -> None:
    values: dict[str, Any] = {"window": 1_000_000}
    _, plain = pruned(story(), 0.01, **values, pressure={"relief": 0.001, "historical": 100})
    _, outcome = pruned(story(), 0.01, **values, pressure={"relief": 0.002, "aggressive": 100})
    assert results(plain) == []
    assert results(outcome) == [1, *range(3, 8)]


def thoughtful_story() -> list[dict[str, Any]]:
    """A story whose last five steps think at length."""
    messages = story(6)
    for number in range(7, 12):
        thought, *rest = step(number, "Lookup", {"n": number}, "short")
        words = [{"type": "thinking", "thinking": f"{number} {LONG}", "signature": "s" * 40}, *thought["content"]]
        messages += [{**thought, "content": words}, *rest]
    messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    return messages


def test_a_trigger_on_reasoning_cuts_below_the_window() -> None:
    messages = thoughtful_story()
    strategies = {"old_thinking": {"enabled": True, "turns": 1}}
    for relief in (0.0005, 0.0):
        for limit, made in ((1_000_000, False), (100, True)):
            pressure = {"relief": relief, "thinking": limit}
            _, outcome = pruned(messages, 0.01, sent=21, strategies=strategies, window=1_000_000, pressure=pressure)
            assert (outcome.flush is not None) is made


def test_free_edits_count_before_the_level_of_pressure_is_chosen() -> None:
    """What costs nothing to cut is gone already when it is asked how full the context is."""
    strategies = {"duplicate_calls": {"enabled": True}, "under_pressure": {"enabled": True}}
    messages = story(4)
    for number in range(5, 15):
        messages += step(number, "Lookup", {"n": 3}, f"{number}\n{LONG}")
    _, outcome = pruned(messages, LEVELS["high"], strategies=strategies)
    assert {edit.strategy for edit in outcome.edits} == {"duplicate_calls"}


def test_a_pruner_in_manual_mode_is_not_pressed() -> None:
    _, outcome = pruned(story(), LEVELS["critical"], schedule="manual")
    assert outcome.edits == ()


def test_edits_made_under_pressure_outlive_the_process() -> None:
    """Another process takes them over, though for it the context was never full."""
    messages = story()
    pruner, outcome = pruned(messages, LEVELS["critical"], pressure={"relief": 0.7})
    adopted, held = outcome.edits, pruner._conversations[-1]
    load = Loader(held.last)
    other = Pruner(pruner.settings)
    assert other.prune(held.last.body).error is None
    engine = other._conversations[-1].engine
    engine.take_over(adopted, load)
    with engine.at(load):
        engine.settle()
        engine.make(len(messages), 0, 0)
    assert set(engine.made.in_order()) == set(adopted)
    assert engine.pending.gains == {}


EAGER: Final = {"schedule": "eager"}


@pytest.mark.parametrize(
    ("level", "gone"),
    [("light", []), ("moderate", [1]), ("high", [1, *range(3, 8)]), ("critical", [1, *range(3, 12)])],
)
def test_under_eager_pressure_each_level_removes_the_same_parts(level: Level, gone: list[int]) -> None:
    _, outcome = pruned(story(), LEVELS[level], pressure={"relief": 0.7}, **EAGER)
    assert results(outcome) == gone


@pytest.mark.parametrize("sent", [0, 5, 15, 21])
def test_earlier_requests_change_nothing_under_eager_pressure(sent: int) -> None:
    for share in (0.3, 0.5, 0.6, 0.75, 0.8, 0.9, 0.95, 1.2):
        _, fresh = pruned(story(), share, **EAGER)
        _, grown = pruned(story(), share, sent=sent, **EAGER)
        assert grown.edits == fresh.edits and grown.body == fresh.body


def test_under_eager_pressure_parts_come_back_when_the_context_has_space_again() -> None:
    messages = story(8)
    values = {**EAGER, "strategies": {"duplicate_calls": {"enabled": True}, "under_pressure": {"enabled": True}}}
    for number, given, words in (
        (9, "same", filler(400, "lines")),
        (10, "same", "nothing any more"),
        (11, "other", "ok"),
    ):
        messages += step(number, "Lookup", {"n": given}, words)
    pruner, before = pruned(messages[:-4], 0.8, **values)
    assert results(before) == [1, 3, 4]
    after = pruner.prune({"messages": messages}, 0.0)
    assert [(edit.strategy, edit.target.message // 2) for edit in after.edits] == [
        ("under_pressure", 1),
        ("duplicate_calls", 9),
    ]


def test_an_answer_points_back_again_once_there_is_room() -> None:
    # Under pressure both reads went. With room again, the older one is shown and the newer one points to it.
    code = "\n".join(f"{n:6}\u2192def part_{n}(argument_{n}): return argument_{n} * {n}" for n in range(1, 200))
    short: list[dict[str, Any]] = []
    for number in range(4, 10):
        short += step(number, "Bash", {"command": f"echo {number}"}, "ok")
    full = [{"role": "user", "content": "Go on."}]
    full += step(1, "Read", {"file_path": "/a.py"}, code) + step(2, "Read", {"file_path": "/a.py"}, code)
    full += step(3, "Read", {"file_path": "/x.py"}, code.replace("part", "other") * 2) + short
    roomy = [*full, *step(10, "Write", {"file_path": "/x.py", "content": "x = 1\n"}, "ok"), *short]
    names = ("duplicate_calls", "repeated_views", "stale_reads", "under_pressure")
    strategies: dict[str, dict[str, bool]] = {name: {"enabled": True} for name in names}
    strategies["duplicate_calls"]["point_back"] = True
    settings = Settings(preset="off", schedule="eager", window=12_000, strategies=strategies)
    pruner = Pruner(settings)
    under_pressure = pruner.prune({"messages": full})
    assert [edit.strategy for edit in under_pressure.edits][-1] == "under_pressure"
    afterwards = pruner.prune({"messages": roomy})
    assert afterwards.body == Pruner(settings).prune({"messages": roomy}).body
    assert [(edit.target.message, edit.strategy) for edit in afterwards.edits] == [
        (4, "duplicate_calls"),
        (6, "stale_reads"),
    ]


def test_relief_of_zero_frees_as_little_as_needed_where_edits_are_made_at_once() -> None:
    _, least = pruned(story(20), LEVELS["high"], pressure={"relief": 0}, **EAGER)
    window = tokens_of(story(20)) / LEVELS["high"]
    assert results(least) and least.report.tokens_after < 0.75 * window
    _, more = pruned(story(20), LEVELS["high"], pressure={"relief": 0.4}, **EAGER)
    assert set(results(least)) <= set(results(more))
    # Enough is free once the failed command has gone, so no result goes.
    _, enough = pruned(story(20), 0.76, pressure={"relief": 0}, **EAGER)
    assert results(enough) == [1]


def test_the_flush_says_that_the_context_is_full() -> None:
    _, outcome = pruned(story(), LEVELS["high"], sent=15, **EAGER)
    assert outcome.flush is not None and outcome.flush.reason == "the context is 80% full"


def test_the_trigger_on_historical_context_takes_old_results_where_edits_are_made_at_once() -> None:
    values: dict[str, Any] = {"window": 1_000_000, **EAGER}
    for trigger in ("historical", "aggressive"):
        _, outcome = pruned(story(), 0.01, **values, pressure={"relief": 0.0, trigger: 1_000})
        assert results(outcome) == [1, *range(3, 8)]
        _, outcome = pruned(story(), 0.01, **values, pressure={"relief": 0.0, trigger: 100_000})
        assert results(outcome) == []


def test_the_trigger_on_reasoning_takes_reasoning_and_no_results_where_edits_are_made_at_once() -> None:
    messages = thoughtful_story()
    values: dict[str, Any] = {"window": 1_000_000, **EAGER}
    values["strategies"] = {"under_pressure": {"enabled": True, "thinking": True, "over": 5_000}}
    for limit, gone in ((100, [13, 15, 17, 19, 21]), (100_000, [])):
        _, outcome = pruned(messages, 0.01, **values, pressure={"relief": 0.0, "thinking": limit})
        assert [edit.target.message for edit in outcome.edits] == gone


def test_results_go_before_reasoning_where_edits_are_made_at_once() -> None:
    messages = story(10)
    messages[5]["content"] = [
        {"type": "thinking", "thinking": LONG, "signature": "s" * 40}, *messages[5]["content"]
    ]  # fmt: skip
    messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    strategies = {"under_pressure": {"enabled": True, "thinking": True}}
    for relief, kinds in ((0.0, {"Shorter"}), (0.7, {"Shorter", "Gone"})):
        _, outcome = pruned(messages, LEVELS["high"], strategies=strategies, pressure={"relief": relief}, **EAGER)
        assert {type(edit.replacement).__name__ for edit in outcome.edits} == kinds


def test_pressure_applies_to_a_projection() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Run it."}]
    for number in range(1, 9):
        call = {"id": f"c{number}", "type": "function"}
        call["function"] = {"name": "bash", "arguments": f'{{"command": "make {number}"}}'}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"{number}\n{filler(150, 'lines')}"}
        )
    window = round(tokens_of(messages) / 0.8)
    assert smart_tool_retention(settings=Settings(window=10 * window))(messages) == messages
    cut = smart_tool_retention(settings=Settings(window=window))(messages)
    changed = [after["content"] for before, after in zip(messages, cut, strict=True) if before != after]
    assert changed and all("... [truncated: " in words for words in changed)
    # What came before is no reason to cut more or less.
    growing = smart_tool_retention(settings=Settings(window=window))
    assert [growing(messages[:end]) for end in range(1, len(messages) + 1)][-1] == cut

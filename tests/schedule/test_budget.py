"""What fills the context: every token belongs to one category."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given

from prunus import Pruner, Settings
from prunus.conversations.conversation import Conversation, Loader
from prunus.schedule.budget import CATEGORIES, Budget, Category, budget, headroom, thinking_tokens
from tests.generate.build import sessions
from tests.generate.encode import encode
from tests.generate.render import render
from tests.generate.session import Session
from tests.laws.cases import every_format, fewer
from tests.strategies.fillers import filler

LONG = filler(60, "lines")


def known(body: Any, settings: Settings, format: str | None = None) -> Conversation:
    """A conversation that has taken in one request, and can be asked about it."""
    pruner = Pruner(settings)
    assert pruner.prune(body, 0.0, format=format).error is None
    conversation = pruner._conversations[-1]
    conversation.engine.view.look_at(Loader(conversation.last))
    return conversation


@every_format
@pytest.mark.parametrize("preset", ["off", "auto"])
@fewer
@given(session=sessions())
def test_the_categories_sum_to_the_tokens_of_the_request(format: str, preset: str, session: Session) -> None:
    one = known(encode(render(session, format)), Settings(preset=preset), format)
    engine = one.engine
    rows = budget(engine.view, one.around_tokens, engine.saved_of)
    assert tuple(rows) == tuple(CATEGORIES)
    assert sum(rows.values()) == one.around_tokens + engine.tokens


def call(
    number: int, tool: str, given: dict[str, Any], answer: str, *before: dict[str, Any]
) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": answer}
    return [{"role": "assistant", "content": [*before, use]}, {"role": "user", "content": [result]}]


def filled(*messages: dict[str, Any], system: str = "") -> dict[Category, int]:
    body = {"system": system, "messages": [{"role": "user", "content": "Go."}, *messages]}
    one = known(body, Settings(preset="off"))
    return budget(one.engine.view, one.around_tokens, one.engine.saved_of)


def fillers(first: int, count: int = 6) -> list[dict[str, Any]]:
    return [part for n in range(first, first + count) for part in call(n, "Lookup", {"n": n}, "ok")]


def todos(number: int) -> list[dict[str, Any]]:
    list_ = [{"content": LONG, "status": "pending", "activeForm": "x"}]
    return call(number, "TodoWrite", {"todos": list_}, "Todos have been modified.")


LOOKUP = call(1, "Lookup", {"n": 1}, LONG)
READ = call(1, "Read", {"file_path": "a.py"}, LONG)
THINKS = {"type": "thinking", "thinking": LONG, "signature": "s"}
ANSWER = {"role": "assistant", "content": LONG}
ASKS = {"role": "user", "content": "And now?"}


@pytest.mark.parametrize(
    ("messages", "category"),
    [
        (LOOKUP, "recent results"),
        ([*LOOKUP, *fillers(2, 4)], "recent results"),
        ([*LOOKUP, *fillers(2, 5)], "historical"),
        (READ, "current files"),
        ([*READ, *fillers(2)], "historical"),
        ([*READ, *fillers(2), *call(9, "Edit", {"file_path": "a.py", "old_string": "a"}, "ok")], "current files"),
        ([*todos(1), *fillers(2)], "todos"),
        ([*todos(1), *fillers(2), *call(9, "TodoWrite", {"todos": []}, "ok")], "historical"),
        ([{"role": "user", "content": LONG}, *fillers(2)], "working memory"),
        ([*call(1, "Lookup", {}, "ok", THINKS), *fillers(2)], "working memory"),
        ([*call(1, "Lookup", {}, "ok", THINKS), ANSWER, ASKS, *fillers(2)], "historical"),
        ([ANSWER, ASKS], "working memory"),
        ([ANSWER, ASKS, *fillers(2)], "historical"),
    ],
)
def test_each_long_part_belongs_to_a_category(messages: list[dict[str, Any]], category: Category) -> None:
    rows = filled(*messages)
    del rows["system"]
    assert max(rows, key=lambda name: rows[name]) == category


def test_system_text_and_tools_are_a_category_of_their_own() -> None:
    assert filled(system=LONG)["system"] > filled()["system"] + 100


def test_tokens_that_an_edit_removed_do_not_count() -> None:
    body = {"messages": [ASKS, *call(1, "Lookup", {}, LONG), *fillers(2), *call(9, "Lookup", {}, LONG)]}
    settings = Settings(preset="off", schedule="eager", strategies={"duplicate_calls": {"enabled": True}})
    one = known(body, settings)
    engine = one.engine
    saved = sum(edit.saved for edit in engine.made.in_order())
    whole, left = (budget(engine.view, 0, *by)["historical"] for by in ((), (engine.saved_of,)))
    assert whole - left == saved > 0


def test_reasoning_is_counted_wherever_it_stands() -> None:
    messages = [ASKS, *call(1, "Lookup", {}, "ok", THINKS), ANSWER, ASKS, *call(2, "Lookup", {}, "ok", THINKS)]
    one = known({"messages": messages}, Settings(preset="off"))
    [first, second] = (
        thinking_tokens(known({"messages": part}, Settings(preset="off")).engine.view)
        for part in (messages[:3], messages)
    )
    assert second == 2 * first > 0
    assert thinking_tokens(one.engine.view, lambda ref: 10) == second - 20


SEED = {
    "system": 5_000, "todos": 2_000, "current files": 10_000, "recent results": 15_000, "working memory": 20_000,
    "historical": 76_000,
}  # fmt: skip


def test_the_default_budget_is_that_of_the_seed() -> None:
    assert Budget().allowed(128_000) == SEED
    assert sum(SEED.values()) == Budget().total(128_000) == 128_000


@pytest.mark.parametrize("window", [64_000, 256_000, 1_000_000])
def test_for_another_window_the_shares_are_the_same(window: int) -> None:
    allowed = Budget().allowed(window)
    assert allowed == {name: round(tokens * window / 128_000) for name, tokens in SEED.items()}


def test_every_number_can_be_set() -> None:
    names = [field.name for field in dataclasses.fields(Budget)]
    for name in names:
        other = Settings(budget={name: 0.5 if name == "share" else 1_000}).active_budget()
        assert other.allowed(128_000) != SEED


def test_the_headroom_is_the_unused_part_of_the_share() -> None:
    """The seed: a budget of 140k is 70 % of 200k; 60k to 80k of history leave as much for what is new."""
    smart = Settings.preset("smart").active_budget()
    assert smart.total(200_000) == 140_000
    assert headroom(80_000, 200_000, smart) == (
        "Budget: 140,000 tokens (70% of the window), 60,000 left before a summary."
    )
    assert headroom(150_000, 200_000, smart).endswith("10,000 over it, a summary is due.")
    assert Settings().active_budget().total(200_000) == 200_000

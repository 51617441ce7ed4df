"""Purse: wherever a conversation ends, pruning has cost at most the stake more than not pruning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.clients.sessions import Session
from prunus.lab.cost import is_cold
from prunus.lab.policy import Unpruned
from prunus.lab.replay import Replay, replay
from prunus.schedule.prices import NAMED_ROWS, Price, price_of, request_cost
from tests.generate.build import words
from tests.lab.talk import Step, anthropic

STAKE: Final = 0.02
ROUNDING: Final = 0.001
PRICES: Final = {
    **{name: NAMED_ROWS[name] for name in ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")},
    "tier": Price(0.1, 1.25, 300, 0, tier=6_000, tier_factor=2.0),
    "minimum": price_of("claude-opus-4-5"),
}
every_price = pytest.mark.parametrize("name", list(PRICES))


class Auto:
    """The preset, told its price, with a window that never fills."""

    name = "auto"
    declared = ""

    def __init__(self, price: Price, **cache: Any) -> None:
        row = {"model": "*", "read": price.read, "write": price.write, "ttl": price.ttl}
        tier = {"tier": price.tier, "tier_factor": price.tier_factor} if price.tier else {}
        self._settings = Settings(
            preset="auto",
            window=10_000_000,
            prices=[] if price.minimum else [{**row, **tier}],
            schedules={"cache": {"patience": 0.5, "stake": STAKE, **cache}},
            strategies={"duplicate_calls": {"point_back": True}},
        )

    def start(self) -> Auto:
        self._pruner = Pruner(self._settings)
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        outcome = self._pruner.prune(body, now)
        assert outcome.error is None
        self.declared = outcome.flush.reason if outcome.flush else ""
        return outcome.body


SIZES: Final = (5, 40, 200, 1_500)
steps = st.lists(
    st.tuples(st.sampled_from(("shell", "read", "edit", "again")), st.integers(0, 2), st.sampled_from(SIZES)),
    min_size=5,
    max_size=40,
)
gaps = st.lists(st.sampled_from((5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 1000.0, 9000.0)), min_size=45, max_size=45)


def talk(drawn: Sequence[tuple[str, int, int]], pauses: Sequence[float] = ()) -> Session:
    """A session of commands, reads and edits."""
    told: list[Step] = []
    for number, (kind, which, size) in enumerate(drawn):
        path, text = f"/srv/app/part{which}.py", words(number, size)
        match kind:
            case "shell":
                told.append(("Bash", {"command": f"make {number}"}, text))
            case "again":
                told.append(("Bash", {"command": f"make {which}"}, words(which, size)))
            case "read":
                told.append(("Read", {"file_path": path}, text))
            case _:
                given = {"file_path": path, "old_string": text, "new_string": text.upper()}
                told.append(("Edit", given, "The file has been updated."))
    times = list(accumulate(pauses[: len(told) + 1])) if pauses else None
    return anthropic(told, times)


def costs(replayed: Replay, price: Price) -> list[float]:
    """What had been paid after each request."""
    paid = (request_cost(price, one.tokens, 0 if is_cold(one, price) else one.cached) for one in replayed.requests)
    return list(accumulate(paid))


def dearest(session: Session, price: Price, **cache: Any) -> float:
    """The cost against no pruning at the worst end that the conversation could have."""
    # The shortest prefix that is cached cannot be set: 4,096 tokens for one of these models, 64 for the other.
    session = replace(session, model="claude-opus-4-5" if price.minimum else "deepseek-v3")
    whole = costs(replay(session, Unpruned()), price)
    pruned = costs(replay(session, Auto(price, **cache)), price)
    return max(one / other for one, other in zip(pruned, whole, strict=True))


@every_price
@settings(max_examples=12)
@given(drawn=steps, pauses=gaps)
def test_a_conversation_costs_at_most_the_stake_more_wherever_it_ends(
    name: str, drawn: list[tuple[str, int, int]], pauses: list[float]
) -> None:
    assert dearest(talk(drawn, pauses), PRICES[name]) <= 1 + STAKE + ROUNDING


LATE: Final = [("shell", 0, 5)] * 60 + [("shell", 0, 200)] * 40
"""Little was paid for many short requests, so little may be risked when the large ones come."""


@every_price
def test_a_conversation_that_grows_late_does_not_overdraw(name: str) -> None:
    assert dearest(talk(LATE), PRICES[name]) <= 1 + STAKE + ROUNDING


def test_without_a_purse_the_law_can_be_broken() -> None:
    assert dearest(talk(LATE), PRICES["0.1/1.25"], stake=100.0) > 1.2


def test_the_law_is_not_kept_by_doing_nothing() -> None:
    price = PRICES["0.5/1.0"]
    session = replace(talk([("shell", 0, 200)] * 40), model="deepseek-v3")
    pruned, whole = (costs(replay(session, policy), price)[-1] for policy in (Auto(price), Unpruned()))
    assert pruned < 0.7 * whole

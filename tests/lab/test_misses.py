"""Why recorded sessions write to the prompt cache."""

from __future__ import annotations

from prunus.lab.cost import cache_writes
from prunus.lab.replay import Replay, Sent
from prunus.schedule.prices import Price

PRICE = Price(0.1, 1.25, 300, 0)


def sent(tokens: int, cached: int, broken: int = 0, gap: float = 10.0, declared: str = "") -> Sent:
    return Sent((), tokens, cached, broken, gap, declared)


def test_each_written_token_has_one_reason() -> None:
    requests = (
        sent(1_000, 0),
        sent(1_500, 1_000),
        sent(2_000, 1_500, gap=900.0),
        sent(1_600, 600, broken=1_400, declared="worth it"),
        sent(1_700, 400, broken=1_200),
        sent(1_800, 0, broken=1_700),
    )
    written = cache_writes(Replay("auto", requests), PRICE)
    assert written == {
        "first": (1, 1_000),
        "new": (5, 500 + 500 + 0 + 100 + 100),
        "expired": (1, 1_500),
        "cut": (1, 1_000),
        "forked": (1, 1_200),
        "prompt": (1, 1_700),
    }
    cold = requests[2].cached
    assert sum(tokens for _, tokens in written.values()) == sum(one.tokens - one.cached for one in requests) + cold

"""What requests cost at a provider with a prompt cache: the figures that `prunus stats` has to match."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

from prunus.schedule.prices import Price
from tests.upstream.model import Request
from tests.upstream.prefix import Cache, chain
from tests.upstream.values import Usage
from tests.upstream.wires import WIRES

__all__ = ["Bill", "alone", "billed", "unpruned"]


@dataclass(frozen=True, slots=True)
class Bill:
    """The sums over the requests of conversations; titles and the like are not pruned or counted."""

    tokens: int
    cost: float
    """In uncached input tokens."""


def billed(requests: Sequence[Request], price: Price, *, writes: bool = False) -> Bill:
    """What the provider has charged for the requests that it saw.

    With `writes`, it charges for cache writes in every format, as Prunus assumes of a model that it does not know.
    """
    format = "anthropic_messages" if writes else requests[0].format
    return _sum(format, [(request.usage, _life(request)) for request in requests if _counts(request)], price)


def unpruned(format: str, bodies: Iterable[bytes], price: Price, times: Iterable[float] | None = None) -> Bill:
    """What the provider would have charged for these bodies, had it seen them and nothing else."""
    return _sum(
        format,
        [(request.usage, _life(request)) for request in alone(format, bodies, times) if _counts(request)],
        price,
    )


def alone(format: str, bodies: Iterable[bytes], times: Iterable[float] | None = None) -> list[Request]:
    """These bodies with what the provider would have counted, had it seen them and nothing else.

    Without `times`, no cache expires.
    """
    wire, cache, found = WIRES[format], Cache(), []
    for number, (raw, now) in enumerate(zip(bodies, repeat(0.0) if times is None else times, strict=False)):
        body = json.loads(raw)
        usage, _ = cache.send(number, chain(wire, body), life=wire.lifetime(body), now=now)
        found.append(Request(number, format, "", {}, raw, usage=usage))
    return found


def _counts(request: Request) -> bool:
    wire, body = WIRES[request.format], request.body
    return bool(wire.tools(body) or wire.past(body).ids)


def _life(request: Request) -> float:
    return WIRES[request.format].lifetime(request.body)


def _sum(format: str, usages: Iterable[tuple[Usage, float]], price: Price) -> Bill:
    tokens, cost = 0, 0.0
    for usage, life in usages:
        # Only Anthropic says what it has written to the cache, and charges for it: more for an hour.
        write = price.write if format == "anthropic_messages" else 1.0
        write = price.long_write or write if life > price.ttl else write
        tokens += usage.input
        cost += usage.fresh + usage.read * price.read + usage.written * write
    return Bill(tokens, cost)

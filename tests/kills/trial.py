"""One conversation during which something breaks, and what the provider saw of it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from prunus.schedule.ledger import Flush
from prunus.store import Store, StoreError
from tests.kills.cluster import Cluster, Sent
from tests.kills.harm import Harm
from tests.laws.test_replicas import stepwise
from tests.proxy.breaks import first_change
from tests.proxy.caller import PATIENCE

_BRIEFLY = 3.0
"""Seconds in which a replica that lives writes what it has recorded."""


@dataclass(frozen=True)
class Trial:
    """What came of one conversation."""

    harm: str
    sent: tuple[Sent, ...]
    bodies: int
    """Requests that reached the provider; a request that was sent twice counts twice."""
    declared: int
    """Cache breaks that the ledger tells of."""
    as_it_came: int
    """Cache breaks by a request that left as it came, and by the one after it."""
    undeclared: tuple[str, ...]
    """All other changes of what the provider had seen."""
    unrecorded: int
    """Answered requests of which the store has no numbers."""
    without_receipt: int
    """Edits in the ledger without a receipt."""


def run_trial(cluster: Cluster, store: Store, harm: Harm, number: int, most: int | None = None) -> Trial:
    """Send a conversation request by request. Something breaks during one request, and is mended some later.

    Of the requests of the conversation, at most `most` are sent.
    """
    bodies = [_named(body, f"trial {number}") for body in stepwise(number)[:most]]
    before, logged = len(cluster.upstream.seen), [len(one.lines()) for one in cluster.replicas]
    first = cluster.chance.randrange(3, 9)
    last = first + cluster.chance.randrange(1, 6)
    sent = [cluster.send(body) for body in bodies[:first]]
    with harm(cluster):
        sent += [cluster.send(body) for body in bodies[first:last]]
    sent += [cluster.send(body) for body in bodies[last:]]
    seen = cluster.upstream.seen[before:]
    # What a killed replica had not written yet does not come any more.
    patience = _BRIEFLY if "replica" in harm.__name__ else PATIENCE
    told = _told(cluster, logged, len(sent), patience)
    names = {line["conversation"] for line in told}
    recorded = _recorded(store, names, len(told), patience)
    declared, as_it_came, undeclared = _breaks(sent, seen, _flushes(store, names))
    return Trial(
        harm.__name__,
        tuple(sent),
        len(seen),
        declared,
        as_it_came,
        tuple(undeclared),
        len(told) - recorded,
        sum(_without_receipt(store, name) for name in names),
    )


def _told(cluster: Cluster, known: Sequence[int], wanted: int, patience: float) -> list[dict[str, Any]]:
    """The answered requests that the replicas have pruned, as their logs tell. A killed replica tells less."""
    until = time.monotonic() + patience
    while True:
        lines = [line for one, old in zip(cluster.replicas, known, strict=True) for line in one.lines()[old:]]
        told = [line for line in lines if line.get("event") == "request" and line["status"] == 200]
        if len(told) >= wanted or time.monotonic() > until:
            break
        time.sleep(0.05)
    return [line for line in told if "conversation" in line]


def _named(body: bytes, name: str) -> bytes:
    """A request of a conversation that begins like no other."""
    told: dict[str, Any] = json.loads(body)
    told["messages"][0]["content"] += f" This is {name}."
    return json.dumps(told).encode()


def _breaks(
    sent: Sequence[Sent], seen: Sequence[tuple[float, bytes]], flushes: Sequence[Flush]
) -> tuple[int, int, list[str]]:
    """The changes of what the provider had seen: declared ones, those of whole requests, and all others."""
    given = {one.body for one in sent}
    declared = as_it_came = 0
    undeclared = []
    for (_, older), (came, newer) in pairwise(seen):
        changed = first_change(older, newer)
        if changed is None:
            continue
        begun = max(one.time for one in sent if one.time <= came)
        cuts = [one.cut for one in flushes if begun <= one.time <= came]
        if any(cut <= changed for cut in cuts):
            declared += 1
        elif given & {older, newer}:
            as_it_came += 1
        else:
            number = next(n for n, one in enumerate(sent) if one.time == begun)
            undeclared.append(f"request {number} changes message {changed}; declared were {cuts}")
    return declared, as_it_came, undeclared


def _flushes(store: Store, names: set[str]) -> list[Flush]:
    memory = store.memory("")
    memos = [memory.load(name) for name in names]
    found = [flush for memo in memos if memo is not None for flush in memo.ledger.flushes]
    return found + [one.flush for name in names for one in store.exchanges("", name) if one.flush is not None]


def _recorded(store: Store, names: set[str], wanted: int, patience: float) -> int:
    """How many answered requests the store knows, once it knows all that are wanted."""
    found, until = 0, time.monotonic() + patience
    while found < wanted and time.monotonic() < until:
        with suppress(StoreError):
            found = sum(one.status == 200 for name in names for one in store.exchanges("", name))
        time.sleep(0.05)
    return found


def _without_receipt(store: Store, name: str) -> int:
    memo = store.memory("").load(name)
    if memo is None:
        return 0
    known = {(one.message, one.part) for one in store.receipts("", name)}
    return sum((edit.target.message, edit.target.part) not in known for edit in memo.ledger.edits)

"""Tables that others have published and that need no model, on our recorded sessions.

    python bench/published.py

1. arXiv 2603.09023 (Pichay): what share of the input is waste, and how often what was evicted is asked for again.
2. arXiv 2601.06007 (Don't Break the Cache): what prompt caching alone saves.
3. langchain#37815: how many bytes an edit frees, and how many tokens are written to the cache again because of it.
4. arXiv 2508.21433 (The Complexity Trap): what masking all but the newest 10 results costs.

Writes bench/results/published.json; docs/figures.py puts the tables on docs/published.md, beside the figures of the
others. Conversations of at least 15 requests of six agents, as in bench/lab.py.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from measured import NOTHING, RESULTS, SHORTEST, pieces, recordings
from usage import show_help

from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Touch
from prunus.clients.sessions import Session
from prunus.history import Call, Result
from prunus.lab.cost import cost, events, is_cold
from prunus.lab.peers import LangChain, missing
from prunus.lab.policy import Clear, Mask, Policy, Pruned, Results, Unpruned
from prunus.lab.pool import spread
from prunus.lab.replay import Reader, Replay, Sheet, replay, shown_text
from prunus.lab.retention import Needs, retention
from prunus.providers import provider_named
from prunus.schedule.prices import NAMED_ROWS, Price

LEAST = 500
"""Bytes of the shortest result that is evicted."""
AGES = {"4 user turns": (4, None), "20 requests": (None, 20), "40 requests": (None, 40)}
"""How old a result is when it is evicted: in messages of the user, or in requests."""
OUTPUT = 5.0
"""Price of an output token, relative to uncached input, as in lab/cost.py."""
UNCACHED = Price(1.0, 1.0, 300, 0)
ROWS = {
    "no cache": UNCACHED,
    **{name: NAMED_ROWS[name] for name in ("0.5/1.0", "0.1/1.0", "0.1/1.25", "0.025/1.25")},
}
WARM = NAMED_ROWS["0.1/1.25"]
PEERS: tuple[Policy, ...] = () if missing("langchain") else (LangChain(),)
"""The rule that the issue of langchain is about, where langchain is installed (`make bench` installs it)."""


@dataclass(frozen=True, slots=True)
class Evict:
    """Evicts results of at least `LEAST` bytes by age, at every request and for good."""

    age: str

    @property
    def name(self) -> str:
        return f"evict after {self.age}"

    def start(self) -> _Evicting:
        return _Evicting(*AGES[self.age])


class _Evicting:
    declared: str = ""

    def __init__(self, turns: int | None, requests: int | None) -> None:
        self._turns, self._requests = turns, requests
        self._results = Results()
        self._born: dict[int, tuple[int, int]] = {}
        self._turn = self._request = 0
        self.evicted: list[frozenset[str]] = []
        """The ids of the results that each request does not show."""

    def __call__(self, body: Any, now: float | None) -> Any:
        results = self._results
        self._request += 1
        for index, message in results.take(body):
            self._turn += message.spoken
            self._born[index] = (self._turn, self._request)
        gone = []
        for place in results.places:
            turn, request = self._born[place.message]
            old = (self._turns is not None and self._turn - turn >= self._turns) or (
                self._requests is not None and self._request - request >= self._requests
            )
            if old and len(place.result.text.encode()) >= LEAST:
                results.replace(place, "[evicted]")
                gone.append(place.result.id)
        self.evicted.append(frozenset(gone))
        return results.body(body)


class _Started:
    """A policy of which one state is kept, so that the bench can look at it afterwards."""

    def __init__(self, policy: Evict) -> None:
        self.name = policy.name
        self.state = policy.start()

    def start(self) -> _Evicting:
        return self.state


@dataclass(frozen=True, slots=True)
class Eviction:
    """What came of evicting by age; sums over conversations."""

    evictions: int = 0
    """Results that were evicted, each counted once."""
    hidden: int = 0
    """The same counted at every request that does not show them."""
    faults: int = 0
    """Evicted results that a later call asks for again: the same file and lines, or the same command or search."""
    unchanged: int = 0
    """Those of them whose file no call has changed by name since."""
    lost: int = 0
    """Requests whose answer edits lines that the full history showed and the request did not."""
    requests: int = 0
    tokens: int = 0
    unpruned_tokens: int = 0
    cost: float = 0.0
    unpruned_cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Waste:
    """Tokens of all requests together, and those that a reader could call waste."""

    tokens: int = 0
    duplicates: int = 0
    """Results with the text of an earlier one."""
    stale_turns: int = 0
    """Results that are four messages of the user old."""
    stale_requests: int = 0
    """Results that are 20 requests old."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One request in which a policy changed something that was cached."""

    results: int
    """Results that look different from the request before."""
    freed: int
    """Bytes that the request is shorter for it."""
    rewritten: int
    """Tokens behind the change, which are written to the cache again."""
    place: float
    """Where in the request before the first change lies, as a share of its tokens."""


@dataclass(frozen=True, slots=True)
class Published:
    """What one conversation adds."""

    agent: str
    requests: int
    output: int
    waste: Waste
    evictions: Mapping[str, Eviction]
    costs: Mapping[str, Mapping[str, float]]
    """Policy, then price."""
    hops: Mapping[str, tuple[Hop, ...]]


def measure(path: Path) -> tuple[Published, ...]:
    return tuple(_measured(one) for one in pieces(path) if len(one.requests) >= SHORTEST)


def _measured(one: Session) -> Published:
    reader = Reader(provider_named(one.format))
    needs, base = Needs(one, reader), replay(one, Unpruned(), reader)
    costs: dict[str, dict[str, float]] = {"none": {row: cost(base, price).cost for row, price in ROWS.items()}}
    hops: dict[str, tuple[Hop, ...]] = {}
    for policy in (Mask(10), Mask(10, 30_000), Clear(100_000, 3), *PEERS):
        sent = replay(one, policy, reader)
        costs[policy.name] = {row: cost(sent, price).cost for row, price in ROWS.items()}
        hops[policy.name] = tuple(_hops(base, sent))
    costs["auto"] = {}
    for row, price in ROWS.items():
        auto: Policy = Pruned("auto", "auto", "cache", price)
        sent = replay(one, auto, reader)
        costs["auto"][row] = cost(sent, price).cost
        if price is WARM:
            hops["auto"] = tuple(_hops(base, sent))
    evictions = {age: _evicted(one, Evict(age), reader, needs, base) for age in AGES}
    output = sum(
        reader.sheet(message).tokens
        for message in one.messages
        if provider_named(one.format).parse(message, b"").role == "assistant"
    )
    waste = _waste(one, reader, base)
    return Published(one.agent, len(one.requests), output, waste, evictions, costs, hops)


def _hops(base: Replay, sent: Replay) -> Iterator[Hop]:
    """The requests that break a warm cache which the unpruned request would not break."""
    pairs = zip(base.requests, sent.requests, strict=True)
    for number, (full, now) in enumerate(pairs):
        if not number or now.broken <= 0 or full.broken > 0 or is_cold(now, WARM):
            continue
        before = sent.requests[number - 1]
        grown = sum(map(_bytes, full.sheets)) - sum(map(_bytes, base.requests[number - 1].sheets))
        freed = sum(map(_bytes, before.sheets)) + grown - sum(map(_bytes, now.sheets))
        changed = sum(
            isinstance(old.part, Result) and old.number != new.number
            for left, right in zip(before.sheets, now.sheets, strict=False)
            for old, new in zip(left.forms, right.forms, strict=False)
        )
        yield Hop(changed, freed, now.tokens - now.cached, now.cached / before.tokens)


def _bytes(sheet: Sheet) -> int:
    return sum(len(shown_text(form.part).encode(errors="replace")) for form in sheet.forms)


def _evicted(one: Session, policy: Evict, reader: Reader, needs: Needs, base: Replay) -> Eviction:
    kept = _Started(policy)
    sent = replay(one, kept, reader)
    state = kept.state
    faults, unchanged = _faults(one, state.evicted)
    return Eviction(
        len(frozenset().union(*state.evicted)),
        sum(map(len, state.evicted)),
        faults,
        unchanged,
        events(retention(needs, sent).lost),
        len(one.requests),
        sum(request.tokens for request in sent.requests),
        sum(request.tokens for request in base.requests),
        cost(sent, WARM).cost,
        cost(base, WARM).cost,
    )


def _faults(one: Session, evicted: Sequence[frozenset[str]]) -> tuple[int, int]:
    """Evicted results that a later call asks for again, and those whose file has not changed since."""
    format, toolbox = provider_named(one.format), Toolbox()
    calls: list[tuple[int, Call]] = []
    ends = (*one.requests[1:], len(one.messages))
    for request, (start, end) in enumerate(zip(one.requests, ends, strict=True)):
        for message in one.messages[start:end]:
            calls += [(request, part) for part in format.parse(message, b"").parts if isinstance(part, Call)]
    first = [part for m in one.messages[: one.requests[0]] for part in format.parse(m, b"").parts]
    calls = [*((-1, part) for part in first if isinstance(part, Call)), *calls]
    shown: dict[str, tuple[str, tuple[Touch, ...]]] = {}
    changed: dict[str, int] = {}
    asked: dict[str, bool] = {}
    order: dict[str, int] = {}
    for number, (request, call) in enumerate(calls):
        meaning = toolbox.meaning(call.tool, call.input)
        reads = tuple(touch for touch in meaning.touches if touch.kind == "read")
        gone = evicted[request] if request >= 0 else frozenset()
        for id, (key, spans) in shown.items():
            if id not in gone or id in asked:
                continue
            again = [
                a
                for a in spans
                for b in reads
                if a.path == b.path and (a.span.covers(b.span) or b.span.covers(a.span))
            ]
            if again or (not spans and key and key == meaning.key):
                asked[id] = all(changed.get(normalise(touch.path), -1) < order[id] for touch in again)
        for touch in meaning.touches:
            if touch.kind != "read":
                changed[normalise(touch.path)] = number
        order[call.id] = number
        shown[call.id] = (meaning.key, reads)
    return len(asked), sum(asked.values())


def _waste(one: Session, reader: Reader, base: Replay) -> Waste:
    tokens: Counter[str] = Counter(tokens=sum(request.tokens for request in base.requests))
    born: dict[int, tuple[int, int]] = {}
    twice: set[int] = set()
    texts: set[str] = set()
    turn = read = 0
    format = provider_named(one.format)
    for number, end in enumerate(one.requests):
        for message in one.messages[read:end]:
            turn += format.parse(message, b"").spoken
            for form in reader.sheet(message).forms:
                if isinstance(form.part, Result) and len(form.part.text.encode(errors="replace")) >= LEAST:
                    born[form.number] = (turn, number)
                    if form.part.text in texts:
                        twice.add(form.number)
                    texts.add(form.part.text)
        read = end
        for sheet in base.requests[number].sheets:
            for form in sheet.forms:
                if form.number not in born:
                    continue
                since_turn, since_request = born[form.number]
                if form.number in twice:
                    tokens["duplicates"] += form.tokens
                    continue
                tokens["stale_turns"] += form.tokens * (turn - since_turn >= 4)
                tokens["stale_requests"] += form.tokens * (number - since_request >= 20)
    return Waste(**tokens)


def waste_table(found: Sequence[Published]) -> dict[str, float]:
    """Shares of all input tokens."""
    sums = {field.name: sum(getattr(one.waste, field.name) for one in found) for field in fields(Waste)}
    whole = sums["tokens"]
    shares = {name: round(sums[name] / whole, 4) for name in ("duplicates", "stale_turns", "stale_requests")}
    return {**shares, "tokens": whole}


def eviction_table(found: Sequence[Published]) -> dict[str, dict[str, float]]:
    """Faults of each age, by result and by request, and what evicting costs."""
    rows: dict[str, dict[str, float]] = {}
    for age in AGES:
        parts = [one.evictions[age] for one in found]
        sums = {field.name: sum(getattr(one, field.name) for one in parts) for field in fields(Eviction)}
        rows[age] = {
            "evictions": sums["evictions"],
            "hidden": sums["hidden"],
            "faults": sums["faults"],
            "unchanged": sums["unchanged"],
            "rate": round(sums["faults"] / max(1, sums["evictions"]), 4),
            "rate_hidden": round(sums["faults"] / max(1, sums["hidden"]), 6),
            "lost": round(1000 * sums["lost"] / sums["requests"], 1),
            "tokens": round(sums["tokens"] / sums["unpruned_tokens"], 3),
            "cost": round(sums["cost"] / sums["unpruned_cost"], 3),
        }
    return rows


def cost_table(found: Sequence[Published]) -> dict[str, dict[str, dict[str, float]]]:
    """Each policy at each price, for each group of agents: cost against no cache and no pruning."""
    groups = {"all": list(found)}
    for one in found:
        groups.setdefault(one.agent, []).append(one)
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for group, parts in groups.items():
        plain = sum(one.costs["none"]["no cache"] for one in parts)
        rows[group] = {
            policy: {row: round(sum(one.costs[policy][row] for one in parts) / plain, 4) for row in ROWS}
            for policy in parts[0].costs
        }
        answers = OUTPUT * sum(one.output for one in parts)
        rows[group]["with answers"] = {
            row: round((sum(one.costs["none"][row] for one in parts) + answers) / (plain + answers), 4)
            for row in ROWS
        }
    return rows


def hop_table(found: Sequence[Published]) -> dict[str, dict[str, float]]:
    """Medians and quartiles over the requests in which a policy broke a warm cache."""
    requests = sum(one.requests for one in found)
    rows: dict[str, dict[str, float]] = {}
    for policy in found[0].hops:
        hops = [hop for one in found for hop in one.hops[policy]]
        freed, rewritten = (sorted(getattr(hop, name) for hop in hops) for name in ("freed", "rewritten"))
        rows[policy] = {
            "hops": len(hops),
            "per_100": round(100 * len(hops) / requests, 1),
            "results": statistics.median(hop.results for hop in hops),
            **{f"freed_{share}": _at(freed, share) for share in (25, 50, 75)},
            **{f"rewritten_{share}": _at(rewritten, share) for share in (25, 50, 75)},
            "place": round(statistics.median(hop.place for hop in hops), 3),
            "rewritten_per_freed": round(sum(rewritten) / max(1, sum(freed)), 2),
        }
    return rows


def _at(ordered: Sequence[int], share: int) -> int:
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]


def main() -> None:
    paths = recordings()
    found = [one for part in spread(measure, paths) for one in part]
    if not found:
        print(NOTHING)
        return
    written = {
        "conversations": len(found),
        "requests": sum(one.requests for one in found),
        "agents": dict(sorted(Counter(one.agent for one in found).items())),
        "waste": waste_table(found),
        "evictions": eviction_table(found),
        "costs": cost_table(found),
        "hops": hop_table(found),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "published.json").write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(written, indent=2))


if __name__ == "__main__":
    show_help()
    main()

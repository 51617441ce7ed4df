"""Bounds that no policy can beat, because they know the whole conversation in advance.

The *clairvoyant* schedule shows how much other schedules lose because they do not know the future. A first replay
makes every edit at once, which shows the first request at which each edit is possible. That does not depend on the
schedule. The lab computes the cheapest cuts from this, and a second replay follows them. The requests of the second
replay are priced like all others.

The *oracle* is the cheapest way to lose nothing: it drops each result after its last use, at the cheapest moments.
For each later use, the newest part that shows the used text stays. A part that no call uses is still sent once,
because nobody could know. Only uses in the arguments of later calls count; a thought without a trace in a call does
not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from prunus.clients.sessions import Session
from prunus.edits import Edit
from prunus.history import Call, Marker, Part, Result, Thinking
from prunus.lab.best_cuts import Foresight, best_cuts
from prunus.lab.cost import cost, is_cold
from prunus.lab.policy import PLACEHOLDER, Policy, Pruned, PrunusSender, Unpruned
from prunus.lab.replay import PartForm, Reader, Replay, Sent, Sheet, replay, send
from prunus.lab.retention import Needs
from prunus.providers import provider_named
from prunus.pruner import Pruner
from prunus.schedule.plan import Eager, Plan, Presses, RequestState
from prunus.schedule.prices import Price


@dataclass(frozen=True, slots=True)
class Clairvoyant:
    """The edits that a preset finds, made at the cheapest moments.

    The computation ignores some details (parts inside a message, pointers), so its replay can cost more than that
    of the normal schedule. Then the bound is the replay of the normal schedule.
    """

    name: str
    knowing_less: Pruned
    price: Price

    def replay(self, session: Session, reader: Reader, needs: Needs, online: Callable[[Policy], Replay]) -> Replay:
        foretold = foreseen(session, reader, self.knowing_less, self.price)
        cuts = best_cuts(foretold, self.price.read, self.price.write)
        found = (
            replay(session, _Following(self.name, self.knowing_less, cuts), reader),
            online(self.knowing_less),
        )
        return min(found, key=lambda one: cost(one, self.price).cost)


def foreseen(session: Session, reader: Reader, policy: Pruned, price: Price) -> Foresight:
    """Return how many tokens each message could lose, and when; this does not depend on the schedule."""
    watching = _Watching(policy)
    sent = replay(session, watching, reader).requests
    format = provider_named(session.format)
    parts = [format.parse(message, b"").parts for message in session.messages]
    gains: list[dict[int, int]] = []
    for edits in watching.edits:
        now: dict[int, int] = {}
        for edit in edits:
            message, part = edit.target
            # Bookkeeping of the client never reaches the model.
            if not isinstance(parts[message][part], Marker):
                now[message] = now.get(message, 0) + edit.saved
        gains.append(now)
    sizes = tuple(reader.sheet(message).tokens for message in session.messages)
    return Foresight(
        sizes,
        births(session),
        tuple([now.get(message, 0) for now in gains] for message in range(len(sizes))),
        tuple(not is_cold(one, price) for one in sent),
    )


def births(session: Session) -> tuple[int, ...]:
    """Return the first request that contains each message."""
    found: list[int] = []
    for request, end in enumerate(session.requests):
        found += [request] * (end - len(found))
    return (*found, *[len(session.requests)] * (len(session.messages) - len(found)))


class _Watching(PrunusSender):
    """Makes every edit at once, and records the edits of each request."""

    declared = ""

    def __init__(self, policy: Pruned) -> None:
        super().__init__(Pruner(policy.settings(), schedule=Eager()))
        self.edits: list[Sequence[Edit]] = []

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        self.edits.append(self.last.edits)
        return out


class _Cuts:
    """A schedule that follows precomputed cuts."""

    name: ClassVar[str] = "clairvoyant"
    presses: ClassVar[Presses] = "lasting"

    def __init__(self, cuts: Sequence[int]) -> None:
        self.cuts = cuts
        self.request = 0

    def takes(self, edit: Edit, price: Price, requests: int) -> bool:
        return True

    def first_risky(self, moment: RequestState) -> int:
        return 0

    def plan(self, moment: RequestState) -> Plan:
        return Plan(self.cuts[self.request], "foreseen")


class _Following(PrunusSender):
    """Makes the edits of a preset at precomputed cuts."""

    def __init__(self, name: str, policy: Pruned, cuts: Sequence[int]) -> None:
        self.name = name
        self._cuts = _Cuts(cuts)
        super().__init__(Pruner(policy.settings(), schedule=self._cuts))

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        self._cuts.request += 1
        return out


@dataclass(frozen=True, slots=True)
class Oracle:
    """Drops exactly the parts that no later call uses."""

    name: str
    price: Price
    everything: bool = False
    """Whether the oracle also drops inputs of calls and thinking, not only results."""

    def replay(self, session: Session, reader: Reader, needs: Needs, online: Callable[[Policy], Replay]) -> Replay:
        unpruned = online(Unpruned()).requests
        sheets = [reader.sheet(message) for message in session.messages]
        kinds = Result | Call | Thinking if self.everything else Result
        empty = [
            [_emptied(form, reader) if isinstance(form.part, kinds) else form for form in sheet.forms]
            for sheet in sheets
        ]
        free = _free(session, needs, sheets)
        requests = range(len(session.requests))
        gains = [
            [
                sum(
                    full.tokens - (less.tokens if less is not None else 0)
                    for full, less, since in zip(sheet.forms, bare, frees, strict=True)
                    if since <= request
                )
                for request in requests
            ]
            for sheet, bare, frees in zip(sheets, empty, free, strict=True)
        ]
        sizes = tuple(sheet.tokens for sheet in sheets)
        warm = tuple(not is_cold(one, self.price) for one in unpruned)
        line = Foresight(sizes, births(session), tuple(gains), warm)
        cuts = best_cuts(line, self.price.read, self.price.write)
        sent: list[Sent] = []
        shown = list(sheets)
        for request, (end, cut) in enumerate(zip(session.requests, cuts, strict=True)):
            for message in range(cut, end):
                shown[message] = _without(sheets[message], empty[message], free[message], request)
            one = unpruned[request]
            around = one.tokens - sum(sheet.tokens for sheet in one.sheets)
            last = sent[-1] if sent else None
            new = session.requests[request - 1] if request else 0
            declared = "foreseen" if cut < new else ""
            sent.append(send(last, tuple(shown[:end]), around, one.gap, declared=declared))
        return Replay(self.name, tuple(sent))


def _free(session: Session, needs: Needs, sheets: list[Sheet]) -> list[list[int]]:
    """Return for each part the first request that can do without it."""
    starts = [0]
    for sheet in sheets:
        starts.append(starts[-1] + len(sheet.forms))
    free = [[birth + 1] * len(sheet.forms) for birth, sheet in zip(births(session), sheets, strict=True)]
    for use in needs.uses:
        place = use.shown[-1]
        message = bisect_right(starts, place) - 1
        part = place - starts[message]
        free[message][part] = max(free[message][part], use.request + 1)
    return free


def _without(sheet: Sheet, empty: list[PartForm | None], free: list[int], request: int) -> Sheet:
    """Return a message without the parts that are free to go at a request."""
    forms = [bare if since <= request else full for full, bare, since in zip(sheet.forms, empty, free, strict=True)]
    kept = tuple(form for form in forms if form is not None)
    numbers = tuple(form.number for form in kept)
    return (
        sheet if numbers == sheet.numbers else Sheet(kept, numbers, sum(form.tokens for form in kept), sheet.pairs)
    )


def _emptied(form: PartForm, reader: Reader) -> PartForm | None:
    """Return a placeholder for a part, the part itself if a placeholder is no shorter, or None if the part goes."""
    part: Part
    match form.part:
        case Result():
            part = replace(form.part, text=PLACEHOLDER)
        case Call():
            part = replace(form.part, input={}, text="{}")
        case _:
            return None
    bare = reader.form(part)
    return bare if bare.tokens < form.tokens else form

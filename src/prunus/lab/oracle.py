"""The cheapest way to lose nothing: the oracle drops each result after its last use, at the cheapest moments.

For each later use, the newest part that shows the used text stays. A part that no call uses is still sent once,
because nobody could know. Only uses in the arguments of later calls count; a thought without a trace in a call does
not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace

from prunus.clients.sessions import Session
from prunus.history import Call, Part, Result, Thinking
from prunus.lab.best_cuts import Foresight, best_cuts, steps
from prunus.lab.clairvoyant import births
from prunus.lab.cost import is_cold
from prunus.lab.masks import PLACEHOLDER, Unpruned
from prunus.lab.policy import Policy
from prunus.lab.reading import Form, Reader, Sheet
from prunus.lab.replay import Replay, Sent, send
from prunus.lab.retention import Needs
from prunus.schedule.prices import Price


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
        line = Foresight(sizes, births(session), tuple(map(steps, gains)), warm)
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


def _without(sheet: Sheet, empty: list[Form | None], free: list[int], request: int) -> Sheet:
    """Return a message without the parts that are free to go at a request."""
    forms = [bare if since <= request else full for full, bare, since in zip(sheet.forms, empty, free, strict=True)]
    kept = tuple(form for form in forms if form is not None)
    numbers = tuple(form.number for form in kept)
    return (
        sheet if numbers == sheet.numbers else Sheet(kept, numbers, sum(form.tokens for form in kept), sheet.pairs)
    )


def _emptied(form: Form, reader: Reader) -> Form | None:
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

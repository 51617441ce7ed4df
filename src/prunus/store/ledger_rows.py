"""A ledger as rows, one for each changed part, so that a request writes only the edits that it changed.

Otherwise every new edit would encode a ledger of 500 edits again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

from prunus.history import Ref
from prunus.schedule.ledger import Ledger

_LEDGERS: Final = 256
"""The number of ledgers that are cached."""


@dataclass(frozen=True, slots=True)
class LedgerChange:
    """How the rows of a stored ledger have to change."""

    removed: frozenset[Ref]
    rows: dict[Ref, Ledger]
    """The rows to write, each as a ledger with the edit and the tag of one part."""
    rest: Ledger | None
    """Flushes and commands, which are written as one; None if they did not change."""


def ledger_change(stored: Ledger | None, now: Ledger) -> LedgerChange:
    """Return what has to be written; the whole ledger if the stored one is unknown."""
    places = _changed_places(stored or Ledger(), now)
    before, after = _rows(stored or Ledger(), places), _rows(now, places)
    rest = Ledger(flushes=now.flushes, commands=now.commands)
    same = stored is not None and (stored.flushes, stored.commands) == (rest.flushes, rest.commands)
    return LedgerChange(
        frozenset(before.keys() - after.keys()),
        {place: row for place, row in after.items() if before.get(place) != row},
        None if same else rest,
    )


def _changed_places(before: Ledger, now: Ledger) -> set[Ref]:
    """Return the places where two ledgers may differ; edits and tags in both are mostly identical objects."""
    old, new = ({id(one) for one in (*ledger.edits, *ledger.tags)} for ledger in (before, now))
    edits = {edit.target for edit in (*before.edits, *now.edits) if (id(edit) in old) != (id(edit) in new)}
    return edits | {tag.ref for tag in (*before.tags, *now.tags) if (id(tag) in old) != (id(tag) in new)}


def _rows(ledger: Ledger, places: set[Ref]) -> dict[Ref, Ledger]:
    """Return one ledger per place, with the edit and the tag of that part; each becomes one row."""
    rows = {edit.target: Ledger((edit,)) for edit in ledger.edits if edit.target in places}
    for tag in ledger.tags:
        if tag.ref in places:
            rows[tag.ref] = replace(rows.get(tag.ref, Ledger()), tags=(tag,))
    return rows


class KnownLedgers:
    """The ledgers that this process has read or written last, with the stamps that they have in the store."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[int, Ledger]] = OrderedDict()
        self._lock = Lock()

    def get(self, id: str) -> tuple[int, Ledger] | None:
        """Return the stamp and the ledger of a conversation, if they are known."""
        with self._lock:
            return self._known.get(id)

    def put(self, id: str, stamp: int, ledger: Ledger) -> None:
        """Remember the ledger of a conversation."""
        with self._lock:
            self._known[id] = stamp, ledger
            self._known.move_to_end(id)
            if len(self._known) > _LEDGERS:
                self._known.popitem(last=False)

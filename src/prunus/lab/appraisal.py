"""Replaying somebody's own sessions, as they came and through Prunus.

Each is paid at the prices of its own model. A context that the agent compacted, or that outgrew its model's window,
is a session of its own. A resumed session begins with a copy of another one: what was sent once is counted once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from prunus.engine import Tally
from prunus.formats import format_named
from prunus.lab.analysis import Effect, File, Row, Total
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost, is_cold
from prunus.lab.lifetime import recorded_lifetime
from prunus.lab.masks import Unpruned
from prunus.lab.pool import spread
from prunus.lab.pruned import Pruning
from prunus.lab.reading import Reader
from prunus.lab.replay import Replay, replay
from prunus.lab.retention import Needs, retention
from prunus.policy.prices import DEFAULT, Price, price_of, with_ttl
from prunus.policy.windows import window_of
from prunus.pruner import Pruner
from prunus.settings import Settings
from prunus.strategies.step_markers import StepMarkers
from prunus.transcripts import Session, stream

__all__ = ["PRESET", "analyse", "measure"]

PRESET: Final = "auto"
_MANY: Final = 20_000_000
"""Bytes of files from which on they are read by several workers."""
_TOLD: Final = ("read", "write", "ttl", "tier", "tier_factor")

Known = Mapping[str, Sequence[int]]
"""For each file, how many requests of each of its sessions were met before."""


def analyse(paths: Sequence[Path], *, workers: int = 2, quiet: bool = False) -> tuple[File, ...]:
    """Measure all files, in their order; says on standard error how far it is."""
    # A copy is newer than what it was copied from.
    oldest_first = sorted(paths, key=lambda path: path.stat().st_mtime if path.exists() else 0.0)
    size = sum(path.stat().st_size for path in paths if path.exists())
    # Starting workers takes longer than reading a few files.
    readers = workers if size > _MANY else 1
    keys = dict(zip(oldest_first, spread(_keys, oldest_first, workers=readers, quiet=True), strict=True))
    met: set[str] = set()
    known: dict[str, list[int]] = {}
    for path, sessions in keys.items():
        known[str(path)] = []
        for requests in sessions:
            copied = next((i for i, key in enumerate(requests) if key not in met), len(requests))
            known[str(path)].append(copied)
            met.update(requests)
    return spread(partial(measure, known=known), paths, workers=workers, quiet=quiet)


def _keys(path: Path) -> list[tuple[str, ...]]:
    """What each request of each session is known by; as far as the file can be read."""
    found: list[tuple[str, ...]] = []
    try:
        found.extend(session.keys() for session in stream(path))
    except Exception:  # it will be said when the file is measured
        return found
    return found


def measure(path: Path, known: Known | None = None) -> File:
    """All sessions of one file; what was read before it turned out to be broken counts."""
    rows: list[Row] = []
    skipped = copies = 0
    copied = list((known or {}).get(str(path), ()))
    lifetime = recorded_lifetime(path)
    try:
        for number, session in enumerate(stream(path)):
            skipped += session.skipped
            before = copied[number] if number < len(copied) else 0
            copies += before == len(session.requests)
            for piece in conversations(session, window_of(session.model)):
                if before < len(piece.requests):
                    rows.append(_row(path, piece, lifetime, before))
                before = max(0, before - len(piece.requests))
    except Exception as error:  # whatever is wrong with a file, the others are still measured
        reason = str(error) if str(error).startswith(str(path)) else f"{path}: {type(error).__name__}: {error}"
        return File(str(path), tuple(rows), skipped, copies, reason)
    return File(str(path), tuple(rows), skipped, copies)


def _row(path: Path, session: Session, lifetime: str, copied: int) -> Row:
    price = with_ttl(price_of(session.model), lifetime)
    reader = Reader(format_named(session.format))
    policy = _Watched(price, window_of(session.model))
    before = _after(replay(session, Unpruned(), reader), copied)
    whole = replay(session, policy, reader)
    after = _after(whole, copied)
    unpruned, paid = cost(before, price), cost(after, price)
    kept = retention(Needs(session, reader).since(copied), whole)
    numbers = Total(
        1,
        len(session.requests) - copied,
        copied,
        unpruned.tokens,
        paid.tokens,
        unpruned.cost,
        paid.cost,
        _cached(before, price),
        _cached(after, price),
        _breaks(before, after, price),
        kept.hard,
        kept.hard_kept,
        kept.soft,
        kept.soft_kept,
        policy.refused,
        paid.invalid,
    )
    effects = _effects(policy.tallies[copied:], after, price, unpruned.cost - paid.cost)
    table = price_of(session.model) != DEFAULT
    return Row(str(path), session.name, session.agent, session.model, table, numbers, effects, lifetime)


def _after(replayed: Replay, copied: int) -> Replay:
    return replace(replayed, requests=replayed.requests[copied:])


class _Watched(Pruning):
    """The preset in one session; remembers what its strategies did.

    Step markers are left out: they are bookkeeping of the host that never reaches the model.
    """

    def __init__(self, price: Price, window: int) -> None:
        # Not every format has the model's name in its requests, so the price is told.
        told = {name: getattr(price, name) for name in _TOLD if getattr(price, name) is not None}
        values: dict[str, Any] = {"preset": PRESET, "window": window}
        super().__init__(Pruner(Settings(**values, prices=[{"model": "*", **told}])))
        self.name = PRESET
        self.refused = 0
        self.tallies: list[Mapping[str, Tally]] = []

    def start(self) -> _Watched:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        self.refused += self.last.error is not None
        tallies = self.last.report.strategies
        self.tallies.append({name: tally for name, tally in tallies.items() if name != StepMarkers.name})
        return out


def _effects(tallies: Sequence[Mapping[str, Tally]], sent: Replay, price: Price, saved: float) -> dict[str, Effect]:
    """What each strategy did; what was saved is shared out by the price of what each kept out."""
    kept: dict[str, int] = {}
    worth: dict[str, float] = {}
    for request, table in zip(sent.requests, tallies, strict=True):
        each = price.write if is_cold(request, price) else price.read
        for name, tally in table.items():
            kept[name] = kept.get(name, 0) + tally.tokens
            worth[name] = worth.get(name, 0.0) + tally.tokens * each
    whole = sum(worth.values())
    last = tallies[-1] if tallies else {}
    return {
        name: Effect(
            last.get(name, Tally()).count,
            last.get(name, Tally()).tokens,
            tokens,
            saved * worth[name] / whole if whole else 0.0,
        )
        for name, tokens in kept.items()
    }


def _cached(replayed: Replay, price: Price) -> int:
    """The tokens that are read from the cache."""
    warm = (one.cached for one in replayed.requests if not is_cold(one, price))
    return sum(cached for cached in warm if cached >= price.minimum)


def _breaks(before: Replay, after: Replay, price: Price) -> int:
    """The requests that break a warm cache where the agent's own did not."""
    return sum(
        new.broken > 0 >= old.broken and not is_cold(new, price)
        for old, new in zip(before.requests, after.requests, strict=True)
    )

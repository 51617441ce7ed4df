"""Replay a user's own sessions without and with Prunus.

The prices of a session are those of its own model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.json import encode

from prunus.clients.dialect import project_of
from prunus.corpus.source import name_of
from prunus.lab.analysis import LEVEL, RIVALS, Effect, File, SessionResult
from prunus.lab.conversations import Known, RecordedConversation, for_each_conversation, repeats
from prunus.lab.cost import cache_writes, is_cold
from prunus.lab.policies import policy_named
from prunus.lab.policy import Bound, Policy, Pruned, PrunusSender, Unpruned
from prunus.lab.pool import spread_counted
from prunus.lab.progress import Gauge
from prunus.lab.replay import Replay
from prunus.lab.run import OWN, ConversationReplays
from prunus.pruner import Pruner
from prunus.schedule.prices import DEFAULT, Price, price_of
from prunus.settings.presets import LEVELS
from prunus.strategies.step_markers import StepMarkers
from prunus.tally import Tally
from prunus.text.printable import whole_text


def analyse(
    paths: Sequence[Path], level: str = LEVEL, *, workers: int = 2, quiet: bool = False
) -> tuple[File, ...]:
    """Return the results of all files, in their order, and show progress on standard error."""
    work = partial(measure, level=level, known=repeats(paths, workers=workers))
    return spread_counted(work, paths, workers=workers, quiet=quiet)


def measure(path: Path, gauge: Gauge | None = None, *, level: str = LEVEL, known: Known | None = None) -> File:
    """Return the results of all sessions of one file."""
    gauge = gauge or Gauge()
    told = (known or {}).get(str(path), ())
    replays = len({level, *LEVELS, *RIVALS})
    gauge.expect(replays * sum(repeat.requests for repeat in told if repeat.copied < repeat.requests))
    return for_each_conversation(path, lambda piece: [_row(path, level, gauge, piece)], known)


def _row(path: Path, level: str, gauge: Gauge, piece: RecordedConversation) -> SessionResult:
    session, copied, price = piece.session, piece.copied, piece.price
    replays = ConversationReplays(piece, gauge, billed=True)

    def policy(name: str) -> Policy | Bound:
        return policy_named(name, price, piece.window)

    chosen = policy(level)
    assert isinstance(chosen, Pruned)
    watched = _Watched(chosen)
    before, after = replays.paid(Unpruned()), replays.paid(watched)
    measured = replays.measurement(level, watched, OWN)
    others = (name for name in (*LEVELS, *RIVALS) if name != level)
    times = [time for time in session.times[copied:] if time is not None]
    return SessionResult(
        **asdict(measured),
        path=name_of(path),
        known=price_of(session.model) != DEFAULT,
        copied=copied,
        unpruned_cached=_cached(before, price),
        cached=_cached(after, price),
        own_breaks=_breaks(before, after, price),
        refused=watched.refused,
        strategies=_effects(watched.tallies[copied:], after, price, measured.unpruned - measured.cost),
        beside={name: replays.measurement(name, policy(name), OWN) for name in others},
        lifetime=piece.lifetime,
        first=min(times, default=None),
        last=max(times, default=None),
        project=project_of(encode(session.body(0))) or whole_text(path.parent.name),
        billed=replays.count.known,
        writes_unpruned=cache_writes(before, price),
        writes=cache_writes(after, price),
    )


class _Watched(PrunusSender):
    """Runs Prunus in one session and records what its strategies did.

    The record omits step markers, because they are bookkeeping of the client that never reaches the model.
    """

    def __init__(self, policy: Pruned) -> None:
        super().__init__(Pruner(policy.settings()))
        self.refused = 0
        self.tallies: list[Mapping[str, Tally]] = []

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        self.refused += self.last.error is not None
        tallies = self.last.report.strategies
        self.tallies.append({name: tally for name, tally in tallies.items() if name != StepMarkers.name})
        return out


def _effects(tallies: Sequence[Mapping[str, Tally]], sent: Replay, price: Price, saved: float) -> dict[str, Effect]:
    """Return the effect of each strategy; each gets a share of `saved` by the price of the tokens it kept out."""
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
    """Return the tokens that all requests read from the prompt cache."""
    warm = (one.cached for one in replayed.requests if not is_cold(one, price))
    return sum(cached for cached in warm if cached >= price.minimum)


def _breaks(before: Replay, after: Replay, price: Price) -> int:
    """Return the number of pruned requests that break a warm cache although the unpruned request would not."""
    return sum(
        new.broken > 0 >= old.broken and not is_cold(new, price)
        for old, new in zip(before.requests, after.requests, strict=True)
    )

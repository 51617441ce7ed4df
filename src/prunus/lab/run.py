"""Replay many recorded files through many policies at many prices, on several cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Final

from prunus.clients.sessions import Session
from prunus.corpus.source import Source
from prunus.lab.conversations import (
    LIMIT,
    FileResults,
    Known,
    RecordedConversation,
    for_each_conversation,
    repeats,
)
from prunus.lab.cost import Cost, ProviderCount, cost, events, price_row, provider_count
from prunus.lab.folds import fold_of
from prunus.lab.policies import policy_named
from prunus.lab.policy import Bound, Policy, Unpruned
from prunus.lab.pool import spread_counted
from prunus.lab.progress import Gauge
from prunus.lab.replay import Reader, Replay, replay
from prunus.lab.retention import Needs, Retention, retention
from prunus.providers import provider_named
from prunus.schedule.prices import DEFAULT, Price

OWN: Final = "own"
"""The name of the price that differs between sessions: that of a session's own model, as in `prunus analyze`."""


@dataclass(frozen=True, slots=True)
class Study:
    """The measurements to make on every recording."""

    policies: tuple[str, ...]
    prices: tuple[str, ...]
    minimum: int = 15
    """Conversations with fewer requests than this do not count."""
    limit: int | None = LIMIT
    """The lab cuts a conversation at this many tokens; None means at its model's window."""
    once: bool = False
    """Whether requests that a resumed session repeats from another file count only once."""
    billed: bool = False
    """Whether tokens are counted as the provider counted them, where the recording says so."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One conversation under one policy at one price; costs are in tokens of uncached input."""

    session: str
    agent: str
    policy: str
    prices: str
    requests: int
    cost: float
    unpruned: float
    """The cost without pruning."""
    effective: float
    """The cost including one more request for each part that the agent must read again."""
    tokens: int
    unpruned_tokens: int
    peak: int
    unpruned_peak: int
    breaks: int
    flushes: int
    undeclared: int
    cold: int
    invalid: int
    lines: int
    lines_kept: int
    files: int
    files_kept: int
    soft: int
    soft_kept: int
    in_place: int
    """Retained names in an unchanged line or in a path."""
    lost: int
    """Requests whose answer edits lines that the pruned request did not show."""
    fold: int
    """The fold of its repository."""
    model: str = ""
    """The model's name; empty if the recording does not say."""

    @property
    def hard(self) -> int:
        """Lines and files that later calls used."""
        return self.lines + self.files

    @property
    def hard_kept(self) -> int:
        """Those of them that the pruned requests still showed."""
        return self.lines_kept + self.files_kept


Measured = FileResults[Measurement]


def run(paths: Sequence[Path], study: Study, *, workers: int = 2, quiet: bool = False) -> tuple[Measured, ...]:
    """Return the measurements of all files, in their order, and show progress on standard error."""
    known = repeats(paths, workers=workers) if study.once else None
    work = partial(measure, study=study, known=known)
    return spread_counted(work, paths, workers=workers, quiet=quiet)


def measure(
    path: Path | Source, gauge: Gauge | None = None, *, study: Study, known: Known | None = None
) -> Measured:
    """Return the measurements of all conversations of one file or source."""
    gauge = gauge or Gauge()
    told = (known or {}).get(str(path))
    replays = len(
        {Unpruned(), *(_policy(name, prices, None) for name in study.policies for prices in study.prices)}
    )
    gauge.expect(replays * sum(repeat.requests for repeat in told or () if repeat.copied < repeat.requests))

    def rows(piece: RecordedConversation) -> Sequence[Measurement]:
        if len(piece.session.requests) < study.minimum:
            return ()
        if told is None:
            gauge.expect(replays * len(piece.session.requests))
        return list(_rows(piece, study, gauge))

    return for_each_conversation(path, rows, known, study.limit)


def _policy(name: str, prices: str, piece: RecordedConversation | None) -> Policy | Bound:
    """Return a policy that knows the price of its requests."""
    if prices != OWN:
        return policy_named(name, prices)
    return policy_named(name, piece.price, piece.window) if piece is not None else policy_named(name, DEFAULT)


class ConversationReplays:
    """One conversation under many policies; each of them is replayed once."""

    def __init__(self, piece: RecordedConversation, gauge: Gauge, *, billed: bool) -> None:
        """`billed` says whether tokens are counted as the provider counted them, where the recording says so."""
        self._piece, self._gauge = piece, gauge
        session = piece.session
        self._reader = Reader(provider_named(session.format))
        self._needs = Needs(session, self._reader)
        self._later = self._needs.since(piece.copied)
        unpruned = replay(session, Unpruned(), self._reader)
        self.count = provider_count(session.billed, unpruned) if billed else ProviderCount()
        self._replays: dict[Policy | Bound, Replay] = {Unpruned(): unpruned}
        self._kept: dict[Policy | Bound, Retention] = {}
        self._fold = fold_of(session)

    def replayed(self, policy: Policy | Bound) -> Replay:
        """Return all requests of the conversation under a policy."""
        if policy not in self._replays:
            session = self._piece.session
            if isinstance(policy, Bound):
                found = policy.replay(session, self._reader, self._needs, self.replayed)
                self._gauge.advance(len(session.requests))
            else:
                found = replay(session, policy, self._reader, self._gauge)
            self._replays[policy] = found
        return self._replays[policy]

    def paid(self, policy: Policy | Bound) -> Replay:
        """Return the same with the tokens that are paid for, without requests that another file contains too."""
        return self.count.of(self.replayed(policy)).since(self._piece.copied)

    def kept(self, policy: Policy | Bound) -> Retention:
        """Return how much of what the agent used later the pruned requests still showed."""
        if policy not in self._kept:
            self._kept[policy] = retention(self._later, self.replayed(policy))
        return self._kept[policy]

    def measurement(self, name: str, policy: Policy | Bound, prices: str) -> Measurement:
        """Return the figures of a policy, under the name that the user gave it, at a price."""
        piece = self._piece
        price = piece.price if prices == OWN else price_row(prices)
        base, paid = (cost(self.paid(one), price) for one in (Unpruned(), policy))
        kept = self.kept(policy)
        return measurement(piece.session, piece.copied, name, prices, price, base, paid, kept, self._fold)


def _rows(piece: RecordedConversation, study: Study, gauge: Gauge) -> Iterator[Measurement]:
    replays = ConversationReplays(piece, gauge, billed=study.billed)
    gauge.advance(len(piece.session.requests))
    for prices in study.prices:
        for name in study.policies:
            yield replays.measurement(name, _policy(name, prices, piece), prices)


def measurement(
    session: Session,
    copied: int,
    policy: str,
    prices: str,
    price: Price,
    base: Cost,
    paid: Cost,
    kept: Retention,
    fold: int,
) -> Measurement:
    """Return the figures of a conversation, of whose requests the first ones may be copied from another file."""
    return Measurement(
        session=session.name,
        agent=session.agent,
        model=session.model,
        policy=policy,
        prices=prices,
        requests=len(session.requests) - copied,
        unpruned=base.cost,
        effective=paid.cost + sum(part.cost(price) for part in kept.lost),
        unpruned_tokens=base.tokens,
        unpruned_peak=base.peak,
        lost=events(kept.lost),
        fold=fold,
        **{one.name: getattr(paid, one.name) for one in fields(Cost)},
        **{one.name: getattr(kept, one.name) for one in fields(Retention) if one.name != "lost"},
    )

"""The clairvoyant schedule knows the future. It shows how much other schedules lose because they do not.

A first replay makes every edit at once, which shows the first request at which each edit is possible. That does not
depend on the schedule. The lab computes the cheapest cuts from this, and a second replay follows them. The requests
of the second replay are priced like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from prunus.clients.sessions import Session
from prunus.edits import Edit
from prunus.history import Marker
from prunus.lab.best_cuts import Foresight, best_cuts, steps
from prunus.lab.cost import cost, is_cold
from prunus.lab.policy import Policy, Pruned, PrunusSender
from prunus.lab.reading import Reader
from prunus.lab.replay import Replay, replay
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
        tuple(steps([now.get(message, 0) for now in gains]) for message in range(len(sizes))),
        tuple(not is_cold(one, price) for one in sent),
    )


def births(session: Session) -> tuple[int, ...]:
    """Return the first request that contains each message."""
    found: list[int] = []
    for request, end in enumerate(session.requests):
        found += [request] * (end - len(found))
    return (*found, *[len(session.requests)] * (len(session.messages) - len(found)))


class _Watching:
    """A policy that makes every edit at once and records the edits of each request."""

    def __init__(self, policy: Pruned) -> None:
        self.name = policy.name
        self.edits: list[Sequence[Edit]] = []
        self._pruning = PrunusSender(Pruner(policy.settings(), schedule=Eager()))
        self.declared = ""

    def start(self) -> _Watching:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        out = self._pruning(body, now)
        self.edits.append(self._pruning.last.edits)
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


@dataclass(frozen=True, slots=True)
class _Following:
    name: str
    policy: Pruned
    cuts: tuple[int, ...]

    def start(self) -> _Follower:
        return _Follower(self.policy, self.cuts)


class _Follower(PrunusSender):
    def __init__(self, policy: Pruned, cuts: tuple[int, ...]) -> None:
        self._cuts = _Cuts(cuts)
        super().__init__(Pruner(policy.settings(), schedule=self._cuts))

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        self._cuts.request += 1
        return out

"""A conversation sent through one pruner, request by request, and what each request did to the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from prunus import Outcome, Pruner, Settings
from prunus.conversations.conversation import Conversation
from prunus.providers import frame
from prunus.schedule.plan import Schedule
from tests.generate.encode import encode, prefixes
from tests.generate.render import render
from tests.generate.session import Session
from tests.laws.cases import PRESETS

__all__ = ["SCHEDULES", "Sent", "broken", "conversed", "prefix_problems", "requests", "schedule", "send"]

ALL: Final[dict[str, Any]] = {
    **PRESETS["everything"].dump()["strategies"],
    "finished_results": {"enabled": True, "shell": 1, "search": 2, "idle": 1, "over": 100},
}
CHEAP: Final = [{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}]
DEAR: Final = [{"model": "*", "read": 0.025, "write": 1.25, "ttl": 300}]


def schedule(name: str, **more: Any) -> Settings:
    return Settings(schedule=name, strategies=ALL, guards={"unresolved_errors": {"turns": 1}}, **more)


SCHEDULES: Final = {
    "cache, cheap": schedule("cache", prices=CHEAP),
    "cache, dear": schedule("cache", prices=DEAR),
    "cache, hasty": schedule("cache", prices=CHEAP, schedules={"cache": {"patience": 0.1}}),
    "cache, full": schedule("cache", prices=DEAR, window=3_000),
    "pressure": schedule("pressure", window=3_000),
}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it left."""

    outcome: Outcome
    conversation: Conversation
    given: int
    """How many messages came in."""
    gone: frozenset[int]
    """Those of them that were left out as a whole."""
    cut: int | None
    """The first message of the flush that was declared for it."""

    @property
    def messages(self) -> list[bytes]:
        cut = frame(self.outcome.body, self.conversation.last.format.name)
        return [cut.raw(index) for index in range(len(cut))]

    def left(self, count: int) -> int:
        """How many of the first messages are there still."""
        return count - sum(index < count for index in self.gone)


def send(pruner: Pruner, body: bytes, now: float, format: str) -> Sent:
    outcome = pruner.prune(body, now, format=format)
    assert outcome.error is None
    conversation = pruner._conversations[-1]
    rendered = conversation.engine.rendering.rendered
    cuts = [flush.cut for flush in conversation.memo.ledger.flushes if flush.request == conversation.memo.requests]
    assert len(cuts) <= 1
    gone = frozenset(index for index, raw in rendered.items() if not raw)
    return Sent(outcome, conversation, len(conversation.last), gone, cuts[0] if cuts else None)


def conversed(
    settings: Settings,
    bodies: Sequence[bytes],
    format: str,
    pauses: Sequence[float],
    when: Schedule | None = None,
) -> Iterator[Sent]:
    """One pruner gets the requests of a conversation, one after the other."""
    pruner = Pruner(settings, schedule=when)
    now = 0.0
    for i, body in enumerate(bodies):
        now += pauses[i % len(pauses)]
        sent = send(pruner, body, now, format)
        assert len(pruner._conversations) == 1
        yield sent


def requests(session: Session, format: str, spelling: str = "compact") -> list[bytes]:
    return [encode(request, spelling) for request in prefixes(render(session, format), format)]


def broken(before: Sent, after: Sent, same: Callable[[bytes], Any] | None = None) -> list[int]:
    """The messages sent before that have changed in front of the declared cut."""
    limit = before.given if after.cut is None else after.cut
    assert limit <= before.given
    assert after.left(limit) == before.left(limit)
    read = same or (lambda raw: raw)
    old, new = before.messages[: before.left(limit)], after.messages[: after.left(limit)]
    assert len(old) == len(new)
    return [i for i, (one, other) in enumerate(zip(old, new, strict=True)) if read(one) != read(other)]


def prefix_problems(before: Sent | None, after: Sent) -> list[str]:
    """What a request did to the one before it without declaring it."""
    if before is None:
        return [] if after.cut is None else ["the first request declares a flush"]
    found = [f"message {index} changed in front of the declared cut" for index in broken(before, after)]
    # What was flushed was sent before; the form of new messages is nobody's loss.
    if after.cut is not None and after.cut >= before.given:
        found.append("a flush of messages that were never sent")
    return found

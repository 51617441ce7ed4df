"""Prefix: a request repeats the sent bytes, up to the cut of a declared flush."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.conversations.conversation import Conversation, Loader
from prunus.edits import Edit
from prunus.engine import Engine
from prunus.providers import Frame, frame
from prunus.schedule.ledger import Ledger
from prunus.schedule.plan import Plan, Presses, RequestState
from prunus.schedule.prices import Price
from tests.generate.build import build, sessions
from tests.generate.encode import SPELLINGS, encode, marked, prefixes
from tests.generate.render import render
from tests.generate.session import Session
from tests.laws.cases import every_format, fewer
from tests.laws.conversing import SCHEDULES, Sent, broken, conversed, prefix_problems, requests, schedule, send

every_schedule = pytest.mark.parametrize("name", list(SCHEDULES))
PAUSES = st.lists(st.sampled_from((5.0, 5.0, 5.0, 5.0, 1000.0)), min_size=40, max_size=40)


def unmarked(raw: bytes) -> Any:
    """A message without its cache markers, and with the plain text that a marked block was made of."""
    message = json.loads(raw)
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    bare = [{key: value for key, value in block.items() if key != "cache_control"} for block in content]
    return {**message, "content": bare}


@every_format
@every_schedule
@fewer
@given(session=sessions(), spelling=SPELLINGS, pauses=PAUSES)
def test_a_request_extends_the_one_before_up_to_a_declared_flush(
    format: str, name: str, session: Session, spelling: str, pauses: list[float]
) -> None:
    before: Sent | None = None
    for after in conversed(SCHEDULES[name], requests(session, format, spelling), format, pauses):
        assert prefix_problems(before, after) == []
        before = after


@every_schedule
@fewer
@given(session=sessions(), pauses=PAUSES)
def test_cache_markers_that_move_break_nothing(name: str, session: Session, pauses: list[float]) -> None:
    whole = render(session, "anthropic_messages")
    bodies = [encode(marked(request)) for request in prefixes(whole, "anthropic_messages")]
    before: Sent | None = None
    for after in conversed(SCHEDULES[name], bodies, "anthropic_messages", pauses):
        assert before is None or broken(before, after, unmarked) == []
        before = after


@every_format
@every_schedule
@fewer
@given(session=sessions(), pauses=PAUSES)
def test_objects_are_pruned_at_the_same_times_as_bytes(
    format: str, name: str, session: Session, pauses: list[float]
) -> None:
    pruner = Pruner(SCHEDULES[name])
    given = prefixes(render(session, format), format)
    for request, sent in zip(
        given, conversed(SCHEDULES[name], requests(session, format), format, pauses), strict=True
    ):
        outcome = pruner.prune(request, sent.conversation.memo.seen, format=format)
        assert outcome.error is None
        assert outcome.body == json.loads(sent.outcome.body)


@every_format
@fewer
@given(session=sessions(), spelling=SPELLINGS, pauses=PAUSES)
def test_manual_changes_nothing_ever(format: str, session: Session, spelling: str, pauses: list[float]) -> None:
    bodies = requests(session, format, spelling)
    for body, sent in zip(bodies, conversed(schedule("manual"), bodies, format, pauses), strict=True):
        assert sent.outcome.body == body
        assert sent.outcome.edits == ()
        assert sent.conversation.memo.ledger.flushes == ()


@every_format
@every_schedule
@fewer
@given(session=sessions(), pauses=PAUSES)
def test_the_target_of_a_pointer_stays_visible(
    format: str, name: str, session: Session, pauses: list[float]
) -> None:
    for sent in conversed(SCHEDULES[name], requests(session, format), format, pauses):
        edits = sent.outcome.edits
        assert {edit.target for edit in edits}.isdisjoint(edit.points_to for edit in edits)


@every_format
@every_schedule
@fewer
@given(session=sessions(), pauses=PAUSES)
def test_the_report_counts_the_edits_in_force(
    format: str, name: str, session: Session, pauses: list[float]
) -> None:
    for sent in conversed(SCHEDULES[name], requests(session, format), format, pauses):
        report, engine = sent.outcome.report, sent.conversation.engine
        assert report.saved == sum(edit.saved for edit in sent.outcome.edits)
        assert engine.tokens == engine.view.tokens - engine.made.tallies.saved


@dataclass(frozen=True, slots=True)
class Anywhere:
    """Flushes from any place on, such as a schedule might choose."""

    name: ClassVar[str] = "anywhere"
    presses: ClassVar[Presses] = "lasting"

    shares: tuple[float, ...]
    """The part of what was sent before that is left as it is, for each request."""

    def takes(self, edit: Edit, price: Price, requests: int) -> bool:
        return True

    def first_risky(self, moment: RequestState) -> int:
        return 0

    def plan(self, moment: RequestState) -> Plan:
        share = self.shares[moment.requests % len(self.shares)]
        return Plan(round(share * moment.sent), "drawn")


SHARES = st.lists(st.sampled_from((0.0, 0.3, 0.6, 0.8, 0.9, 1.0, 1.0)), min_size=12, max_size=12).map(tuple)
_READ: Final = ([("read", 0, 0, 300, "")], "", 6)
_EDIT: Final = ([("edit", 0, 0, 40, "")], "", 6)
MANY_READS = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(
    lambda stretches: build([step for count in stretches for step in (*[_READ] * count, _EDIT)])
)
"""A file is read again and again, so that reads that were left out become samples, and the other way round."""


@every_format
@pytest.mark.parametrize("strategies", ["all", "middle_reads"])
@fewer
@given(
    session=st.one_of(sessions(), MANY_READS, MANY_READS),
    shares=SHARES,
    skipped=st.sets(st.integers(0, 20), max_size=6),
)
def test_wherever_a_flush_begins_prefixes_and_pointers_hold(
    format: str, strategies: str, session: Session, shares: tuple[float, ...], skipped: set[int]
) -> None:
    """Some requests went past the pruner, so that the next one brings several turns."""
    only = {"preset": "off", "strategies": {"middle_reads": {"enabled": True}}}
    settings = schedule("cache") if strategies == "all" else Settings(**only)
    bodies = [body for i, body in enumerate(requests(session, format)) if i not in skipped]
    before: Sent | None = None
    for after in conversed(settings, bodies, format, [5.0], Anywhere(shares)):
        assert before is None or broken(before, after) == []
        edits = after.outcome.edits
        assert {edit.target for edit in edits}.isdisjoint(edit.points_to for edit in edits)
        before = after


def test_a_new_pointer_shows_no_read_that_is_left_out_still() -> None:
    """The reads between the first and the fifth go. Of nine the third is a sample, but it cannot come back yet."""
    session = build([_READ, _EDIT, *[_READ] * 9])
    bodies = requests(session, "anthropic_messages")
    settings = Settings(
        preset="off",
        schedule="cache",
        schedules={"cache": {"patience": 1e9}},
        strategies={"middle_reads": {"enabled": True}},
    )
    for sent in conversed(settings, [bodies[6], bodies[10]], "anthropic_messages", [5.0]):
        edits = sent.outcome.edits
        assert {edit.target for edit in edits}.isdisjoint(edit.points_to for edit in edits)


def engine_of(settings: Settings, format: str) -> Engine:
    return Engine(
        format,
        settings.active_strategies(),
        settings.active_guards(),
        settings.toolbox(),
        settings.counter(),
    )


def restored(settings: Settings, ledger: bytes, last: Frame, sent: Conversation) -> Conversation:
    """The conversation as another process finds it: the newest body, the ledger, and what is counted."""
    engine = engine_of(settings, last.format.name)
    loaded = Ledger.load(ledger)

    load = Loader(last)
    engine.look(len(last), load, loaded.commands)
    engine.take_over(loaded.edits, load)
    with engine.at(load):
        engine.settle()
        next(engine.offers([sent.engine.depth]))
        engine.make(len(last), 0, 0)
        engine.rendering.renew(0)
    again = Conversation(
        replace(sent.memo, ledger=engine.ledger(loaded, loaded.flushes, loaded.commands)),
        last,
        engine,
        around=sent.around,
        around_tokens=sent.around_tokens,
        prompt=sent.prompt,
        prompt_digest=sent.prompt_digest,
    )
    again.in_force = again.memo.ledger
    again.record(last, load, [])
    return again


@every_format
@every_schedule
@fewer
@given(session=sessions(), pauses=PAUSES)
def test_a_restored_ledger_gives_the_same_bytes(
    format: str, name: str, session: Session, pauses: list[float]
) -> None:
    settings = SCHEDULES[name]
    bodies = requests(session, format)
    for body, sent in zip(bodies, conversed(settings, bodies, format, pauses), strict=True):
        again = restored(settings, sent.conversation.memo.ledger.dump(), frame(body, format), sent.conversation)
        engine, made = again.engine, again.engine.rendering
        assert again.last.assemble(made.edited, made.rendered, made.changed) == sent.outcome.body
        assert again.memo.ledger == sent.conversation.memo.ledger
        assert engine.pending.gains == sent.conversation.engine.pending.gains


@every_format
@every_schedule
@fewer
@given(session=sessions(), pauses=PAUSES, at=st.integers(0, 30))
def test_a_restored_conversation_goes_on_in_the_same_bytes(
    format: str, name: str, session: Session, pauses: list[float], at: int
) -> None:
    settings = SCHEDULES[name]
    bodies = requests(session, format)
    stop = at % len(bodies)
    pruner = Pruner(settings)
    for i, sent in enumerate(conversed(settings, bodies, format, pauses)):
        if i == stop:
            dumped = sent.conversation.memo.ledger.dump()
            pruner._conversations.remember(restored(settings, dumped, frame(bodies[i], format), sent.conversation))
        elif i > stop:
            assert send(pruner, bodies[i], sent.conversation.memo.seen, format).outcome.body == sent.outcome.body


LONG: Final = build(
    [
        ([("read", 0, 0, 300, ""), ("shell", 1, 1, 300, "long")], "open", 40),
        ([("edit", 0, 0, 40, "")], "", 6),
        ([("read", 0, 0, 300, ""), ("fetch", 0, 1, 300, "")], "", 6),
        ([("shell", 1, 1, 300, "long")], "", 6),
        ("plain", 30),
        ([("fetch", 0, 1, 300, ""), ("todo", 0, 2, 90, "")], "", 6),
        ([("write", 0, 0, 90, "")], "", 6),
    ]
    * 4
)


@every_format
def test_the_law_is_not_kept_by_doing_nothing(format: str) -> None:
    """A long session is pruned under every schedule; with dear breaks less is declared than with cheap ones."""
    bodies = requests(LONG, format)
    flushes = {}
    for name, settings in SCHEDULES.items():
        *_, last = conversed(settings, bodies, format, [5.0])
        assert last.outcome.edits, name
        flushes[name] = last.conversation.memo.ledger.flushes
    assert any(flush.cut > 0 for flush in flushes["cache, cheap"])
    assert len(flushes["cache, dear"]) < len(flushes["cache, hasty"])
    assert flushes["pressure"] and flushes["cache, full"]


@every_format
def test_eager_edits_declare_every_break_of_the_prefix(format: str) -> None:
    """Made at once, edits change what was sent before, and only the flushes that are declared excuse it."""
    sent = list(conversed(schedule("eager"), requests(LONG, format), format, [5.0]))
    pairs = list(pairwise(sent))
    assert all(broken(before, after) == [] for before, after in pairs)
    changed = [after.messages[: len(before.messages)] != before.messages for before, after in pairs]
    assert sum(changed) > 3

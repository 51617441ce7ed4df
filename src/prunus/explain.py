"""Explain a request: the priority of each part, the edit made to it, and the strategies and guards that decided."""

from __future__ import annotations

from dataclasses import dataclass

from prunus.apply import spelled_out
from prunus.conversations.assembly import Assembly
from prunus.conversations.conversation import Loader, count_around
from prunus.conversations.memory import ConversationRecord
from prunus.conversations.timing import Timing
from prunus.edits import Proposal, Refusal
from prunus.engine import Engine
from prunus.engine.cell import Cell
from prunus.history import Call, Ref, Role
from prunus.proposals import describe
from prunus.providers import frame
from prunus.schedule.ledger import Ledger
from prunus.schedule.priorities import Priority, priority
from prunus.settings import Settings
from prunus.view.guide import Advice, advise
from prunus.view.uses import weigh


@dataclass(frozen=True, slots=True)
class Explained:
    """One part of a request and the decision about it."""

    ref: Ref
    role: Role
    turn: int
    kind: str
    """text, thinking, call, result, attachment, marker or opaque."""
    title: str
    tokens: int
    priority: Priority
    advice: Advice
    """The advice of the content type guide."""
    edit: Proposal | None
    """The edit made to the part, if any."""
    waiting: tuple[Proposal, ...]
    """Edits that may follow later: when the part is older, or when the context runs short."""
    refusals: tuple[Refusal, ...]
    """Edits that a strategy proposed and a guard refused."""


def explain(body: bytes, settings: Settings | None = None, format: str | None = None) -> tuple[Explained, ...]:
    """Return the decision about every part of a request. Raises FormatError for a body that Prunus cannot read."""
    settings = settings or Settings()
    cut = frame(body, format)
    engine = Assembly(settings).inspector(cut)
    load = Loader(cut)
    engine.look(len(cut), load)
    engine.view.look_at(load)
    engine.settle()
    schedule, window = settings.active_schedule(), settings.window_of(cut.model)
    if schedule.presses == "anew":
        around, price = count_around(cut, engine.view.counter), settings.price_of(cut.model)
        memo = ConversationRecord("", Ledger(), 0, 0, 0.0, b"")
        pressure, cached = settings.active_pressure(), (0.0, "", price.ttl, memo.depth)
        Timing(engine, memo, around, schedule, pressure, price, window, *cached).press()
    engine.mark()
    engine.make(0, 0, 0)
    chosen = {edit.target: edit for edit in engine.made.with_outlines(engine.made.in_order())}
    return tuple(
        _explained(ref := Ref(index, part), load, engine, chosen.get(ref))
        for index in range(len(cut.starts))
        for part in range(len(load(index).parts))
    )


def _explained(ref: Ref, load: Loader, engine: Engine, chosen: Proposal | None) -> Explained:
    message = load(ref.message)
    part = message.parts[ref.part]
    view = engine.view
    cell = engine.board.get(ref) or Cell()
    options, refusals = cell.options, cell.refusals
    refused = [refusal.edit for refusal in refusals]
    waiting = tuple(
        spelled_out(edit, part)
        for edit in (engine.board.option(cell, rank) for rank in sorted(options))
        if chosen is None and edit not in refused
        if edit.when.under_pressure or edit.when.from_turn > view.turn or edit.when.from_loop > view.loop
    )
    use = view.by_ref.get(ref)
    if use is not None:
        title = describe(use)
    elif isinstance(part, Call):
        title = part.tool
    else:
        words = getattr(part, "text", "") or getattr(part, "name", "") or getattr(part, "type", "")
        title = " ".join(words[:200].split())[:60]
    superseded = cell.ends_call
    return Explained(
        ref,
        message.role,
        view.turn_of(ref),
        type(part).__name__.lower(),
        title,
        weigh(part, view.counter),
        priority(ref, view, superseded=superseded),
        advise(ref, view, superseded=superseded),
        chosen,
        waiting,
        refusals,
    )

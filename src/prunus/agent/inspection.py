"""A request as it is sent: its engine, what fills the context, how full it is, and what could go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.conversation import Loader, count_around, declares_tools
from prunus.edits import Edit, as_proposal
from prunus.engine import Engine
from prunus.guide import Advice, advise
from prunus.history import Attachment, Ref, Text, Thinking
from prunus.notes import shorten
from prunus.outcome import Outcome
from prunus.proposals import describe
from prunus.providers import frame
from prunus.pruner import prune
from prunus.requested.targets import discarded
from prunus.schedule.budget import Budget, budget
from prunus.schedule.pressure import Bulk, Level, Pressure, advice
from prunus.settings import Settings
from prunus.strategies.asked import Requested
from prunus.uses import weigh

_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Inspection:
    """A request as it is sent."""

    engine: Engine
    """With the messages at hand."""
    outcome: Outcome[bytes]
    around: int
    """Tokens of system text, tools and options."""
    window: int
    """Tokens that the model can take."""
    pressure: Pressure
    budget: Budget


def inspect(body: bytes, settings: Settings, format: str | None, edits: Iterable[Edit] | None = None) -> Inspection:
    """Inspect a request without changing it; `edits` are those in force, without them the request is pruned."""
    cut = frame(body, format)
    outcome = prune(body, settings, format=format) if edits is None else Outcome(body)
    engine = Engine(
        cut.format.name,
        settings.active_strategies(),
        settings.active_guards(),
        settings.toolbox(),
        settings.counter(),
        tags=settings.agent.offer != "off",
        declared=declares_tools(cut),
        words=settings.words,
        notification=settings.notification,
    )
    load = Loader(cut)
    engine.look(len(cut), load)
    engine.take_over(map(as_proposal, outcome.edits if edits is None else edits), load)
    engine.view.look_at(load)
    engine.settle()
    engine.make(1 << 62, 0, 0)
    around = count_around(cut, engine.view.counter)
    return Inspection(
        engine, outcome, around, settings.window_of(cut.model), settings.active_pressure(), settings.active_budget()
    )


@dataclass(frozen=True, slots=True)
class Leaving:
    """A part that could go."""

    id: str
    what: str
    tokens: int
    turn: int
    bulk: Bulk
    advice: Advice
    """What the content type guide says about it."""


def fullness(engine: Engine, around: int, window: int, pressure: Pressure | None = None) -> str:
    """How full the context is, in one sentence; `around` are the tokens of system text and tools."""
    used = _used(engine, around)
    share = used / window if window else 0.0
    level = (pressure or Pressure()).level(used, window)
    return f"{used:,} of {window:,} tokens, {share:.0%} full; pressure is {level}."


def info(
    engine: Engine, around: int, window: int, pressure: Pressure | None = None, allowance: Budget | None = None
) -> str:
    """The answer to `context_info`."""
    rows = budget(engine.view, around, engine.saved_of)
    allowed = (allowance or Budget()).allowed(window)
    leaving = sorted(could_go(engine), key=lambda row: (-row.tokens, row.id))
    level: Level = (pressure or Pressure()).level(_used(engine, around), window)
    lines = [f"Context: {fullness(engine, around, window, pressure)} {advice(level, most_of(leaving))}"]
    lines += (
        f"  {name}: {tokens:,} of {allowed[name]:,}{', over budget' * (tokens > allowed[name])}"
        for name, tokens in rows.items()
        if tokens
    )
    if leaving:
        lines.append(f"Could go, {sum(row.tokens for row in leaving):,} tokens in all:")
        lines += (
            f"  [{row.id}] {row.what}: {row.tokens:,} tokens, turn {row.turn}; {row.advice}"
            for row in leaving[:_LISTED]
        )
        if len(leaving) > _LISTED:
            lines.append(f"  and {len(leaving) - _LISTED} more")
    else:
        lines.append("Nothing could go.")
    return "\n".join(lines)


def could_go(engine: Engine) -> Iterator[Leaving]:
    """The parts that `context_prune` would take out."""
    view = engine.view
    rules = engine.requests or Requested()
    for id, ref in view.ids.items():
        edit = discarded(ref, "", None, view, rules) if engine.board.made(ref) is None else None
        if isinstance(edit, Edit) and engine.allows(edit):
            part = view.part(ref)
            bulk: Bulk = (
                "reasoning" if isinstance(part, Thinking) else "messages" if isinstance(part, Text) else "results"
            )
            spent = engine.ends_call(ref)
            says = advise(ref, view, superseded=spent)
            yield Leaving(id, _what(engine, ref), weigh(part, view.counter), view.turn_of(ref), bulk, says)


def most_of(leaving: Sequence[Leaving]) -> Bulk | None:
    """What most of the tokens that could go belong to."""
    tokens: dict[Bulk, int] = {}
    for row in leaving:
        tokens[row.bulk] = tokens.get(row.bulk, 0) + row.tokens
    return max(tokens, key=lambda bulk: tokens[bulk], default=None)


def _used(engine: Engine, around: int) -> int:
    return around + engine.tokens


def _what(engine: Engine, ref: Ref) -> str:
    use = engine.view.by_ref.get(ref)
    if use is not None:
        return describe(use)
    part = engine.view.part(ref)
    if isinstance(part, Attachment):
        return f"file {shorten(part.name)}"
    return f"your {'thinking' if isinstance(part, Thinking) else 'message'} of turn {engine.view.turn_of(ref)}"

"""What fills the context, how full it is, what could go, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.edits import Edit
from prunus.engine import Engine
from prunus.guide import Advice, advise
from prunus.history import Attachment, Ref, Text, Thinking
from prunus.notes import shorten
from prunus.proposals import describe
from prunus.requested.targets import discarded
from prunus.schedule.budget import Budget, budget
from prunus.schedule.pressure import Bulk, Level, Pressure, advice
from prunus.strategies.asked import Asked
from prunus.view import weigh

__all__ = ["Leaving", "could_go", "fullness", "info", "most_of"]

_LISTED: Final = 20


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
    rules = engine.asked or Asked()
    for id, ref in view.ids.items():
        edit = discarded(ref, "", None, view, rules) if ref not in engine.chosen else None
        if isinstance(edit, Edit) and engine.allows(edit):
            part = view.part(ref)
            bulk: Bulk = (
                "reasoning" if isinstance(part, Thinking) else "messages" if isinstance(part, Text) else "results"
            )
            spent = any(option.ends_call for option in engine.candidates.get(ref, {}).values())
            says = advise(ref, view, superseded=spent)
            yield Leaving(id, _what(engine, ref), weigh(part, view.counter), view.turn_of(ref), bulk, says)


def most_of(leaving: Sequence[Leaving]) -> Bulk | None:
    """What most of the tokens that could go belong to."""
    tokens: dict[Bulk, int] = {}
    for row in leaving:
        tokens[row.bulk] = tokens.get(row.bulk, 0) + row.tokens
    return max(tokens, key=lambda bulk: tokens[bulk], default=None)


def _used(engine: Engine, around: int) -> int:
    return around + engine.sizes.before(len(engine.sizes))


def _what(engine: Engine, ref: Ref) -> str:
    use = engine.view.by_ref.get(ref)
    if use is not None:
        return describe(use)
    part = engine.view.part(ref)
    if isinstance(part, Attachment):
        return f"file {shorten(part.name)}"
    return f"your {'thinking' if isinstance(part, Thinking) else 'message'} of turn {engine.view.turn_of(ref)}"

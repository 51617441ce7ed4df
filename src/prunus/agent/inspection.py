"""Inspects a request as it is sent: what fills the context, how full the context is, and which parts could go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from prunus.conversations.assembly import Assembly
from prunus.conversations.conversation import Loader, count_around
from prunus.edits import Edit, as_proposal
from prunus.engine import Engine
from prunus.history import Attachment, Part, Ref, Text, Thinking
from prunus.notes import shorten
from prunus.outcome import Outcome
from prunus.proposals import describe
from prunus.providers import frame
from prunus.pruner import prune
from prunus.requested.targets import discarded
from prunus.schedule.budget import Budget, budget
from prunus.schedule.pressure import Bulk, Pressure, advice
from prunus.settings import Settings
from prunus.strategies.asked import Requested
from prunus.view.guide import Advice, advise
from prunus.view.uses import weigh
from prunus.view.view import View

_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Leaving:
    """A part that `context_prune` could remove."""

    id: str
    what: str
    tokens: int
    turn: int
    bulk: Bulk
    advice: Advice
    """The advice of the content type guide about the part."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """A request as it is sent, and the state of its context."""

    engine: Engine
    """The engine after it has looked at all messages."""
    outcome: Outcome[bytes]
    around: int
    """The tokens of system text, tools and options."""
    window: int
    """The tokens that the model can take."""
    pressure: Pressure
    budget: Budget

    @property
    def used(self) -> int:
        """The tokens of the whole request."""
        return self.around + self.engine.tokens

    def could_go(self) -> list[Leaving]:
        """Return the parts that `context_prune` could remove now."""
        engine, view = self.engine, self.engine.view
        rules = engine.requests or Requested()
        found = []
        for id, ref in view.ids.items():
            edit = discarded(ref, "", None, view, rules) if engine.board.made(ref) is None else None
            if isinstance(edit, Edit) and engine.allows(edit):
                part = view.part(ref)
                says = advise(ref, view, superseded=engine.ends_call(ref))
                tokens, turn, bulk = weigh(part, view.counter), view.turn_of(ref), _bulk(part)
                what = (
                    name_of(view, ref) or f"your {'thinking' if bulk == 'reasoning' else 'message'} of turn {turn}"
                )
                found.append(Leaving(id, what, tokens, turn, bulk, says))
        return found

    def fullness(self, leaving: Iterable[Leaving]) -> str:
        """Say how full the context is, and what to do about it, given the parts that could go."""
        share = self.used / self.window if self.window else 0.0
        level = self.pressure.level(self.used, self.window)
        words = f"{self.used:,} of {self.window:,} tokens, {share:.0%} full; pressure is {level}."
        return f"{words} {advice(level, most_of(leaving))}"

    def info(self) -> str:
        """Return the answer to `context_info`."""
        allowed = self.budget.allowed(self.window)
        leaving = sorted(self.could_go(), key=lambda row: (-row.tokens, row.id))
        lines = [f"Context: {self.fullness(leaving)}"]
        lines += (
            f"  {name}: {tokens:,} of {allowed[name]:,}{', over budget' * (tokens > allowed[name])}"
            for name, tokens in budget(self.engine.view, self.around, self.engine.saved_of).items()
            if tokens
        )
        if not leaving:
            return "\n".join([*lines, "Nothing could go."])
        lines.append(f"Could go, {sum(row.tokens for row in leaving):,} tokens in all:")
        lines += (
            f"  [{row.id}] {row.what}: {row.tokens:,} tokens, turn {row.turn}; {row.advice}"
            for row in leaving[:_LISTED]
        )
        if len(leaving) > _LISTED:
            lines.append(f"  and {len(leaving) - _LISTED} more")
        return "\n".join(lines)


def inspect(body: bytes, settings: Settings, format: str | None, edits: Iterable[Edit] | None = None) -> Inspection:
    """Inspect a request without changing it. `edits` are the edits in force; without them the request is pruned."""
    cut = frame(body, format)
    outcome = prune(body, settings, format=format) if edits is None else Outcome(body)
    engine = Assembly(settings).inspector(cut, tags=settings.agent.offer != "off")
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


def most_of(leaving: Iterable[Leaving]) -> Bulk | None:
    """Return the kind of content that most of the removable tokens belong to."""
    tokens: dict[Bulk, int] = {}
    for row in leaving:
        tokens[row.bulk] = tokens.get(row.bulk, 0) + row.tokens
    return max(tokens, key=lambda bulk: tokens[bulk], default=None)


def _bulk(part: Part) -> Bulk:
    return "reasoning" if isinstance(part, Thinking) else "messages" if isinstance(part, Text) else "results"


def name_of(view: View, ref: Ref) -> str:
    """Describe a result or a file in words, without its id; empty for a message or reasoning."""
    use, part = view.by_ref.get(ref), view.part(ref)
    if use is not None:
        return describe(use)
    return f"file {shorten(part.name)}" if isinstance(part, Attachment) else ""

"""Looking at a request without changing anything: its engine and what pruning made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from prunus.conversation import Loader, count_around, declares_tools
from prunus.edits import Edit, as_proposal
from prunus.engine import Engine
from prunus.outcome import Outcome
from prunus.providers import frame
from prunus.pruner import prune
from prunus.schedule.budget import Budget
from prunus.schedule.pressure import Pressure
from prunus.settings import Settings

__all__ = ["Look", "look_at"]


@dataclass(frozen=True, slots=True)
class Look:
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


def look_at(body: bytes, settings: Settings, format: str | None, edits: Iterable[Edit] | None = None) -> Look:
    """Look at a request; `edits` are those in force, and without them it is pruned anew."""
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
    engine.decide(len(cut), load, 0, lambda: 1 << 62)
    engine.view.look_at(load)
    around = count_around(cut, engine.view.counter)
    return Look(
        engine, outcome, around, settings.window_of(cut.model), settings.active_pressure(), settings.active_budget()
    )

"""Deciding ends soon: what a decision looks at forms no cycle, so no part is decided again and again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Settings
from prunus.conversations.conversation import Loader
from prunus.engine import Engine
from prunus.engine.board import Board
from prunus.engine.decide import Decision, Rules
from prunus.guards.guard import Guard
from prunus.history import Ref
from prunus.providers import frame
from prunus.schedule.pressure import DEPTH
from prunus.view.view import View
from tests.files.agents import AGENTS
from tests.laws.cases import PRESETS, bodies, every_case
from tests.laws.edited_file import worked

ENDLESS = 1000
"""A part that is decided more often than this is decided for ever."""
MOST = 8
"""How often a part is decided at most each time that pressure changes, or something about the part does."""


class Counting(Rules):
    """Counts how often each part is decided."""

    def __init__(self, board: Board, guards: Sequence[Guard], view: View) -> None:
        super().__init__(board, guards, view)
        self.decided: Counter[Ref] = Counter()

    def decide(self, target: Ref) -> Decision:
        self.decided[target] += 1
        assert self.decided[target] <= ENDLESS
        return super().decide(target)


def looked_at(body: bytes, format: str, settings: Settings) -> tuple[Engine, Loader]:
    """An engine that has seen all messages of a body and decided nothing."""
    read = frame(body, format)
    load = Loader(read)
    strategies, guards = settings.active_strategies(), settings.active_guards()
    engine = Engine(format, strategies, guards, settings.toolbox(), settings.counter())
    engine.look(len(read), load)
    return engine, load


@every_case
@given(data=st.data())
def test_a_part_is_decided_only_a_few_times(format: str, preset: str, data: Any) -> None:
    engine, load = looked_at(data.draw(bodies(format)), format, PRESETS[preset])
    rules = engine._rules = Counting(engine.board, PRESETS[preset].active_guards(), engine.view)
    with engine.at(load):
        engine.settle()
        for _ in engine.offers(DEPTH.values()):
            assert all(times <= MOST for times in rules.decided.values())
            rules.decided.clear()
        engine.make(0, 0, 0)


@every_case
@given(data=st.data())
def test_deciding_once_more_changes_nothing(format: str, preset: str, data: Any) -> None:
    engine, load = looked_at(data.draw(bodies(format)), format, PRESETS[preset])
    with engine.at(load):
        engine.settle()
        wanted = {ref: cell.wanted for ref, cell in engine.board}
        engine.board.touch_all()
        engine.settle()
        assert {ref: cell.wanted for ref, cell in engine.board} == wanted


def test_a_view_and_a_note_do_not_take_turns() -> None:
    """The second read points to the first, the newest one to the second, and a view behind it covers both."""
    part = ("read", 1, 30)
    steps = [("read", None, None), part, part, part, ("edit", (37, 0, 1), None), ("edit", (34, 1, 2), None), part]
    chosen = {"folded_views": {"share": 0.0, "least": 1, "idle": 2, "gone": 4}, "shown_lines": {"over": 100}}
    settings = Settings(preset="auto", strategies=chosen, guards={"same_turn": {"early": True}})
    guards = settings.active_guards()
    engine = Engine(
        "anthropic_messages", settings.active_strategies(), guards, settings.toolbox(), settings.counter()
    )
    engine._rules = Counting(engine.board, guards, engine.view)
    for body, _ in worked(60, steps, AGENTS["pi"]):
        read = frame(json.dumps(body).encode(), "anthropic_messages")
        load = Loader(read)
        engine.look(len(read), load)
        with engine.at(load):
            engine.settle()

"""Deciding ends soon: what a decision looks at forms no cycle, so no part is decided again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Settings
from prunus.conversation import Loader
from prunus.engine import Engine
from prunus.engine.board import Board
from prunus.engine.decide import Decision, Rules
from prunus.guards import Guard
from prunus.history import Ref
from prunus.providers import frame
from prunus.schedule.pressure import DEPTH
from prunus.view import View
from tests.laws.cases import PRESETS, bodies, every_case

MOST = 8
"""How often a part is decided at most each time that pressure changes, or something about the part does."""


class Counting(Rules):
    """Counts how often each part is decided."""

    def __init__(self, board: Board, guards: Sequence[Guard], view: View) -> None:
        super().__init__(board, guards, view)
        self.decided: Counter[Ref] = Counter()

    def decide(self, target: Ref) -> Decision:
        self.decided[target] += 1
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

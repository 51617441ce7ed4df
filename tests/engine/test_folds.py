"""Folds: which view stands for a part when there are several."""

from __future__ import annotations

from prunus.engine.folds import Folds
from prunus.history import Ref

PART, OLDER, NEWER = (Ref(message, 0) for message in range(3))
SPARED = frozenset({PART})
NOTHING: frozenset[Ref] = frozenset()


def test_the_newest_view_of_a_part_counts() -> None:
    for first, second in ((OLDER, NEWER), (NEWER, OLDER)):
        folds = Folds({}, set())
        folds.spare(first, NOTHING, SPARED)
        folds.spare(second, NOTHING, SPARED)
        assert folds.view_of(PART) == NEWER


def test_an_older_view_stands_for_a_part_whose_newer_one_went() -> None:
    folds = Folds({}, set())
    folds.spare(OLDER, NOTHING, SPARED)
    folds.spare(NEWER, NOTHING, SPARED)
    folds.spare(NEWER, SPARED, NOTHING)
    assert folds.view_of(PART) == OLDER


def test_a_part_that_lost_its_last_view_is_decided_anew() -> None:
    dirty: set[Ref] = set()
    folds = Folds({}, dirty)
    folds.spare(OLDER, NOTHING, SPARED)
    dirty.clear()
    folds.spare(OLDER, SPARED, NOTHING)
    assert folds.view_of(PART) is None and dirty == {PART}

"""Sessions that are drawn without Hypothesis keep the laws too; `bench/million.py` checks very many of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.generate.build import random_session
from tests.laws.cases import every_format
from tests.laws.conversing import requests

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from million import CHUNK, Progress, check, check_session


def test_a_seed_gives_the_same_session_on_every_run() -> None:
    assert random_session(7, 24).recipe == random_session(7, 24).recipe
    assert random_session(7, 24).recipe != random_session(8, 24).recipe


@every_format
def test_drawn_sessions_grow_turn_by_turn(format: str) -> None:
    bodies = requests(random_session(3, 24), format)
    assert [len(body) for body in bodies] == sorted({len(body) for body in bodies})


@pytest.mark.parametrize("first", [0, 1_000_000])
def test_the_first_sessions_of_the_bench_break_no_law(first: int) -> None:
    found = check(first)
    assert found.problems == []
    assert (found.sessions, len(found.formats)) == (CHUNK, 5)
    assert found.edits > found.flushes > 0


@pytest.mark.parametrize("seed", [1182, 1602, 2375])
def test_a_result_is_judged_alike_with_an_attachment_and_with_its_note(seed: int) -> None:
    """The note made the text longer than the least that a strategy cuts, or unlike that of an equal result."""
    assert [laws["idempotence"] for laws in check_session(seed, Progress()) if laws["idempotence"]] == []


@pytest.mark.parametrize("seed", [141, 4435, 4765])
def test_a_reminder_that_a_request_brings_does_not_fill_the_context(seed: int) -> None:
    """Its words moved the level of pressure up when the pruned request was pruned again."""
    assert [laws["idempotence"] for laws in check_session(seed, Progress()) if laws["idempotence"]] == []

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


@pytest.mark.parametrize("seed", [1182, 1602, 2257, 2375])
def test_a_result_is_judged_alike_with_an_attachment_and_with_its_note(seed: int) -> None:
    """The note made the text longer than the least that a strategy cuts, or unlike that of an equal result.

    The note also passed for a line of the file that the result shows.
    """
    assert [laws["idempotence"] for laws in check_session(seed, Progress()) if laws["idempotence"]] == []


@pytest.mark.parametrize("seed", [141, 4435, 4765])
def test_a_reminder_that_a_request_brings_does_not_fill_the_context(seed: int) -> None:
    """Its words moved the level of pressure up when the pruned request was pruned again."""
    assert [laws["idempotence"] for laws in check_session(seed, Progress()) if laws["idempotence"]] == []


@pytest.mark.parametrize("seed", [3626, 3641])
def test_a_view_that_has_faded_does_not_keep_its_part_when_the_context_runs_short(seed: int) -> None:
    """Pressure passed over the part because of the view; the second pass saw no view any more."""
    assert [laws["idempotence"] for laws in check_session(seed, Progress()) if laws["idempotence"]] == []


def test_an_answer_may_point_to_any_of_six_earlier_ones() -> None:
    """Those that were cut hid later ones, to which the second pass pointed."""
    assert [laws["idempotence"] for laws in check_session(157, Progress()) if laws["idempotence"]] == []


def test_a_read_points_to_equal_lines_whatever_happened_in_between() -> None:
    """A read that was cut had told that the file changes unseen, which the second pass could not know."""
    assert [laws["idempotence"] for laws in check_session(683, Progress()) if laws["idempotence"]] == []


def test_a_note_for_an_attachment_counts_as_many_tokens_in_the_next_pass() -> None:
    """Two tokens more moved the level of pressure up when the pruned request was pruned again."""
    assert [laws["idempotence"] for laws in check_session(23872, Progress()) if laws["idempotence"]] == []


def test_a_line_that_is_too_long_to_be_followed_is_not_the_line_that_was_known() -> None:
    """A read of one very long line passed for the short line that had been written before."""
    assert [laws["idempotence"] for laws in check_session(6868, Progress()) if laws["idempotence"]] == []


def test_a_note_in_place_of_an_object_counts_the_object_around_it() -> None:
    """Gemini wants an object: the note had fewer characters than the answer, and more with `{"output": ...}`."""
    assert [laws["shrink"] for laws in check_session(12118, Progress()) if laws["shrink"]] == []


def test_an_old_read_goes_when_the_read_that_could_point_to_it_is_replaced() -> None:
    """A newer read could point to it by its lines, and so held it, although a third read replaced the newer one."""
    assert [laws["idempotence"] for laws in check_session(25757, Progress()) if laws["idempotence"]] == []


def test_a_middle_read_stays_if_no_other_read_of_its_file_is_shown() -> None:
    """Its note said that the file had changed, although the read with the same text had only been cut."""
    assert [laws["idempotence"] for laws in check_session(54024, Progress()) if laws["idempotence"]] == []

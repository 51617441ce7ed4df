from __future__ import annotations

import io
from pathlib import Path

from prunus.lab.policy import Unpruned
from prunus.lab.progress import Gauge, ProgressBoard, largest_first, line
from prunus.lab.replay import replay
from tests.lab.talk import anthropic, reads


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_log_gets_a_line_for_each_tenth_of_one_file_with_the_time_left() -> None:
    clock, out, cells = Clock(), io.StringIO(), [0, 0]
    board = ProgressBoard([1000], cells, clock=clock, out=out)
    gauge = Gauge(cells, 0, board.draw)
    gauge.expect(50)
    for _ in range(50):
        clock.now += 2
        gauge.advance()
    board.finish(0)
    lines = out.getvalue().splitlines()
    assert lines[0] == "10%, 5 requests replayed, about 90 s left, 0 of 1 file"
    assert lines[4] == "50%, 25 requests replayed, about 50 s left, 0 of 1 file"
    assert lines[-1] == "100%, 50 requests replayed, 1 of 1 file"


def test_a_log_of_quick_work_is_one_line() -> None:
    out, cells = io.StringIO(), [0, 0, 0, 0]
    board = ProgressBoard([10, 20], cells, clock=Clock(), out=out)
    for file in (0, 1):
        gauge = Gauge(cells, file, board.draw)
        gauge.expect(3)
        gauge.advance(3)
        board.finish(file)
    assert out.getvalue() == "100%, 6 requests replayed, 2 of 2 files\n"


def test_progress_weighs_files_by_size_even_without_counts() -> None:
    clock, out = Clock(), io.StringIO()
    board = ProgressBoard([300, 100], [0, 0, 0, 0], clock=clock, out=out)
    clock.now = 30
    board.finish(0)
    assert out.getvalue() == "75%, about 10 s left, 1 of 2 files\n"


def test_a_quiet_board_says_nothing() -> None:
    out = io.StringIO()
    board = ProgressBoard([1], [0, 0], quiet=True, out=out)
    board.finish(0)
    board.clear()
    assert out.getvalue() == ""


def test_a_narrow_terminal_omits_words_and_crops_no_number() -> None:
    said = "34%, 12,345 requests replayed, about 3 min left, 3 of 20 files"
    assert line(0.345, 12_345, (3, 20), 180, 80) == said
    assert line(0.345, 12_345, (3, 20), 180, 50) == "34%, 12,345 requests replayed, about 3 min left"
    assert line(0.345, 12_345, (3, 20), 180, 30) == "34%, 12,345 requests replayed"
    assert line(0.345, 12_345, (3, 20), 180, 5) == "34%"


def test_counting_requests_does_not_change_what_a_policy_sends() -> None:
    cells = [0, 0]
    recorded = anthropic(reads(5))
    assert replay(recorded, Unpruned(), gauge=Gauge(cells)) == replay(recorded, Unpruned())
    assert cells == [0, len(recorded.requests)]


def test_the_largest_file_comes_first_and_a_missing_one_last(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text("x")
    large.write_text("x" * 100)
    assert largest_first([tmp_path / "gone", small, large]) == [2, 1, 0]

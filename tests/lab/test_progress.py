from __future__ import annotations

from pathlib import Path

import pytest

from prunus.lab.progress import largest_first, watched


def test_results_pass_through_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched(iter(range(45)), 45, quiet=False)) == list(range(45))
    assert capsys.readouterr().err.splitlines() == ["20 of 45 files", "40 of 45 files", "45 of 45 files"]


def test_a_quiet_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched(iter("ab"), 2, quiet=True)) == ["a", "b"]
    assert capsys.readouterr().err == ""


def test_the_largest_file_comes_first_and_a_missing_one_last(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text("x")
    large.write_text("x" * 100)
    assert largest_first([tmp_path / "gone", small, large]) == [2, 1, 0]

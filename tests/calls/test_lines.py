"""Cutting what was printed."""

from __future__ import annotations

import pytest

from prunus.calls.lines import first, last, skip, within
from prunus.calls.meaning import FULL, Span


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (first(FULL, 10), Span(1, 10)),
        (first(Span(5, 8), 10), Span(5, 8)),
        (first(Span(-20, None), 5), None),
        (last(FULL, 20), Span(-20, None)),
        (last(Span(1, 100), 20), Span(81, 100)),
        (last(Span(-5, None), 20), Span(-5, None)),
        (last(Span(10, None), 5), None),
        (skip(Span(1, 100), 10), Span(11, 100)),
        (skip(Span(1, 10), 10), None),
        (within(Span(100, None), Span(1, 20)), Span(100, 119)),
        (within(Span(1, 50), Span(10, 80)), Span(10, 50)),
    ],
)
def test_lines_that_are_left(found: Span | None, expected: Span | None) -> None:
    assert found == expected

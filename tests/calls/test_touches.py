"""Cutting what was printed."""

from __future__ import annotations

import pytest

from prunus.calls.touches import FULL, Span


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (FULL.first(10), Span(1, 10)),
        (Span(5, 8).first(10), Span(5, 8)),
        (Span(-20, None).first(5), None),
        (FULL.last(20), Span(-20, None)),
        (Span(1, 100).last(20), Span(81, 100)),
        (Span(-5, None).last(20), Span(-5, None)),
        (Span(10, None).last(5), None),
        (Span(1, 100).skip(10), Span(11, 100)),
        (Span(1, 10).skip(10), None),
        (Span(100, None).part(Span(1, 20)), Span(100, 119)),
        (Span(1, 50).part(Span(10, 80)), Span(10, 50)),
    ],
)
def test_first_last_and_skip_narrow_a_span(found: Span | None, expected: Span | None) -> None:
    assert found == expected

"""Spans and rows."""

from __future__ import annotations

import pytest

from prunus.calls.meaning import Tool
from prunus.calls.touches import FULL, Span
from prunus.errors import SettingsError


@pytest.mark.parametrize(
    ("outer", "inner", "covered"),
    [
        (FULL, Span(5, 9), True),
        (FULL, Span(-20, None), True),
        (Span(1, 80), Span(10, 20), True),
        (Span(1, 80), Span(1, 80), True),
        (Span(1, 80), Span(10, 81), False),
        (Span(1, 80), FULL, False),
        (Span(10, None), Span(10, 500), True),
        (Span(10, None), Span(9, 20), False),
        (Span(10, None), Span(30, None), True),
        (Span(-20, None), Span(-5, None), True),
        (Span(-5, None), Span(-20, None), False),
        (Span(-20, None), Span(3, 4), False),
        (Span(10, None), Span(-5, None), False),
    ],
)
def test_a_span_covers_only_what_it_certainly_shows(outer: Span, inner: Span, covered: bool) -> None:
    assert outer.covers(inner) is covered


def test_only_the_whole_file_is_full() -> None:
    assert [Span().full, Span(1, 9).full, Span(2, None).full, Span(-1, None).full] == [True, False, False, False]


def test_a_row_with_an_unknown_kind_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(SettingsError, match=r"tools\.peek\.kind: 'look' is not one of read, write"):
        Tool("peek", "look")  # type: ignore[arg-type]


def test_a_row_without_a_name_is_refused() -> None:
    with pytest.raises(SettingsError, match="name"):
        Tool("", "read", path="path")

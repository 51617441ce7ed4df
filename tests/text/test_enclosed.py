"""Stretches between two marks."""

import re

from prunus.text.enclosed import enclosed

OPEN, CLOSE = re.compile("<"), re.compile(">")


def found(text: str) -> list[str]:
    return [text[start.start() : end.end()] for start, end in enclosed(text, OPEN, CLOSE)]


def test_each_mark_is_closed_by_the_first_one_behind_it() -> None:
    assert found("a<b>c<<d>>e") == ["<b>", "<<d>"]


def test_a_mark_without_an_end_encloses_nothing() -> None:
    assert found("a<b>c<d") == ["<b>"]
    assert found("a>b") == []

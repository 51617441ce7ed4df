"""Ids that a model repeats do not reach the client, however its words are cut."""

from __future__ import annotations

import pytest

from prunus.providers.filters import IdFilter, ShownIds

WORDS = "I have read it [id 3fa9c2], and [see below] for [id 999999]."


@pytest.mark.parametrize("size", range(1, len(WORDS) + 1))
def test_a_tag_goes_and_what_looks_like_one_stays(size: int) -> None:
    filtering = IdFilter({"3fa9c2"})
    shown = "".join(filtering.feed(WORDS[at : at + size]) for at in range(0, len(WORDS), size)) + filtering.flush()
    assert "3fa9c2" not in shown
    assert "[see below]" in shown
    assert "[id 999999]" in shown


def test_the_beginning_of_a_possible_tag_is_held_back() -> None:
    filtering = IdFilter({"3fa9c2"})
    assert filtering.feed("done [id 3f") == "done "
    assert filtering.feed("xyz") == "[id 3fxyz"


def test_the_ids_of_a_request_are_those_of_its_tags() -> None:
    ids = ShownIds(rb'{"content": "text\n[id 3fa9c2, thinking 88ab01]"}, {"content": "[id nothex]"}')
    assert "3fa9c2" in ids and "88ab01" in ids and "999999" not in ids and "nothex" not in ids
    assert "3fa9c2" not in ShownIds(b"{}")

"""Purity: the same request gives the same edits, and the given objects stay unchanged."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.cases import bodies, every_case, one_shot


@every_case
@given(data=st.data())
def test_proposing_twice_gives_the_same(format: str, preset: str, data: Any) -> None:
    body = data.draw(bodies(format))
    first, second = one_shot(body, preset), one_shot(body, preset)
    assert first.body == second.body
    assert first.edits == second.edits
    assert first.refusals == second.refusals
    assert first.report == second.report


@every_case
@given(data=st.data())
def test_given_objects_are_not_changed(format: str, preset: str, data: Any) -> None:
    body = json.loads(data.draw(bodies(format)))
    before = deepcopy(body)
    out = one_shot(body, preset)
    assert body == before
    if not out.edits:
        assert out.body is body

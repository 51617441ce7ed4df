"""Pairs: a pruned request is one that its provider takes, if it took the request."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.cases import bodies, every_case, one_shot
from tests.validity import new_problems


@every_case
@given(data=st.data())
def test_pruning_makes_no_request_invalid(format: str, preset: str, data: Any) -> None:
    body = data.draw(bodies(format))
    assert new_problems(body, one_shot(body, preset).body, format) == []

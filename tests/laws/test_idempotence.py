"""Idempotence: pruning a pruned request changes nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.cases import bodies, every_case, one_shot
from tests.laws.outcomes import second_changes


@every_case
@given(data=st.data())
def test_a_pruned_request_stays_as_it_is(format: str, preset: str, data: Any) -> None:
    once = one_shot(data.draw(bodies(format)), preset)
    assert second_changes(once, one_shot(once.body, preset)) == []

"""Pointer: what a note points to is there in full."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus.edits import Keep
from tests.laws.cases import bodies, every_case, one_shot


@every_case
@given(data=st.data())
def test_what_a_pointer_shows_is_untouched(format: str, preset: str, data: Any) -> None:
    out = one_shot(data.draw(bodies(format)), preset)
    touched = {edit.target for edit in out.edits}
    assert touched.isdisjoint(edit.shows for edit in out.edits)
    assert not any(isinstance(edit.replacement, Keep) or edit.pressure for edit in out.edits)
    assert len(touched) == len(out.edits)

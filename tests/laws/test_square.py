"""Square: parsing the written bytes equals making the edits."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import providers
from prunus.apply import apply
from tests.laws.cases import bodies, every_case, one_shot


@every_case
@given(data=st.data())
def test_the_written_body_reads_as_the_edited_history(format: str, preset: str, data: Any) -> None:
    body = data.draw(bodies(format))
    out = one_shot(body, preset)
    assert providers.read(out.body, format).messages == apply(providers.read(body, format), out.edits).messages

"""Types: a body comes back in the type it was given in, and means the same in each."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, prune
from tests.generate.build import sessions
from tests.generate.encode import encode
from tests.generate.render import render
from tests.laws.cases import PRESETS, every_case, one_shot
from tests.validity import FIELDS


@every_case
@given(session=sessions())
def test_every_type_gives_the_same_request(format: str, preset: str, session: Any) -> None:
    body = render(session, format)
    raw = encode(body)
    expected = one_shot(raw, preset)
    for given_as in (body, raw.decode(), bytearray(raw), memoryview(raw)):
        out = one_shot(given_as, preset)
        assert type(out.body) is type(given_as)
        assert _plain(out.body) == json.loads(expected.body)
        assert out.edits == expected.edits


@every_case
@given(session=sessions())
def test_a_bare_list_gives_a_list(format: str, preset: str, session: Any) -> None:
    body = render(session, format)
    if isinstance(body, list):
        return
    messages = body[FIELDS[format]]
    out = Pruner(PRESETS[preset]).prune(messages, format=format)
    assert out.error is None
    assert isinstance(out.body, list)
    # A list comes without system text and tools, so that less of the window is full.
    if not PRESETS[preset].window:
        assert out.body == one_shot(body, preset).body[FIELDS[format]]


def _plain(body: Any) -> Any:
    return body if isinstance(body, dict | list) else json.loads(bytes(body) if not isinstance(body, str) else body)


@given(st.sampled_from([(), 3, None, 1.5, {1, 2}, object()]))
def test_other_types_come_back_with_an_error(body: Any) -> None:
    out = prune(body)
    assert out.body is body
    assert out.error

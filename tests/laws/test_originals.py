"""Originals: whatever a request loses can be restored from its receipts."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import given

from prunus.lab.replay import strings
from tests.generate.build import sessions
from tests.generate.encode import encode
from tests.generate.render import render
from tests.laws.cases import every_case, one_shot

_NAME: Final = 16
"""Characters of the longest word that only says what kind of thing something is."""


@every_case
@given(session=sessions())
def test_every_text_that_a_request_loses_is_in_its_receipts(format: str, preset: str, session: Any) -> None:
    body = render(session, format)
    out = one_shot(encode(body), preset)
    assert all(receipt.original for receipt in out.receipts)
    kept = "\n".join(text for receipt in out.receipts for text in (receipt.original, *_inside(receipt.original)))
    shown = "\n".join(strings(json.loads(out.body)))
    said = (text for text in strings(body) if len(text) > _NAME)
    assert [text for text in said if text not in shown and text not in kept] == []


def _inside(original: str) -> list[str]:
    """The strings of an original that is JSON."""
    try:
        return strings(json.loads(original))
    except ValueError:
        return []

"""Identity: what no edit touches leaves with the bytes it came with."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.providers import frame
from tests.laws.cases import bodies, every_case, every_format, one_shot


@every_format
@given(data=st.data())
def test_without_strategies_a_body_is_the_same_object(format: str, data: Any) -> None:
    body = data.draw(bodies(format))
    out = Pruner(Settings(preset="off")).prune(body)
    assert out.body is body
    assert out.error is None


@every_case
@given(data=st.data())
def test_messages_without_edits_keep_their_bytes(format: str, preset: str, data: Any) -> None:
    body = data.draw(bodies(format))
    out = one_shot(body, preset)
    before, after = frame(body), frame(out.body)
    touched = {edit.target.message for edit in out.edits}
    gone = len(before.starts) - len(after.starts)
    kept = [before.raw(i) for i in range(len(before.starts)) if i not in touched]
    left = [after.raw(i) for i in range(len(after.starts))]
    assert gone <= len(touched)
    assert _in_order(kept, left)
    assert body[: before.starts[0]] == out.body[: after.starts[0]]
    assert body[before.ends[-1] :] == out.body[after.ends[-1] :]


def _in_order(kept: list[bytes], left: list[bytes]) -> bool:
    rest = iter(left)
    return all(message in rest for message in kept)

"""Bad input: whatever comes, a request goes out; either as it came with the reason, or valid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from tests.generate.build import sessions
from tests.generate.encode import encode
from tests.generate.render import FORMATS, render
from tests.laws.cases import PRESETS, every_case
from tests.validity import FIELDS, new_problems

SAMPLES = Path(__file__).parents[3] / "shared" / "wire-samples"
ODD: tuple[Any, ...] = (
    None,
    True,
    3,
    -1.5,
    "",
    "x" * 900,
    [],
    {},
    [None],
    {"type": "text"},
    {"type": []},
    [[1]],
    {"text": {}},
)


def unharmed(body: Any, settings: Settings, format: str | None = None) -> None:
    """Pruning raises nothing, and what comes out is what went in or at least no worse."""
    out = Pruner(settings).prune(body, format=format)
    if out.error is not None:
        assert out.body is body
        return
    if not out.edits:
        assert out.body == body
        return
    try:
        worse = new_problems(body, out.body, out.report.format)
    except (AttributeError, KeyError, TypeError, IndexError):
        # Beyond what the checker can follow; at least it is still one request of as many messages.
        json.loads(out.body) if isinstance(out.body, bytes) else json.dumps(out.body)
        return
    assert worse == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not JSON",
        b"null",
        b"3",
        b'"text"',
        b"{",
        b'{"messages": [',
        b'{"messages": [}',
        b'{"messages": null}',
        b'{"messages": "x"}',
        b'{"messages": [1, 2]}',
        b'{"messages": [null]}',
        b'{"messages": [[]]}',
        b'{"unknown": []}',
        b"\xff\xfe\x00",
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
        b'{"messages": [{"role": "user", "content": NaN}]}',
        b'{"messages": [{"role": "user", "content": "x"}]} trailing',
        b'\xef\xbb\xbf{"messages": []}',
    ],
)
def test_an_unreadable_body_comes_back_with_the_reason(body: bytes) -> None:
    out = Pruner().prune(body)
    assert out.body is body
    assert out.error


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages": []}',
        b"[]",
        b'{"contents": []}',
        b'{"input": []}',
        b'{"messages": [{"role": "user", "content": "x", "n": 1e400}]}',
        b'{"messages": [{"role": "user", "content": "x", "n": ' + b"9" * 5000 + b"}]}",
        b'{"messages": [{}]}',
        b'{"messages": [{"role": null, "content": null}]}',
        b'{"messages": [{"role": ["user"], "content": {"a": 1}}]}',
        b'{"messages": [{"role": "tool", "tool_call_id": 3, "content": [[], null, 3]}]}',
        b'{"messages": [{"role": "assistant", "tool_calls": [null, 3, [], {"function": 3}], "content": 3}]}',
        b'{"input": [{"type": 3}, {"type": null}, {"type": "reasoning", "summary": 3}, {"role": 3}]}',
        b'{"contents": [{"parts": [null, 3, {"functionCall": 3}, {"functionResponse": {"response": 3}}]}]}',
        b'[{"info": null, "parts": [null, {"type": "tool", "state": {"input": 3, "output": 4}}]}]',
    ],
)
def test_odd_but_readable_bodies_come_back_unchanged(body: bytes) -> None:
    out = Pruner(PRESETS["everything"]).prune(body)
    assert out.body is body


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("field", sorted(set(FIELDS.values())))
def test_nesting_without_end_is_survived(opening: bytes, field: str) -> None:
    closing = b"]" if opening == b"[" else b"}"
    deep = opening * 100_000 + b"1" + closing * 100_000
    inside = b'{"' + field.encode() + b'": [{"role": "user", "content": ' + deep + b"}]}"
    for body in (deep, inside, b'{"x": ' + deep + b', "' + field.encode() + b'": []}'):
        out = Pruner(PRESETS["everything"]).prune(body)
        assert out.body is body


def test_nested_objects_without_end_are_survived() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    body = {"messages": [{"role": "user", "content": deep}]}
    assert Pruner().prune(body).body is body


def test_objects_that_are_no_json_are_survived() -> None:
    loop: list[Any] = []
    loop.append(loop)
    for odd in (loop, object(), {1, 2}, "\ud800", float("nan"), 10**5000, {3: 4}, b"bytes"):
        body = {"messages": [{"role": "user", "content": "x", "odd": odd}, {"role": "user", "content": odd}]}
        assert Pruner(PRESETS["everything"]).prune(body).body is body


def test_a_body_over_the_limit_comes_back_with_the_reason() -> None:
    body = encode({"messages": [{"role": "user", "content": "x" * 2000}]})
    out = Pruner(Settings(limits={"body": 1000})).prune(body)
    assert out.body is body
    assert "1,000" in str(out.error)


def test_a_failure_does_not_stay() -> None:
    pruner = Pruner()
    good = encode({"messages": [{"role": "user", "content": "x"}]})
    assert pruner.prune(b'{"messages": [').error
    assert pruner.prune(good).error is None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda v: (
            st.lists(v)
            | st.dictionaries(
                st.sampled_from(["messages", "role", "content", "type", "parts", "info", "input", "contents"]), v
            )
        ),
    )
)
def test_any_json_is_survived(value: Any) -> None:
    unharmed(value, PRESETS["everything"])
    unharmed(json.dumps(value).encode(), PRESETS["everything"])


@every_case
@given(session=sessions(), seed=st.integers(0, 2**32))
def test_damaged_sessions_are_survived(format: str, preset: str, session: Any, seed: int) -> None:
    body = damaged(render(session, format), Random(seed))
    unharmed(encode(body), PRESETS[preset], format)
    unharmed(body, PRESETS[preset], format)


@given(session=sessions(), format=st.sampled_from(list(FORMATS)), other=st.sampled_from(list(FORMATS)))
def test_the_wrong_format_is_survived(session: Any, format: str, other: str) -> None:
    unharmed(encode(render(session, format)), PRESETS["everything"], other)


def samples() -> Iterator[tuple[str, Any]]:
    for path in sorted(SAMPLES.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        found = [line["body"] for line in lines if isinstance(line.get("body"), dict)]
        if found:
            yield path.stem, max(found, key=lambda body: len(json.dumps(body)))
        else:
            yield path.stem, [{"info": line["info"], "parts": line["parts"]} for line in lines]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded requests are not here")
@pytest.mark.parametrize("seed", range(24))
def test_damaged_recordings_are_survived(seed: int) -> None:
    for name, body in samples():
        broken = damaged(body, Random(f"{name}{seed}"))
        for preset in ("auto", "everything"):
            unharmed(json.dumps(broken).encode(), PRESETS[preset])


def damaged(value: Any, random: Random) -> Any:
    """A copy with a few nodes deleted, replaced or doubled."""
    copy = json.loads(json.dumps(value))
    for _ in range(random.randint(1, 4)):
        node = copy
        while isinstance(node, dict | list) and node:
            key = random.choice(list(node) if isinstance(node, dict) else range(len(node)))
            inner = node[key]
            if not isinstance(inner, dict | list) or not inner or random.random() < 0.15:
                _damage(node, key, random)
                break
            node = inner
    return copy


def _damage(node: Any, key: Any, random: Random) -> None:
    match random.randrange(3):
        case 0:
            del node[key]
        case 1:
            node[key] = random.choice(ODD)
        case _ if isinstance(node, list):
            node.insert(key, node[key])
        case _:
            node[random.choice(list(node))] = node[key]

"""Splicing equals the same change on the decoded value, and copies every other byte."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.errors import FormatError
from prunus.json.splice import Path, splice

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.sampled_from(['"', "\\", '\\"', "{", "]}", "a,b", "\u2028", "😀"]),
)
KEYS = st.sampled_from(["a", "b", 'q"q', "back\\slash", "é", "", "content"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
CONTAINERS = st.lists(VALUES, min_size=1, max_size=4) | st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


@st.composite
def spelled(draw: Any, value: Any) -> bytes:
    """JSON text of a value with odd spaces, and escapes where none are needed."""
    space = st.sampled_from(["", "", " ", "\n\t", " \r\n "])

    def write(inner: Any) -> str:
        before, after = draw(space), draw(space)
        if isinstance(inner, dict):
            members = (f"{draw(space)}{word(k)}{draw(space)}:{write(v)}" for k, v in inner.items())
            text = "{" + (",".join(members) or draw(space)) + "}"
        elif isinstance(inner, list):
            text = "[" + (",".join(map(write, inner)) or draw(space)) + "]"
        else:
            text = word(inner) if isinstance(inner, str) else json.dumps(inner)
        return f"{before}{text}{after}"

    def word(text: str) -> str:
        if draw(st.booleans()):
            return json.dumps(text, ensure_ascii=draw(st.booleans()))
        return '"' + "".join(f"\\u{unit:04x}" for unit in _units(text)) + '"'

    return write(value).encode()


def _units(text: str) -> list[int]:
    raw = text.encode("utf-16-be")
    return [int.from_bytes(raw[i : i + 2], "big") for i in range(0, len(raw), 2)]


def places(value: Any, at: Path = ()) -> list[Path]:
    """The paths of everything inside a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in members for path in [(*at, key), *places(inner, (*at, key))]]


def changed(value: Any, changes: dict[Path, Any]) -> Any:
    """The same changes on the decoded value; a missing entry in `changes` means removal."""
    copy = deepcopy(value)
    for path in sorted(
        changes, key=lambda p: [(isinstance(s, int), s if isinstance(s, int) else 0) for s in p], reverse=True
    ):
        parent = copy
        for step in path[:-1]:
            parent = parent[step]
        if changes[path] is REMOVED:
            del parent[path[-1]]
        else:
            parent[path[-1]] = changes[path]
    return copy


REMOVED = object()


@st.composite
def cases(draw: Any) -> tuple[Any, bytes, dict[Path, Any]]:
    """A value, its text, and changes none of which lies inside another."""
    value = draw(CONTAINERS)
    paths = places(value)
    chosen: dict[Path, Any] = {}
    for path in draw(st.lists(st.sampled_from(paths), min_size=1, max_size=5, unique=True)):
        if not any(path[: len(other)] == other or other[: len(path)] == path for other in chosen):
            chosen[path] = draw(st.just(REMOVED) | VALUES)
    return value, draw(spelled(value)), chosen


@given(cases())
def test_splicing_equals_the_same_change_on_the_decoded_value(case: tuple[Any, bytes, dict[Path, Any]]) -> None:
    value, raw, changes = case
    encoded = {path: None if new is REMOVED else json.dumps(new).encode() for path, new in changes.items()}
    assert json.loads(splice(raw, encoded)) == changed(value, changes)


@given(VALUES.flatmap(lambda value: st.tuples(st.just(value), spelled(value))))
def test_no_change_copies_every_byte_of_a_container(case: tuple[Any, bytes]) -> None:
    value, raw = case
    if isinstance(value, dict | list):
        assert splice(raw, {}) == raw


@given(CONTAINERS.flatmap(lambda value: st.tuples(st.just(value), spelled(value), st.sampled_from(places(value)))))
def test_bytes_outside_a_replaced_value_are_untouched(case: tuple[Any, bytes, Path]) -> None:
    _, raw, path = case
    mark = b'"\\u0001 put here"'
    out = splice(raw, {path: mark})
    head, _, tail = out.partition(mark)
    assert raw.startswith(head)
    assert raw.endswith(tail)
    assert len(head) + len(tail) < len(raw)


@given(CONTAINERS.flatmap(lambda value: st.tuples(st.just(value), spelled(value), st.sampled_from(places(value)))))
def test_splicing_again_changes_nothing_more(case: tuple[Any, bytes, Path]) -> None:
    _, raw, path = case
    once = splice(raw, {path: b"null"})
    assert splice(once, {path: b"null"}) == once


def test_removal_keeps_the_spacing_of_other_values() -> None:
    raw = b'{ "a" : 1 ,\n  "b" : [1, 2 , 3],  "c": {} }'
    assert splice(raw, {("b",): None}) == b'{ "a" : 1 ,\n  "c": {} }'
    assert splice(raw, {("b", 1): None}) == b'{ "a" : 1 ,\n  "b" : [1, 3],  "c": {} }'
    assert splice(raw, {("c",): None}) == b'{ "a" : 1 ,\n  "b" : [1, 2 , 3] }'


def test_removing_all_members_leaves_an_empty_container() -> None:
    assert json.loads(splice(b"[ 1 , 2 ]", {(0,): None, (1,): None})) == []
    assert json.loads(splice(b'{ "a": 1 }', {("a",): None})) == {}


def test_a_key_that_stands_twice_means_the_last_one() -> None:
    out = splice(b'{"a": "first", "b": 0, "a": "last"}', {("a",): b'"new"'})
    assert out == b'{"a": "first", "b": 0, "a": "new"}'
    assert json.loads(out)["a"] == "new"


def test_removing_a_key_that_stands_twice_removes_both() -> None:
    assert json.loads(splice(b'{"a": "first", "b": 0, "a": "last"}', {("a",): None})) == {"b": 0}


def test_a_key_is_found_however_it_is_escaped() -> None:
    assert splice(b'{"\\u0061": 1}', {("a",): b"2"}) == b'{"\\u0061": 2}'


def test_brackets_and_quotes_inside_strings_do_not_count() -> None:
    raw = rb'{"a": "]}\"[{\\", "b": [" , "], "c": 1}'
    assert splice(raw, {("c",): b"2"}) == rb'{"a": "]}\"[{\\", "b": [" , "], "c": 2}'


@pytest.mark.parametrize(
    ("raw", "path"),
    [(b'{"a": 1}', ("b",)), (b"[1]", (1,)), (b'{"a": 1}', ("a", "b")), (b"1", ("a",)), (b'{"a": [', ("a",))],
)
def test_a_path_that_is_not_there_is_an_error(raw: bytes, path: Path) -> None:
    with pytest.raises(FormatError):
        splice(raw, {path: b"0"})


def test_deep_nesting_around_a_change_is_copied() -> None:
    deep = b"[" * 50_000 + b"]" * 50_000
    assert splice(b'{"deep": ' + deep + b', "a": 1}', {("a",): b"2"}) == b'{"deep": ' + deep + b', "a": 2}'


@pytest.mark.parametrize(
    "text", ['\\"' * 120_000, "\\\\" * 50_000, "\\n" * 50_001 + "x", '{["' * 60_000, "plain" * 99_999]
)
def test_a_long_text_ends_at_its_own_quote(text: str) -> None:
    raw = json.dumps({"a": [{"long": text, "b": 1}], "c": 2}).encode()
    changed = splice(raw, {("c",): b"3", ("a", 0, "b"): b"4"})
    assert json.loads(changed) == {"a": [{"long": text, "b": 4}], "c": 3}
    assert json.loads(splice(raw, {("a",): b"[]"})) == {"a": [], "c": 2}


def test_a_long_text_without_an_end_is_refused() -> None:
    raw = b'{"a": "' + rb"\n" * 60_000
    with pytest.raises(FormatError):
        splice(raw, {("a",): b"1"})
    with pytest.raises(FormatError):
        splice(b'{"b": [1, ' + raw + b"\\", {("b",): b"1"})

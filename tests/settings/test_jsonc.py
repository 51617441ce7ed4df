"""JSON with comments and trailing commas."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.settings.jsonc import parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} // the end', {"a": 1}),
        ('{/* one\n two */"a": 1}', {"a": 1}),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('{"a": 1, // why\n}', {"a": 1}),
        ('{"a": "http://x/*y*/"}', {"a": "http://x/*y*/"}),
        (r'{"a": "\"// no comment"}', {"a": '"// no comment'}),
        ('{"a": ",]"}', {"a": ",]"}),
        ("/**/[]", []),
    ],
)
def test_comments_and_trailing_commas_are_ignored(text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize("text", ["[,]", "{,}", "[1,,]", "{} /* open", '{"a": NaN}', "{'a': 1}", "", "{} {}"])
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)


def test_an_error_after_a_comment_names_its_own_line_and_column() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        parse('{\n  /* a\n     b */ "x": 1, // more\n  "y": oops\n}')
    assert (caught.value.lineno, caught.value.colno) == (4, 8)


def test_a_duplicate_key_is_refused() -> None:
    with pytest.raises(ValueError, match='"a" occurs twice'):
        parse('{"a": 1, "a": 2}')


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(plain)
def test_plain_json_means_the_same(value: Any) -> None:
    assert parse(json.dumps(value, indent=1)) == value

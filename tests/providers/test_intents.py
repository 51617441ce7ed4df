"""The intent of a call leaves its arguments and comes back to where it stood."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.providers.filters import RemovedIntent, remove_intent, restore_intent

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.lists(
    st.tuples(st.text(max_size=6).filter(lambda key: key != "intent"), VALUES), max_size=4, unique_by=lambda m: m[0]
)
STYLES = st.sampled_from([(None, (",", ":")), (None, (", ", ": ")), (2, None)])


@given(ARGUMENTS, st.integers(0, 4), st.text(max_size=10), STYLES, st.booleans())
def test_the_same_text_becomes_the_models_bytes_again(
    members: list[tuple[str, Any]], at: int, why: str, style: Any, ascii: bool
) -> None:
    whole = dict([*members[:at], ("intent", why), *members[at:]])
    text = json.dumps(whole, indent=style[0], separators=style[1], ensure_ascii=ascii)
    found = remove_intent(text)
    assert found is not None
    rest, withheld = found
    assert list(json.loads(rest).items()) == members
    if members:
        assert restore_intent(rest, withheld) == text
    copy = json.dumps(json.loads(rest))
    assert list(json.loads(restore_intent(copy, withheld)).items()) == list(whole.items())
    assert RemovedIntent.load(withheld.dump()) == withheld


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1}',
        '{"a": 1, "intent": "cut o',
        '{"a": {"intent": "inner"}}',
        '["intent"]',
        '"intent"',
        '{"intent": 1} and more',
        '{"intent": 1 "a": 2}',
        '{intent: "x"}',
        '{"intent": "x",}',
        '{"intent": "x", "intent": "y"}',
        '{"\\ud800": 1, "intent": "x"}',
        "*** Begin Patch\n*** End Patch",
    ],
)
def test_arguments_without_intent_or_of_another_type_stay(text: str) -> None:
    assert remove_intent(text) is None


def test_the_intent_is_restored_in_a_call_with_other_arguments() -> None:
    withheld = RemovedIntent('"intent":"why"', ", ", "path")
    assert restore_intent("{}", withheld) == '{"intent":"why"}'
    assert restore_intent('{"new":1}', withheld) == '{"new":1, "intent":"why"}'
    assert restore_intent('{"path":1,"new":2}', withheld) == '{"path":1, "intent":"why","new":2}'
    assert restore_intent('{"a":1}', RemovedIntent('"intent":"why"')) == '{"intent":"why","a":1}'


def test_an_intent_of_the_clients_own_stays() -> None:
    text = '{"path":1,"intent":"mine"}'
    assert restore_intent(text, RemovedIntent('"intent":"why"')) is text
    assert restore_intent("no json", RemovedIntent('"intent":"why"')) == "no json"


def test_an_unreadable_record_of_an_intent_is_ignored() -> None:
    assert RemovedIntent.load(b"\xff") is None and RemovedIntent.load(b'{"format":"x"}') is None

"""A value is compared by its fields, and `replace` makes another one with some of them changed."""

from __future__ import annotations

from dataclasses import field

import pytest

from prunus.value import replace, value


@value
class Pair:
    left: str
    right: tuple[int, ...] = ()


@value
class Single:
    text: str


@value
class Counted:
    text: str
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = len(self.text)


def test_replace_keeps_the_other_fields() -> None:
    assert replace(Pair("a", (1, 2)), left="b") == Pair("b", (1, 2))


def test_a_value_with_one_field_is_replaced_whole() -> None:
    assert replace(Single("abc"), text="d") == Single("d")
    assert replace(Single("abc")) == Single("abc")


def test_a_derived_field_is_derived_again() -> None:
    assert replace(Counted("abc"), text="de").size == 2


def test_a_field_that_does_not_exist_is_refused() -> None:
    with pytest.raises(KeyError):
        replace(Pair("a"), middle="b")

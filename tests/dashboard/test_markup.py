"""HTML escapes whatever is not HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.dashboard.markup import Markup, element, join, text

HOSTILE = (
    "<script>alert(1)</script>",
    "</textarea><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "<!-- --><svg/onload=alert(1)>",
    "&lt;script&gt;",
    "]]><b>",
    "\x00<b>\x1b[31m",
    "\u202egnp.exe",
    "\ud800 half of a pair",
    "javascript:alert(1)",
)


class Seen(HTMLParser):
    """The elements, attributes and texts that a browser would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.words += data


def seen(markup: Markup) -> Seen:
    parser = Seen()
    parser.feed(markup)
    parser.close()
    return parser


@pytest.mark.parametrize("words", HOSTILE)
def test_text_never_becomes_an_element_or_an_attribute(words: str) -> None:
    made = seen(element("p", words, title=words))
    assert [tag for tag, _ in made.elements] == ["p"]
    assert [name for name, _ in made.elements[0][1]] == ["title"]
    made_bytes = element("p", words).encode()
    assert b"\x00" not in made_bytes and b"\x1b" not in made_bytes


@given(st.text())
def test_any_text_is_escaped_in_an_element(words: str) -> None:
    made = seen(element("td", words, data_words=words))
    assert [tag for tag, _ in made.elements] == ["td"]
    assert made.words == words or not words.isprintable()


def test_the_direction_of_text_cannot_be_reversed() -> None:
    assert "\u202e" not in text("\u202egnp.exe")


def test_markup_is_not_escaped_again() -> None:
    assert element("p", element("b", "<")) == "<p><b>&lt;</b></p>"


def test_attributes_that_are_off_are_left_out() -> None:
    assert element("input", disabled=True, hidden=False, title=None, aria_label="x") == (
        '<input disabled aria-label="x">'
    )


def test_nested_lists_and_nothing_are_children() -> None:
    assert join(["a", [None, 2, ["<"]]]) == "a2&lt;"


def test_a_drawn_shape_has_no_children_in_html() -> None:
    assert element("svg", element("rect", width=1), element("rect")) == '<svg><rect width="1"/><rect/></svg>'

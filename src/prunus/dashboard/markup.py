"""HTML that escapes by default: text from conversations is hostile until proven otherwise.

`element` makes the only strings that are HTML (`Markup`). Every other string is text and is escaped, wherever it
stands. Control characters, lone surrogates and marks that reverse the direction of text become visible marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias, Union

from prunus.text.printable import printable

_VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta"})
_DRAWN: Final = frozenset({"rect", "line", "path", "circle"})
"""Elements of SVG without children, which need a slash at their end."""


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()


Child: TypeAlias = Union[str, int, Iterable["Child"], None]  # noqa: UP007  # a string cannot stand beside `|`
"""What an element may contain; a string is text unless it is `Markup`."""
Attribute: TypeAlias = str | int | float | bool | None
"""The value of an attribute; True stands alone, None and False leave it out."""


def element(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return an element. `class_` becomes `class`, `aria_label` becomes `aria-label`."""
    opened = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}"
    if name in _VOID:
        return Markup(f"{opened}>")
    return Markup(f"{opened}/>" if name in _DRAWN else f"{opened}>{join(children)}</{name}>")


def join(children: Child) -> Markup:
    """Return children one after the other."""
    match children:
        case None:
            return Markup("")
        case Markup():
            return children
        case str():
            return text(children)
        case int():
            return Markup(str(children))
        case _:
            return Markup("".join(map(join, children)))


def text(words: str) -> Markup:
    """Return text as HTML."""
    return Markup(escape(printable(words, keep="\n\t"), quote=True))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(str(value))}"'

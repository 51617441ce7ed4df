"""Loops over words that are spelled out, unrolled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from prunus.tools.words import Simple, Word

__all__ = ["loops", "unrolled"]

_LOOP: Final = re.compile(r"\bfor\s+(\w+)\s+in\s+([\w./ @+:=,-]+?)\s*(?:;|\n)\s*do\b")
_USE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_MOST: Final = 50


def loops(command: str) -> dict[str, tuple[str, ...]]:
    """The variables of `for` loops, each with the words it stands for; none where those are not plain."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in _LOOP.findall(command):
        found[name] = found.get(name, ()) + tuple(words.split())
    return {} if sum(map(len, found.values())) > _MOST else found


def unrolled(simple: Simple, values: Mapping[str, tuple[str, ...]]) -> tuple[Simple, ...] | None:
    """A command of a loop once for each word; None if it holds anything else that is not certain."""
    words = (*simple.words, *simple.outputs, *simple.others)
    used = {name for word in words if not word.certain for name in _names(word.text)}
    if len(used) != 1 or not used <= set(values):
        return None
    if any(_USE.sub("", word.text).strip("\"'") != _plain(word.text) for word in words if not word.certain):
        return None
    (name,) = used
    return tuple(
        simple._replace(
            words=tuple(_filled(word, value) for word in simple.words),
            outputs=tuple(_filled(word, value) for word in simple.outputs),
            others=tuple(_filled(word, value) for word in simple.others),
        )
        for value in values[name]
    )


def _names(text: str) -> list[str]:
    return [plain or braced for plain, braced in _USE.findall(text)] or [""]


def _plain(text: str) -> str:
    """What is left of a word besides its variable, if no other expansion or pattern is in it."""
    rest = _USE.sub("", text).strip("\"'")
    return "\0" if re.search(r"[$`*?\[{(]", rest) else rest


def _filled(word: Word, value: str) -> Word:
    if word.certain:
        return word
    return Word(_USE.sub(lambda _: value, word.text).strip("\"'"))

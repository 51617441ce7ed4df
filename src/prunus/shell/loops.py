"""Loops over words that are spelled out, unrolled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.shell.words import Simple, Word

__all__ = ["loops", "unrolled"]

_FOR: Final = re.compile(r"\bfor\s+(\w+)\s+in\s+(?=[\w./ @+:=,-])")
_WORDS: Final = re.compile(r"[\w./ @+:=,-]+")
_DO: Final = re.compile(r"[^\S\n]*+(?:;|\n\s*+;?)\s*+do\b")
_USE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_MOST: Final = 50


def loops(command: str) -> dict[str, tuple[str, ...]]:
    """The variables of `for` loops, each with the words it stands for; none where those are not plain."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in _heads(command):
        found[name] = (*found.get(name, ()), *words.split())
        if sum(map(len, found.values())) > _MOST:
            return {}
    return found


def _heads(command: str) -> Iterator[tuple[str, str]]:
    """The variable of each `for` loop and what it goes over.

    The words of one loop may hold the beginning of another. Both end at the same place, which is looked for once.
    """
    taken = end = 0
    for head in _FOR.finditer(command):
        if head.start() < taken:
            continue
        if head.end() >= end:
            words = _WORDS.match(command, head.end())
            end = words.end() if words else head.end()
        if (do := _DO.match(command, end)) is not None:
            yield head[1], command[head.end() : end]
            taken = do.end()


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

"""Regular expressions of sed as Python's, where both find the same."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["effort", "replacement_of", "translated"]

_CLASSES: Final = {
    "[:space:]": r"\s", "[:blank:]": " \\t", "[:digit:]": "0-9", "[:alpha:]": "A-Za-z", "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z", "[:lower:]": "a-z",
}  # fmt: skip
_SPECIAL: Final = frozenset("(){}|+?")
_SHORTHANDS: Final = frozenset("sSwWb")
_LONGEST: Final = 1000
"""Characters of an expression."""
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?[^\]]*+\]?|.", re.S)


def translated(pattern: str, extended: bool, exact: bool) -> re.Pattern[str] | None:
    """The same expression in Python; None if it may find something else.

    sed takes the longest match. Where it matters what is found, and not only whether, groups that may be left out
    or repeated and alternatives are not translated.
    """
    if not pattern or "\n" in pattern or len(pattern) > _LONGEST:
        return None
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        special = False
        if char == "\\":
            at += 1
            if at == len(pattern):
                return None
            char = pattern[at]
            if char in _SPECIAL:
                special = not extended
            elif char in _SHORTHANDS:
                out.append("\\" + char)
                at += 1
                continue
            elif char == "t":
                out.append("\t")
                at += 1
                continue
            elif char.isalnum() or char in "<>`'":
                return None
            if not special:
                out.append(re.escape(char))
                at += 1
                continue
        elif char in _SPECIAL:
            special = extended
        elif char == "[":
            end = _bracket_end(pattern, at)
            inner = pattern[at + 1 : end]
            for name, chars in _CLASSES.items():
                inner = inner.replace(name, chars)
            if re.search(r"&&|--|\|\||~~", inner):
                return None
            if end < 0 or "[" in inner or "\\" in inner.replace(r"\s", "").replace("\\t", "") or inner[:1] == "]":
                return None
            out.append(f"[{inner}]")
            at = end + 1
            continue
        elif char == "*":
            if extended and (not out or out[-1] in ("(", "^")):
                return None
            out.append("*" if out and out[-1] not in ("(", "^") else r"\*")
            at += 1
            continue
        elif char == ".":
            out.append(".")
            at += 1
            continue
        elif char == "^":
            if at and not extended:
                out.append(r"\^")
            elif at:
                return None
            else:
                out.append("^")
            at += 1
            continue
        elif char == "$":
            last = at == len(pattern) - 1
            if not last and extended:
                return None
            out.append(r"\Z" if last else r"\$")
            at += 1
            continue
        if special and char in "{}":
            return None
        if special and char == "|" and exact:
            return None
        if special and char in "+?" and (not out or (exact and out[-1] == ")")):
            return None
        out.append(char if special else re.escape(char))
        at += 1
    if exact and any(out[index] == ")" and out[index + 1 : index + 2] == ["*"] for index in range(len(out))):
        return None
    if _nested(out):
        return None
    try:
        found = re.compile("".join(out), re.ASCII)
    except re.error:
        return None
    return None if exact and found.search("") else found


def _nested(out: list[str]) -> bool:
    """Whether something is repeated that may be repeated inside, or have alternatives: no reader is quick then."""
    loose = [False]
    for index, token in enumerate(out):
        if token == "(":
            loose.append(False)
        elif token == ")":
            inner = loose.pop() if len(loose) > 1 else False
            repeated = out[index + 1 : index + 2] in (["*"], ["+"])
            if inner and repeated:
                return True
            loose[-1] = loose[-1] or inner or repeated
        elif token in ("*", "+", "?", "|"):
            loose[-1] = True
    return False


def effort(pattern: re.Pattern[str], text: str) -> float:
    """About how many steps it may take at most to look for an expression in a text."""
    head, anchored, repeats, choices = _costs(pattern.pattern)
    if anchored:
        starts = 1
    elif pattern.flags & re.I or not head:
        starts = len(text)
    else:
        starts = text.count(head)
    return float(starts) * max(len(text), 1.0) ** repeats * 2.0**choices if starts else 1.0


@lru_cache(maxsize=256)
def _costs(pattern: str) -> tuple[str, bool, int, int]:
    """How an expression begins, whether it is bound to the front, and how much in it is repeated or may differ."""
    tokens = _TOKEN.findall(pattern)
    head: list[str] = []
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        special = token[1:] in _SHORTHANDS or token == r"\Z" if token[0] == "\\" else token[0] in "^.*+?()|["
        if special or after in ("*", "?"):
            break
        head.append(token[-1])
    while tokens and tokens[-1] == ")":
        tokens.pop()
    # What is repeated at the end takes all it can, and is done.
    repeats = sum(token in ("*", "+") for token in tokens) - (tokens[-1:] in (["*"], ["+"]))
    choices = min(sum(token in ("?", "|") for token in tokens), 60)
    return (
        "" if "|" in tokens else "".join(head),
        pattern.startswith("^") and "|" not in tokens,
        min(repeats, 20),
        choices,
    )


def _bracket_end(pattern: str, at: int) -> int:
    """Where a bracket expression ends; a class such as [:space:] has brackets of its own."""
    at += 1
    while at < len(pattern):
        if pattern.startswith("[:", at):
            at = pattern.find(":]", at) + 2
            if at < 2:
                return -1
        elif pattern[at] == "]":
            return at
        else:
            at += 1
    return -1


def replacement_of(text: str) -> tuple[str | int, ...] | None:
    """What stands in place of a match: texts, and numbers of groups, 0 for all of it."""
    out: list[str | int] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "&":
            out.append(0)
        elif char == "\\":
            at += 1
            if at == len(text):
                return None
            char = text[at]
            if char.isdigit():
                out.append(int(char))
            elif char in "nt":
                out.append("\n" if char == "n" else "\t")
            elif char.isalpha() or char == "\n":
                return None
            else:
                out.append(char)
        elif char == "\n":
            return None
        else:
            out.append(char)
        at += 1
    return tuple(out)

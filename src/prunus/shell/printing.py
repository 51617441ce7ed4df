"""Which lines of which files the printing programs print, by the words on their command line.

Without files, a program cuts what comes through the pipe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from prunus.numbers import as_number
from prunus.shell.words import Word
from prunus.touches import FULL, Span

Printed = tuple[tuple[Word, ...], tuple[Span, ...]]
"""The files that a command names, and the lines that it prints of each."""

_AWK = re.compile(
    r"""\s*(?:
        F?NR\s*==\s*(?P<from>\d+)\s*,\s*F?NR\s*==\s*(?P<to>\d+)
      | F?NR\s*==\s*(?P<only>\d+)
      | F?NR\s*(?P<low>>=?)\s*(?P<a>\d+)(?:\s*&&\s*F?NR\s*(?P<high><=?)\s*(?P<b>\d+))?
      | F?NR\s*(?P<top><=?)\s*(?P<c>\d+)
    )\s*+(?:\{\s*+(?:print(?:\s(?>[^;{}|>]*\$0)[^;{}|>]*+)?|printf[\s(](?>[^;{}|>]*\$0)\s*+\)?)\s*+;?\s*+\}\s*+)?""",
    re.X,
)
_COUNT = re.compile(r"-n?(\d+)|--lines=(\d+)")
_RANGE = re.compile(r"(\d*):(\d*)")


def _files(words: Sequence[Word], flags: str, valued: frozenset[str] = frozenset()) -> Printed | None:
    """The files of a command that prints whole files; None if a flag is not known to be harmless."""
    files: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if text in valued:
            at += 1
        elif text.startswith("--"):
            if text.partition("=")[0] not in valued | _HARMLESS:
                return None
        elif text[:1] == "-" and len(text) > 1:
            if not set(text[1:]) <= set(flags) and text[:2] not in valued:
                return None
        else:
            files.append(words[at - 1])
    return tuple(files), (FULL,)


_HARMLESS = frozenset({"--plain", "--number", "--show-all", "--quiet", "--silent", "--no-pager", "--"})
_NL_VALUED = frozenset({"-b", "-w", "-s", "-v", "-n", "--body-numbering", "--number-width"})
_BAT_VALUED = frozenset({"-l", "--style", "--paging", "--color", "--language", "--decorations", "--theme"})


def cat(words: Sequence[Word]) -> Printed | None:
    return _files(words, "nbAevstTEu")


def nl(words: Sequence[Word]) -> Printed | None:
    return _files(words, "ap0123456789", _NL_VALUED)


def pager(words: Sequence[Word]) -> Printed | None:
    return _files(words, "NRSXFe")


def type_(words: Sequence[Word]) -> Printed | None:
    if not words or not all("." in word.text or "/" in word.text or "\\" in word.text for word in words):
        return None
    return tuple(words), (FULL,)


def bat(words: Sequence[Word]) -> Printed | None:
    rest: list[Word] = []
    span = FULL
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if text in ("-r", "--line-range") and at < len(words):
            text = f"-r={words[at].text}"
            at += 1
        if text.startswith(("-r=", "--line-range=")):
            found = _RANGE.fullmatch(text.partition("=")[2])
            if found is None or span is not FULL:
                return None
            span = Span(as_number(found[1] or "1"), as_number(found[2]) if found[2] else None)
        else:
            rest.append(words[at - 1])
    shown = _files(rest, "pn", _BAT_VALUED)
    return shown and (shown[0], (span,))


def _counted(words: Sequence[Word]) -> tuple[tuple[Word, ...], str] | None:
    """The files and the line count of `head` and `tail`."""
    files: list[Word] = []
    count = "10"
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if text in ("-n", "--lines") and at < len(words):
            count = words[at].text
            at += 1
        elif found := _COUNT.fullmatch(text):
            count = found[1] or found[2]
        elif text.startswith(("-n+", "--lines=+", "-n-", "--lines=-")):
            count = text[text.index("=") + 1 :] if "=" in text else text[2:]
        elif text in ("-q", "-v", "--quiet", "--"):
            continue
        elif text[:1] in "-+" and len(text) > 1:
            if text[0] == "-" or not text[1:].isdigit():
                return None
            count = text
        else:
            files.append(words[at - 1])
    return tuple(files), count


def head(words: Sequence[Word]) -> Printed | None:
    counted = _counted(words)
    if counted is None or not counted[1].isdigit() or counted[1] == "0":
        return None
    return counted[0], (Span(1, as_number(counted[1])),)


def tail(words: Sequence[Word]) -> Printed | None:
    counted = _counted(words)
    if counted is None:
        return None
    files, count = counted
    if count.startswith("+") and count[1:].isdigit():
        return files, (Span(max(as_number(count[1:]), 1), None),)
    if not count.isdigit() or count == "0":
        return None
    return files, (Span(-as_number(count), None),)


def awk(words: Sequence[Word]) -> Printed | None:
    if not words or len(words) > 2:
        return None
    found = _AWK.fullmatch(words[0].text)
    if found is None:
        return None
    part = found.groupdict()
    if part["from"]:
        span = Span(as_number(part["from"]), as_number(part["to"]))
    elif part["only"]:
        span = Span(as_number(part["only"]), as_number(part["only"]))
    elif part["c"]:
        span = Span(1, as_number(part["c"]) - (part["top"] == "<"))
    else:
        end = as_number(part["b"]) - (part["high"] == "<") if part["b"] else None
        span = Span(max(as_number(part["a"]) + (part["low"] == ">"), 1), end)
    if span.end is not None and span.end < span.start:
        return None
    return tuple(words[1:]), (span,)

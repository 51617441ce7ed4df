"""Which lines of which files the printing programs print, by the words on their command line.

Without files, a program cuts what comes through the pipe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from prunus.calls.touches import FULL, Span
from prunus.shell.words import Word
from prunus.text.numbers import as_number

Printed = tuple[tuple[Word, ...], tuple[Span, ...]]
"""The files that a command names, and the lines that it prints of each."""

_COUNT = re.compile(r"-n?(\d+)|--lines=(\d+)")


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


cat = partial(_files, flags="nbAevstTEu")
nl = partial(_files, flags="ap0123456789", valued=_NL_VALUED)
pager = partial(_files, flags="NRSXFe")
bat = partial(_files, flags="pn", valued=_BAT_VALUED)


def type_(words: Sequence[Word]) -> Printed | None:
    if not words or not all("." in word.text or "/" in word.text or "\\" in word.text for word in words):
        return None
    return tuple(words), (FULL,)


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

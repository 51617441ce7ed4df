"""Which lines of which files the printing programs print, by the words on their command line.

Without files, a program cuts what comes through the pipe. `sed` may also edit its files in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from prunus.calls.changes import Unclear
from prunus.calls.touches import FULL, Span
from prunus.shell.changes import NOTHING, Changes, each, letters
from prunus.shell.words import Simple, Word
from prunus.text.numbers import as_number

Form = Literal["plain", "numbered", "unknown", "altered"]
"""Whether an output shows lines without numbers, with numbers, in one of these forms, or altered."""


class Printed(NamedTuple):
    """The files that a command names, and the lines that it prints of each."""

    files: tuple[Word, ...]
    spans: tuple[Span, ...] = (FULL,)
    form: Form = "plain"


_COUNT = re.compile(r"-n?(\d+)|--lines=(\d+)")


def _files(
    words: Sequence[Word], flags: str, valued: frozenset[str] = frozenset(), form: Form = "plain"
) -> Printed | None:
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
    return Printed(tuple(files), form=form)


_HARMLESS = frozenset({"--plain", "--number", "--show-all", "--quiet", "--silent", "--no-pager", "--"})
_NL_VALUED = frozenset({"-b", "-w", "-s", "-v", "-n", "--body-numbering", "--number-width"})
_BAT_VALUED = frozenset({"-l", "--style", "--paging", "--color", "--language", "--decorations", "--theme"})


def cat(words: Sequence[Word]) -> Printed | None:
    flags, texts = set(letters(words)), {word.text for word in words}
    form: Form = "numbered" if "n" in flags or "--number" in texts else "plain"
    if flags & set("AbeEstTv") or "--show-all" in texts:
        form = "altered"
    return _files(words, "nbAevstTEu", form=form)


def nl(words: Sequence[Word]) -> Printed | None:
    all_lines = "ba" in letters(words) or any(word.text == "a" for word in words)
    return _files(words, "ap0123456789", _NL_VALUED, "numbered" if all_lines else "altered")


pager = partial(_files, flags="NRSXFe", form="unknown")
bat = partial(_files, flags="pn", valued=_BAT_VALUED, form="unknown")


def type_(words: Sequence[Word]) -> Printed | None:
    if not words or not all("." in word.text or "/" in word.text or "\\" in word.text for word in words):
        return None
    return Printed(tuple(words), form="unknown")


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
    return Printed(counted[0], (Span(1, as_number(counted[1])),))


def tail(words: Sequence[Word]) -> Printed | None:
    counted = _counted(words)
    if counted is None:
        return None
    files, count = counted
    if count.startswith("+") and count[1:].isdigit():
        return Printed(files, (Span(max(as_number(count[1:]), 1), None),))
    if not count.isdigit() or count == "0":
        return None
    return Printed(files, (Span(-as_number(count), None),))


_SED_FLAGS = re.compile(r"-(?P<letters>[nErsuz]*)(?:(?P<in_place>i).*|(?P<script>[ef])(?P<text>.*))?", re.S)
"""Short flags; the suffix of -i and the script of -e may stand right behind them."""
_PRINT = re.compile(r"(\d+)(?:,\s*(\d+|\$|\+\d+))?\s*(?:p|\{\s*p;?\s*\})|\$\s*p")
_STEP = re.compile(
    r"""[\s;{}!,]*(?:
        (?:\d+|\$)[\d~+]*
      | /(?P<address>(?:\\.|[^/\\\n])+)/I?
      | s(?P<mark>[^\w\s\\])(?P<pattern>(?:\\.|(?!(?P=mark))[^\\])+)(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)\w*
      | [aic](?:\\.|[^\\\n])*  # The text that is added reaches to the end of the line.
      | [^;\n}]+)""",
    re.X | re.S,
)
"""An address, or one command of a script."""
_MARK = re.compile(r"[;\n{}]")
_QUIT = re.compile(r"\d+\s*q")
_SED_LONG = {
    "--expression": "-e", "--file": "-f", "--in-place": "-i", "--quiet": "-n", "--silent": "-n",
    "--regexp-extended": "-E", "--separate": "-s", "--unbuffered": "-u", "--null-data": "-z",
}  # fmt: skip


class _Sed(NamedTuple):
    """The words of one `sed`, sorted."""

    scripts: tuple[str, ...]
    files: tuple[Word, ...]
    quiet: bool
    in_place: bool
    extended: bool
    """Expressions are extended ones, by -E or -r."""
    odd: bool
    """A flag that is not understood."""


def _read(words: Sequence[Word]) -> _Sed:
    scripts: list[str] = []
    files: list[Word] = []
    flags = ""
    in_place = odd = False
    at = 0
    while at < len(words):
        text = words[at].text
        at += 1
        if text[:2] == "--":
            name, _, value = text.partition("=")
            text = _SED_LONG.get(name, "--") + value
        found = _SED_FLAGS.fullmatch(text) if len(text) > 1 else None
        if found is not None:
            flags += found["letters"]
            in_place = in_place or found["in_place"] is not None
            if found["script"]:
                odd = odd or found["script"] == "f"
                scripts.append(found["text"] or (words[at].text if at < len(words) else ""))
                at += not found["text"]
        elif text[:1] == "-" and len(text) > 1:
            odd = True
        elif text:
            # The sed of BSD takes the suffix of -i as a word of its own, mostly an empty one.
            files.append(words[at - 1])
    if not scripts and files:
        scripts.append(files.pop(0).text)
    odd = odd or "z" in flags
    return _Sed(tuple(scripts), tuple(files), "n" in flags, in_place, "E" in flags or "r" in flags, odd)


def sed_changes(words: Sequence[Word], simple: Simple) -> Changes:
    """The files that `sed -i` edits."""
    sed = _read(words)
    return each(sed.files, Unclear()) if sed.in_place else NOTHING


def sed_expressions(words: Sequence[Word]) -> Iterator[tuple[str, bool]]:
    """The expressions by which `sed -i` finds the lines that it edits, and whether each is an extended one."""
    sed = _read(words)
    if sed.in_place:
        for script in sed.scripts:
            for found in _STEP.finditer(script):
                if expression := found["address"] or found["pattern"]:
                    yield expression, sed.extended


def sed_prints(words: Sequence[Word]) -> Printed | None:
    """The lines that `sed -n 'N,Mp'` and its like print; None if the script does anything else."""
    sed = _read(words)
    if sed.odd or sed.in_place or len(sed.files) > 1:
        return None
    spans = _spans(";".join(sed.scripts), quiet=sed.quiet)
    return Printed(sed.files, spans) if spans else None


def _spans(script: str, *, quiet: bool) -> tuple[Span, ...]:
    """The lines that a script prints; empty if printing is not all it does."""
    steps = _steps(script)
    if not quiet:
        if len(steps) == 1 and _QUIT.fullmatch(steps[0]):
            return (Span(1, as_number(steps[0][:-1])),)
        return ()
    spans: list[Span] = []
    for step in steps:
        if _QUIT.fullmatch(step) and spans:
            if spans[-1].end is None or as_number(step[:-1]) < spans[-1].end:
                return ()
            continue
        found = _PRINT.fullmatch(step)
        if found is None:
            return ()
        start, end = found[1], found[2]
        if start is None:
            spans.append(Span(-1, None))
        elif end is None:
            spans.append(Span(max(as_number(start), 1), as_number(start)))
        elif end == "$":
            spans.append(Span(as_number(start), None))
        else:
            stop = as_number(start) + as_number(end[1:]) if end[0] == "+" else as_number(end)
            spans.append(Span(max(as_number(start), 1), max(stop, as_number(start))))
    return tuple(spans)


def _steps(script: str) -> list[str]:
    """The commands of a script; a separator inside braces does not end a command."""
    steps: list[str] = []
    end = len(script)
    inside = False
    for mark in reversed(list(_MARK.finditer(script))):
        if mark[0] in "{}":
            inside = mark[0] == "}"
        elif not inside:
            steps.append(script[mark.end() : end].strip())
            end = mark.start()
    steps.append(script[:end].strip())
    return [step for step in reversed(steps) if step]

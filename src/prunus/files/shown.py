"""Which lines of a file a result shows, for the read tools of every agent, and in which form.

Only what certainly is a line of the file counts: long lines, which tools cut, are unknown, and so is an empty last
line that may only stand for the line break before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from prunus.calls import Span, is_cut
from prunus.files.content import split
from prunus.numbers import as_number

_FIRST: Final = re.compile(r"( *)(\d+)(→|\t|\| ?|: |:|\. )")


@dataclass(frozen=True, slots=True)
class Style:
    """One way of showing lines."""

    separator: str = ""
    """Between number and text; empty if lines are not numbered."""
    width: int = 0
    """Width of the number, filled from the left."""
    fill: str = " "

    def show(self, lines: Iterable[tuple[int, str]]) -> str:
        """Numbered lines as the tool would show them."""
        return "\n".join(
            f"{str(number).rjust(self.width, self.fill)}{self.separator}{text}" for number, text in lines
        )


PLAIN: Final = Style()


class Numbered(NamedTuple):
    """Lines that a result shows with their numbers."""

    start: int
    texts: tuple[str, ...]
    style: Style
    rest: tuple[str, ...]
    """The lines behind them."""


def numbered(lines: Sequence[str], separator: str | None = None) -> Numbered | None:
    """The lines at the front that carry numbers counting up by one; None if the first one does not."""
    first = _FIRST.match(lines[0]) if lines else None
    if first is None or (separator is not None and not first[3].startswith(separator)):
        return None
    mark = separator or first[3]
    start = as_number(first[2])
    texts: list[str] = []
    for number, line in enumerate(lines, start):
        front = line.lstrip(" ")
        digits = str(number)
        padded = front.lstrip("0") if first[2].startswith("0") else front
        if padded.startswith(digits + mark):
            texts.append(padded[len(digits) + len(mark) :].removesuffix("\r"))
        elif padded in (digits, digits + mark.rstrip()):
            texts.append("")
        else:
            break
    width = len(first[1]) + len(first[2])
    style = Style(mark, width if first[1] or first[2].startswith("0") else 0, "0" if first[2][0] == "0" else " ")
    return Numbered(start, tuple(texts), style, tuple(lines[len(texts) :]))


_LONGEST: Final = 1990
"""Characters; most read tools cut lines at 2000."""
_MOST: Final = 2000
"""Lines that read tools show where no number is asked for."""
_REMINDER: Final = re.compile(r"<system-reminder>.*?</system-reminder>\s*\Z", re.S)
_TAG: Final = re.compile(r"\n\[[\w-]{1,20}: \w{1,12}\]\s*\Z")
_OPENCODE: Final = re.compile(
    r"\A(?:<path>[^\n]*</path>\n<type>file</type>\n<content>\n?|<file>\n)", re.S
)  # OpenCode 1.18 and before 1.1
_OPENCODE_END: Final = re.compile(r"\(End of (?:the )?file - total (\d+) lines\)")
_OPENCODE_MORE: Final = re.compile(r"\(Showing lines \d+-\d+ of (\d+)")
_GEMINI: Final = re.compile(
    r"\A\s*IMPORTANT: The file content has been truncated\.\n"
    r"(?>.*?Showing lines (\d+)-(\d+) of (\d+) total lines\.)"
    r".*?--- FILE CONTENT \(truncated\) ---\n",
    re.S,
)
_QWEN: Final = re.compile(
    r"\A(?:The file: [^\n]* has been updated\. )?Showing lines (\d+)-(\d+) of (\d+)(?: total lines| from the edited"
    r" file)[.:]\n+---\n\n"
)
_PI_MORE: Final = re.compile(
    r"\n\n\[(?:Showing lines \d+-\d+ of \d++|\d+ more lines in file\.|Line \d+ is )[^\n]*\]\Z"
)
_CAT: Final = re.compile(r"(?:\A|\n)[^\n]{0,400}?`cat -n` on [^\n]*:\n")
_UPDATED: Final = re.compile(r"\ASuccessfully (?:modified|created|overwrote)[^\n]* Here is the updated code:\n")
_WINDOW: Final = re.compile(r"^\[File: (?P<path>[^\n]+?) \((?P<total>\d+) lines total\)\]$", re.M)
_ABOVE: Final = re.compile(r"\(\d+ more lines? above\)|<<<<< (?:START|END) CURSOR >>>>>")
_OPEN: Final = re.compile(r"^\(Open file: ([^\n]+)\)$", re.M)
_RAW: Final = frozenset({"read", "read_file", "read_text_file"})
"""Tools that show a file as it is, unless they say otherwise."""
_NUMBERING: Final = frozenset({"Read", "view", "read", "read_file", "view_file", "text_editor", "ReadFile",
                               "str_replace_editor", "str_replace_based_edit_tool", "file_editor"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of one file, as a result shows them."""

    start: int
    texts: tuple[str | None, ...]
    total: int | None = None
    """How many lines the file has, where that shows."""
    ended: bool | None = None
    style: Style = PLAIN
    path: str = ""
    """The file, where only the result names it."""


def read_result(tool: str, span: Span, text: str) -> Shown | None:
    """What a read tool shows of the file it was asked for; None if that is not certain."""
    text = trimmed(text)
    if opened := _OPENCODE.match(text):
        return _opencode(text[opened.end() :])
    if text.startswith("<path>"):
        return None
    if (found := _CAT.search(text[:600])) is not None:
        return _cat(text[found.end() :], span)
    if found := _GEMINI.match(text) or _QWEN.match(text):
        return _told(text[found.end() :], as_number(found[1]), as_number(found[2]), as_number(found[3]))
    lines = text.split("\n")
    listed = numbered(lines) if tool.rsplit("__", 1)[-1] in _NUMBERING else None
    if listed is not None and listed.start == max(span.start, 1) and (tool != "read" and tool != "read_file"):
        clean = not any(line.strip() for line in listed.rest)
        asked = None if span.end is None else span.end - span.start + 1
        full = len(listed.texts) < (_MOST if asked is None else asked)
        return _counted(listed.start, listed.texts, clean and full, listed.style)
    if tool.rsplit("__", 1)[-1] in _RAW and not is_cut(text):
        return _bare(text, span)
    if tool == "read" and (more := _PI_MORE.search(text)):
        texts = tuple(map(_short, text[: more.start()].split("\n")))
        return Shown(max(span.start, 1), texts)
    return None


def trimmed(text: str) -> str:
    """A result without what clients append to it."""
    end = len(text)
    while text.find("</system-reminder>", max(0, end - 60), end) >= 0:
        start = text.rfind("<system-reminder>", 0, end)
        if start < 0 or _REMINDER.match(text, start, end) is None:
            break
        end = start
        while end and text[end - 1] == "\n":
            end -= 1
    text = text[:end]
    return _TAG.sub("", text) if text[-1:] == "]" else text


def snippet(text: str) -> Shown | None:
    """The lines that an editing tool shows after it has changed the file."""
    text = trimmed(text)
    if (found := _CAT.search(text[:1200])) is not None:
        lines = text[found.end() :].split("\n")
        listed = numbered(lines)
        if listed is not None:
            texts = tuple(map(_short, listed.texts))
            return Shown(listed.start, texts if texts[-1] != "" else texts[:-1], style=listed.style)
    if found := _QWEN.match(text):
        return _told(text[found.end() :], as_number(found[1]), as_number(found[2]), as_number(found[3]))
    return None


def returned(text: str) -> tuple[tuple[str, ...], ...]:
    """The stretches of new text, without numbers, that Gemini CLI shows after it has changed a file."""
    found = _UPDATED.search(text[:1200])
    if found is None:
        return ()
    stretches: list[list[str]] = [[]]
    for line in text[found.end() :].split("\n"):
        if line.strip() == "...":
            stretches.append([])
        else:
            stretches[-1].append(line.removesuffix("\r"))
    return tuple(tuple(lines) for lines in stretches if any(lines))


def window(text: str) -> Shown | None:
    """The part of the open file that SWE-agent shows below every command that moves in it."""
    if " lines total)]" not in text:
        return None
    heads = list(_WINDOW.finditer(text))
    if len(heads) != 1:
        return None
    lines = [line for line in text[heads[0].end() + 1 :].split("\n") if not _ABOVE.fullmatch(line)]
    listed = numbered(lines, ":")
    opened = _OPEN.search(text)
    if listed is None or opened is None:
        return None
    total = as_number(heads[0]["total"])
    if listed.start + len(listed.texts) - 1 > total:
        return None
    return Shown(listed.start, tuple(map(_short, listed.texts)), total, None, listed.style, opened[1].strip())


def _short(text: str) -> str | None:
    return text if len(text) < _LONGEST else None


def _counted(start: int, lines: tuple[str, ...], complete: bool, style: Style) -> Shown:
    """Lines of a tool that shows one more, empty line where a file ends with a line break."""
    texts = tuple(map(_short, lines))
    last = bool(texts) and texts[-1] == ""
    if last:
        texts = texts[:-1]
    if not complete:
        return Shown(start, texts, style=style)
    return Shown(start, texts, start - 1 + len(texts), True if last else None, style)


def _opencode(text: str) -> Shown | None:
    listed = numbered(text.split("\n"))
    if listed is None:
        return None
    rest = "\n".join(listed.rest)[:200]
    texts = tuple(map(_short, listed.texts))
    ended, more = _OPENCODE_END.search(rest), _OPENCODE_MORE.search(rest)
    count = as_number(ended[1]) if ended else as_number(more[1]) if more else None
    end = listed.start - 1 + len(texts)
    if (ended and count != end) or (count is not None and count < end):
        count = None
    return Shown(listed.start, texts, count, None, listed.style)


def _cat(text: str, span: Span) -> Shown | None:
    listed = numbered(text.split("\n"))
    if listed is None or listed.start != max(span.start, 1):
        return None
    clean = not any(line.strip() for line in listed.rest)
    return _counted(listed.start, listed.texts, clean and span.end is None, listed.style)


def _told(body: str, start: int, end: int, total: int) -> Shown | None:
    """Bare lines below a header that says which ones they are; the count may include an empty last one."""
    lines = [line.removesuffix("\r") for line in body.split("\n")]
    size = end - start + 1
    if len(lines) < size or any(lines[size:]):
        return None
    texts = tuple(map(_short, lines[:size]))
    if end == total and texts and texts[-1] == "":
        return Shown(start, texts[:-1], total - 1, True)
    if end == total:
        return Shown(start, texts, total)
    return Shown(start, texts[:-1] if texts[-1] == "" else texts)


def _bare(text: str, span: Span) -> Shown | None:
    start = max(span.start, 1)
    lines, ended = split(text)
    texts = tuple(map(_short, lines))
    if span.full:
        return Shown(1, texts, len(texts), ended if texts else None)
    if span.end is None:
        return Shown(start, texts, start - 1 + len(texts), ended) if texts else None
    return Shown(start, texts[: span.end - start + 1])

"""Which lines of a file a result shows, for the tools of every agent.

Only what certainly is a line of the file counts: long lines, which tools cut, are unknown, and so is an empty last
line that may only stand for the line break before it.
"""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.results import is_cut
from prunus.calls.shown import Shown, Style, numbered, uncut
from prunus.calls.touches import Span
from prunus.clients.dialect import pattern, words
from prunus.clients.system_reminders import without_last_reminders
from prunus.files.content import MOST, split

_LARGEST: Final = 8_000_000
"""Characters of the longest result that is followed. To cut a longer one apart would keep all threads waiting."""
_MOST: Final = 2000
"""Lines that read tools show if the call gives no number."""
_TAG: Final = re.compile(r"\n\[[\w-]{1,20}: \w{1,12}\]\s*\Z")
_CAT: Final = re.compile(r"(?:\A|\n)[^\n]{0,400}?`cat -n` on [^\n]*:\n")
_READERS: Final = tuple(reader for readers in words("readers") for reader in readers)
_WINDOWS: Final = words("window")
_FOOT: Final = pattern("foot")
_UPDATED_CODE: Final = pattern("updated_code")
_RAW: Final = frozenset({"read", "read_file", "read_text_file"})
"""Tools that show a file as it is, unless they say otherwise."""
_NUMBERING: Final = frozenset({"Read", "view", "read", "read_file", "view_file", "text_editor", "ReadFile",
                               "str_replace_editor", "str_replace_based_edit_tool", "file_editor"})  # fmt: skip


def read_result(tool: str, span: Span, text: str) -> Shown | None:
    """Return the lines that a read tool shows of its file; None if they are not certain."""
    if len(text) > _LARGEST:
        return None
    text = trimmed(text)
    for header, reader in _READERS:
        if found := header.match(text):
            shown: Shown | None = reader(found)
            return shown
    if (found := _cat_head(text[:600])) is not None:
        return _cat(text[found.end() :], span)
    name = tool.rsplit("__", 1)[-1]
    # A file of more lines is not followed, so no more of them are cut apart.
    listed = numbered(text.split("\n", MOST + 1)) if name in _NUMBERING else None
    if listed is not None and listed.start == max(span.start, 1) and tool not in ("read", "read_file"):
        clean = not any(line.strip() for line in listed.rest)
        asked = None if span.end is None else span.end - span.start + 1
        full = len(listed.texts) < (_MOST if asked is None else asked)
        return _counted(listed.start, listed.texts, clean and full, listed.style)
    if name in _RAW and not is_cut(text):
        return _bare(text, span)
    if tool == "read" and (foot := _FOOT.search(text)):
        return Shown(max(span.start, 1), uncut(text[: foot.start()].split("\n")))
    return None


def _cat_head(text: str) -> re.Match[str] | None:
    """The line above numbered lines that says so, in the first characters of a result."""
    return _CAT.search(text) if "`cat -n` on " in text else None


def trimmed(text: str) -> str:
    """A result without the reminders and the id that agents append to it."""
    text = without_last_reminders(text)
    return _TAG.sub("", text) if text[-1:] == "]" else text


def snippet(text: str) -> Shown | None:
    """The lines that an editing tool shows after it has changed the file."""
    text = trimmed(text)
    if (found := _cat_head(text[:1200])) is not None:
        listed = numbered(text[found.end() :].split("\n"))
        if listed is not None:
            texts = uncut(listed.texts)
            return Shown(listed.start, texts if texts[-1] != "" else texts[:-1], style=listed.style)
    return next((reader(found) for header, reader in _READERS if (found := header.match(text))), None)


def updated_code(text: str) -> tuple[tuple[str, ...], ...]:
    """The stretches of new text, without numbers, that an editing tool shows after it has changed a file."""
    found = _UPDATED_CODE.match(text)
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
    """The part of an open file that a result shows, whatever the call was."""
    for read in _WINDOWS:
        shown: Shown | None = read(text)
        if shown is not None:
            return shown
    return None


def _counted(start: int, lines: tuple[str, ...], complete: bool, style: Style) -> Shown:
    """Lines of a tool that shows one more, empty line where a file ends with a line break."""
    texts = uncut(lines)
    last = bool(texts) and texts[-1] == ""
    if last:
        texts = texts[:-1]
    if not complete:
        return Shown(start, texts, style=style)
    return Shown(start, texts, start - 1 + len(texts), True if last else None, style)


def _cat(text: str, span: Span) -> Shown | None:
    listed = numbered(text.split("\n"))
    if listed is None or listed.start != max(span.start, 1):
        return None
    clean = not any(line.strip() for line in listed.rest)
    return _counted(listed.start, listed.texts, clean and span.end is None, listed.style)


def _bare(text: str, span: Span) -> Shown | None:
    start = max(span.start, 1)
    lines, ended = split(text)
    texts = uncut(lines)
    if span.full:
        return Shown(1, texts, len(texts), ended if texts else None)
    if span.end is None:
        return Shown(start, texts, start - 1 + len(texts), ended) if texts else None
    return Shown(start, texts[: span.end - start + 1])

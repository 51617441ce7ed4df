"""The notes that Prunus writes into requests, and the functions that recognise them.

A note says what was there, why it went and how to see it again, in few words. Models copy what they see, so a note
is one bracketed sentence that cannot be mistaken for file content, a command or an error message.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Literal

from prunus.text.numbers import as_number

Words = Literal["prunus", "seeds"]
"""Whose wording the notes have: that of Prunus, or that of the ACP plugin's documents."""
Elsewhere = Literal["first", "earlier", "later", ""]
"""Which other read shows the text of a read; empty if none does."""

REASONING_GONE = "—"
"""The content of a reasoning field that has to stay when its reasoning is removed."""

_PREFIX = "[Prunus: "
_VIEW = "[Prunus: current lines of "
_FOLDED = "; its older reads and edits are folded into them]"
_EDITS = re.compile(r"\[Edits to [^\n]+: \d+ changes between turns \d+-\d+\]")
_LONGEST = 600
_ERROR = re.compile(r"\[Error output truncated - \d+ chars total\]\s*\Z")
_WRITTEN = "[Prunus: outline of what was written to "
_IN_FILE = " lines removed; read the file for what it has now]"
_HEADS = ("\n\n[Prunus: ", "\n\n[Edits to ")
_HEAD = re.compile(r"\n(?=\n(\[(?:Prunus: |Edits to )[^\n]*))")
_OUTLINE = re.compile(
    r"\[Prunus: (?:[\d,]+ of [\d,]+ lines removed|lines \d+-\d+ removed(?: except those above)?)"
    r"; call the tool again to see them\.\]\Z"
)
_POINTER = re.compile(
    r"\[Prunus: [^\n]* removed; the earlier ([^\n]+) shows (?:the same|its lines among) ([\d,]+) characters"
    r"(?:; lines \d+-\d+ are lines \d+-\d+ there)?\.\]"
)
_DISTILLED = re.compile(r"\[Prunus: [^\n]{0,300} removed; what you kept of it: ")
_FILE = re.compile(r"\[File: [^\n]*, \d+KB\]")
_KEPT = "; what you kept of it: "
_SUPERSEDED = "[auto-superseded: "
_REREAD = "[Re-read of "
_SEE: Mapping[Elsewhere, str] = {
    "first": " - see first read above for content]",
    "earlier": " - see earlier read for content]",
    "later": " - see later read for content]",
    "": " - the file changed since, read it to see its current text]",
}
_ID = r"[0-9a-f]{6,32}"
_OTHERS = rf"(?:, (?:thinking|text|file) {_ID})*"
_TAG = re.compile(rf"(?:^|\n)\[id ({_ID}){_OTHERS}\]\Z")
_ECHO = re.compile(rf"\n?\[id ({_ID}){_OTHERS}\]")
_REMINDER = "[Prunus reminder: "
_CUT = re.compile(r"^\.\.\. \[truncated: [\d,]+ chars total, [\d,]+ lines\] \.\.\.$", re.MULTILINE)


def note(what: str, why: str, again: str = "") -> str:
    """Return the sentence that stands in place of a removed part."""
    return f"{_PREFIX}{what} removed; {why}.{' ' + again if again else ''}]"


def is_note(text: str) -> bool:
    """Whether a text is nothing but a note, or the remainder of a shortened error."""
    if text.startswith(_PREFIX) and text.endswith("]"):
        return len(text) <= _LONGEST or _DISTILLED.match(text) is not None
    if text.startswith((_SUPERSEDED, _REREAD)) and len(text) <= _LONGEST and "\n" not in text:
        return text.endswith("]" if text.startswith(_SUPERSEDED) else tuple(_SEE.values()))
    return _ERROR.search(text, max(0, len(text) - 60)) is not None


def is_shortened(text: str) -> bool:
    """Whether the middle of a text has been cut already."""
    return ("... [truncated: " in text and _CUT.search(text) is not None) or _end_of_outline(text) is not None


def superseded_note(what: str, why: str, words: Words) -> str:
    """Return the note in place of a result that a later call replaced."""
    return f"{_SUPERSEDED}{why}]" if words == "seeds" else note(f"older {what}", why)


def reread_note(path: str, where: Elsewhere, words: Words) -> str:
    """Return the note in place of a read; `where` is the read that shows its text."""
    if words == "seeds":
        return f"{_REREAD}{path}{_SEE[where]}"
    if not where:
        return note(f"read of {path}", "the file changed since", "Read it to see its current text.")
    which = "a later" if where == "later" else "an earlier"
    return note(f"re-read of {path}", f"{which} read of it shows the same text")


def distilled_note(what: str, summary: str) -> str:
    """Return the note that holds the agent's own summary of a removed part."""
    return f"{_PREFIX}{what} removed{_KEPT}{summary}]"


def kept_summary(text: str) -> str:
    """Return the agent's own summary from a note; empty for any other text."""
    if not is_file_note(text) and not (_DISTILLED.match(text) and text.endswith("]")):
        return ""
    return text.partition(_KEPT)[2].removesuffix("]")


def pointer_note(what: str, earlier: str, size: int, *, among: bool = False, moved: str = "") -> str:
    """Return the note in place of an answer whose text, or some of it, an earlier part of that size shows.

    `moved` gives the line numbers, if the earlier part shows the lines under other numbers.
    """
    same = "its lines among" if among else "the same"
    return note(what, f"the earlier {earlier} shows {same} {size:,} characters{moved}")


def pointer_target(text: str) -> tuple[str, int] | None:
    """Return the part that a pointer note names, and its size; None for any other text."""
    found = _POINTER.fullmatch(text) if len(text) <= _LONGEST else None
    return None if found is None else (found[1], as_number(found[2].replace(",", "")))


def tag(id: str, others: Iterable[tuple[str, str]] = ()) -> str:
    """Return the line behind a result that gives its id, and the ids of the thinking, text and files before it."""
    return f"\n[id {', '.join((id, *(f'{kind} {other}' for kind, other in others)))}]"


def reminder_note(words: str) -> str:
    """Return a reminder to the model, which stands at the end of a message."""
    return f"\n\n{_REMINDER}{words}]"


def has_reminder(text: str) -> bool:
    """Whether a text contains a reminder of Prunus."""
    return _REMINDER in text


def without_tag(text: str) -> tuple[str, str]:
    """A text without the tag and the reminder behind it, and the id of the tag.

    A tool may answer something that looks like a tag; whether Prunus put it there is for the view to say.
    """
    if not text.endswith("]"):
        return text, ""
    text = without_reminder(text)
    found = _TAG.search(text, max(0, text.rfind("[id ") - 1))
    return (text[: found.start()], found[1]) if found else (text, "")


def without_reminder(text: str) -> str:
    """Return a text without the reminder at its end."""
    if not text.endswith("]") or (at := text.find(_REMINDER, text.rfind("\n") + 1)) < 0:
        return text
    return text[:at].removesuffix("\n").removesuffix("\n")


def without_repeated_ids(text: str, ids: Container[str]) -> str:
    """Return a text of the model without the tags that it repeats. Lines that only resemble a tag stay."""
    if "[id " not in text:
        return text
    return _ECHO.sub(lambda found: "" if found[1] in ids else found[0], text)


def error_note(total: int) -> str:
    """Return the line under the first line of an old error."""
    return f"[Error output truncated - {total} chars total]"


def truncated_note(characters: int, lines: int) -> str:
    """Return the line between the head and the tail of a long output."""
    return f"... [truncated: {characters:,} chars total, {lines:,} lines] ..."


def outline_note(kept: int, lines: int, where: str = "") -> str:
    """Return the line under the outline of an output.

    `where` names the lines of its file that the output showed.
    """
    above = " except those above" if kept else ""
    removed = f"lines {where} removed{above}" if where else f"{lines - kept:,} of {lines:,} lines removed"
    return f"[Prunus: {removed}; call the tool again to see them.]"


def written_note(path: str, removed: int, lines: int) -> str:
    """Return the line above the outline of a text that was written to a file."""
    return f"{_WRITTEN}{path}; {removed:,} of {lines:,}{_IN_FILE}"


def split_outlines(text: str) -> tuple[str, ...]:
    """Split a result into its own text and the possible outlines behind it."""
    own, *outlines = text.split(f"\n\n{_WRITTEN}")
    return own, *(f"\n\n{_WRITTEN}{outline}" for outline in outlines)


def without_outline_note(text: str) -> str:
    """Return the outline of an output without the note under it, so that the outline ends as the output did."""
    found = _end_of_outline(text)
    return text if found is None else text[: found.start()]


def _end_of_outline(text: str) -> re.Match[str] | None:
    """Return the match of the note under an outline; None if the text does not end with one."""
    return _OUTLINE.search(text, max(0, len(text) - 120)) if text.endswith(".]") else None


def view_note(path: str) -> str:
    """Return the line above the current lines of a file."""
    return f"{_VIEW}{path}{_FOLDED}"


def edits_note(path: str, count: int, first: int, last: int, did: Iterable[str], words: Words) -> str:
    """Return the summary of a run of edits, under a line with their number."""
    head = f"[Edits to {path}: {count} changes between turns {first}-{last}]"
    tail = ("[Full diff available in ground truth]",) if words == "seeds" else ()
    return "\n".join((head, *did, *tail))


def is_view(line: str) -> bool:
    """Whether a line stands above current lines of a file, a summary of its edits, or an outline of its text."""
    ends = ((_VIEW, _FOLDED), (_WRITTEN, _IN_FILE))
    return any(line.startswith(start) and line.endswith(end) for start, end in ends) or bool(_EDITS.fullmatch(line))


def without_views(text: str) -> str:
    """Return a result without the views, summaries and outlines that Prunus put behind it."""
    # A search for plain words is several times quicker than one for a pattern, and most texts have none of them.
    at = text.find("\n\n[")
    if at < 0:
        return text
    at = min((found for head in _HEADS if (found := text.find(head, at)) >= 0), default=len(text))
    heads = (found for found in _HEAD.finditer(text, at) if is_view(found[1]))
    first = next(heads, None)
    return text if first is None else text[: first.start()]


def file_note(name: str, size: int, summary: str = "") -> str:
    """Return the text in place of an attachment; `size` is in bytes, `summary` is the agent's own."""
    kept = f"{_KEPT}{summary}" if summary else ""
    return f"[File: {shorten(name)}, {round(size / 1024)}KB{kept}]"


def is_file_note(text: str) -> bool:
    """Whether a text is nothing but the text in place of an attachment."""
    file, kept, summary = text.partition(_KEPT)
    return _FILE.fullmatch(f"{file}]" if kept and summary.endswith("]") else text) is not None


def code_note(language: str, lines: int, words: Words) -> str:
    """Return the line in place of a block of code."""
    why = " - truncated to save context" if words == "seeds" else ""
    return f"[Code block: {language or 'text'}, {lines} lines{why}]"


def shorten(name: str, most: int = 120) -> str:
    """Return a path or command that fits into a note: on one line, with its end kept."""
    flat = " ".join(name.split())
    return flat if len(flat) <= most else "…" + flat[1 - most :]

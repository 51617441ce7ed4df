"""What stays of a result that is cut: of code its definitions, of listings the paths, of logs what complains."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from prunus.notes import is_shortened, outline_note
from prunus.outlines.code import code
from prunus.outlines.listing import listing, middle
from prunus.outlines.log import log
from prunus.view.uses import Use

Sort = Literal["code", "listing", "log"]

_READ: Final = 1 << 20
"""Characters of a text that an outline is made from."""
_SEVERAL: Final = re.compile(r"[;&|\n]")
_START: Final = r"(?:^|&&|\|\||;|\n)[^\S\n]*(?:cd\s+\S+\s*)?"
_NAMES: Final = r"rg|ag|ack|[efz]?grep|fd|find|ls|tree|dir|Get-ChildItem|Select-String|git\s+(?:grep|ls-files)"
_SEARCH: Final = re.compile(rf"{_START}(?:{_NAMES})(?![\w-])")


def outline_of(use: Use, text: str, share: float) -> str:
    """At most about this share of the result of a call, by what the call was."""
    if use.meaning.kind == "read" and use.touches:
        touch = use.touches[0]
        alone = len(use.touches) == 1 and not _SEVERAL.search(use.meaning.command)
        return outline(text, share, "code", touch.path, max(touch.span.start, 0) if alone else 0)
    return outline(text, share, "listing" if searches(use) else "log")


@lru_cache(maxsize=16)
def outline(text: str, share: float, sort: Sort = "log", path: str = "", first: int = 0) -> str:
    """At most about this share of a text, with a note below that counts the lines that went.

    Of a file what it defines, with the numbers of the lines; `first` is the number of its first line. Of a listing
    the paths. Of anything else the edges, what complains, and the paths. An outline stays as it is.
    """
    if is_shortened(text):
        return text
    # Nobody reads more than the first megabyte holds, and looking through it would keep all threads waiting.
    beyond = sum(text.count("\n", at, at + _READ) for at in range(_READ, len(text), _READ))
    text = text[:_READ]
    room = int(len(text) * share)
    match sort:
        case "code":
            sketch = code(text, room, path, first)
        case "listing":
            sketch = listing(text, room)
        case "log":
            sketch = log(text, room)
    total = sketch.total + beyond
    return "\n".join((*sketch.shown, outline_note(sketch.kept, total, "" if beyond else sketch.where)))


@lru_cache(maxsize=4)
def gist(text: str, share: float, *, listing: bool = False) -> str:
    """At most about this share of the middle of a text: what complains, and paths; ends with a newline."""
    text = text[:_READ]
    return "".join(f"{line}\n" for line in middle(text, int(len(text) * share), listing=listing))


def searches(use: Use) -> bool:
    """Whether a call searches or lists, by a tool of its own or by a command."""
    if use.meaning.kind in ("search", "list"):
        return True
    return use.meaning.kind == "shell" and _SEARCH.search(use.meaning.command) is not None

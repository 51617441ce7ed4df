"""Text that was written to a file: when the bulk of it goes, an outline stays to be seen behind the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from prunus.edits import Input
from prunus.history import Call, Result
from prunus.notes import shorten, written_note
from prunus.outlines.code import code
from prunus.proposals import bare_input
from prunus.view.uses import Use
from prunus.view.view import View

_BEGINNING: Final = 120


def lean_input(use: Use, view: View, over: int, share: float) -> Input | None:
    """The arguments that identify a call and, of the text that it wrote to a file, at most this share in words.

    What the text defines, or how it begins where it defines nothing. None where there is no bulk to
    lose, or no place for the words. Of an edit, and of a write that failed, only the arguments stay. The words do
    not stand where the text was: models copy what they find there into files.
    """
    call, result = view.part(use.call), view.part(use.result)
    kept = bare_input(use, call, over) if isinstance(call, Call) else None
    if kept is None or not isinstance(call, Call) or not isinstance(call.input, Mapping):
        return None
    if use.meaning.kind != "write" or len(use.touches) != 1 or not share or not use.ok:
        return Input(kept)
    # What stands for a picture or an object is text, but there was none when it was cut.
    placed = isinstance(result, Result) and result.texts and not (use.cut or use.shortened)
    if not placed or use.defines or use.compacted:
        return None
    texts = (value for key, value in call.input.items() if key not in kept and isinstance(value, str))
    text = "\n".join(texts).strip("\n")
    words, size = _outline(text, share, use.touches[0].path)
    return Input(kept, f"\n\n{words}", use.result) if size < len(text) else None


@lru_cache(maxsize=4)
def _outline(text: str, share: float, path: str) -> tuple[str, int]:
    """At most this share of a text, and the bytes that it has in JSON, against as few as the text can have."""
    sketch = code(text, int(len(text) * share), path, 1)
    begins = text[:_BEGINNING].split("\n")[0]
    head = written_note(shorten(path), sketch.total - sketch.kept, sketch.total)
    words = "\n".join((head, *(sketch.shown or [begins])))
    return words, len(json.dumps(words, ensure_ascii=False).encode("utf-8", "surrogatepass"))

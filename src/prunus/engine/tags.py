"""The ids behind results, with which an agent names the parts that it wants to prune.

A tag is placed when its result is first sent, and stays whatever happens to the result. It also gives the ids of
the thinking, the text and the files before it, which cannot carry a tag of their own.
"""

from __future__ import annotations

from typing import Final

from prunus.history import Attachment, Ref, Text, Thinking
from prunus.notes import tag
from prunus.schedule.ledger import Tag
from prunus.strategies.strategy import TakesRequests
from prunus.view.uses import Piece, Use
from prunus.view.view import View

_LEAST: Final = 200
"""Characters that a part needs for its id to be shown."""


class Tags:
    """The ids of the parts of one conversation, and where they are shown."""

    def __init__(self, view: View, strategy: TakesRequests | None, *, shown: bool, own: bool = True) -> None:
        self._view = view
        self._strategy = strategy if shown else None
        self._own = own
        self._unnamed: list[tuple[str, str]] = []
        """Kinds and ids of thinking, text and files that the next tag names."""
        self.placed: dict[Ref, Tag] = {}
        """The tag behind each result."""
        self.tokens = 0
        """The tokens of all tags."""

    def name(self, piece: Piece) -> None:
        """Give an id to reasoning and text of the assistant, and to files outside of results."""
        part = piece.part
        if isinstance(part, Attachment) and part.inside is None:
            self._name_file(piece.ref, part)
        if piece.role != "assistant" or not isinstance(part, Text | Thinking):
            return
        if len(part.text) + getattr(part, "hidden", 0) >= _LEAST:
            id = self._view.name(piece.ref, part.text.encode("utf-8", "surrogatepass"))
            if self._own:
                self._unnamed.append(("text" if isinstance(part, Text) else "thinking", id))

    def _name_file(self, ref: Ref, file: Attachment) -> None:
        if file.size:
            content = f"{file.name}:{file.media_type}:{file.size}"
            self._unnamed.append(("file", self._view.name(ref, content.encode("utf-8", "surrogatepass"))))

    def tag(self, use: Use) -> int:
        """Give a result its id, and show the id if the result may be pruned; returns the added tokens."""
        id = self._view.name(use.result, use.shown, use.name)
        message = use.result.message
        for part, file in self._view.message(message).parts_inside(use.result.part):
            if isinstance(file, Attachment):
                self._name_file(Ref(message, part), file)
        rules = self._strategy
        if rules is None or rules.forbids(use.tool) or use.defines or use.compacted:
            return 0
        if not (use.ok or rules.errors):
            return 0
        # A result that an earlier pass cut or extended had no tag then, so it gets none now.
        short = use.size < _LEAST or use.edited
        if (short and not use.name) or not self._view.result(use).texts:
            return 0
        words = tag(id, self._unnamed)
        self.placed[use.result] = Tag(use.result, words, added=not use.name)
        self._unnamed = []
        tokens = 0 if use.name else self._view.counter.count(words)
        self.tokens += tokens
        return tokens

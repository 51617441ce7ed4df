"""A file as an agent's own read tool would show it, from the lines that are certain."""

from __future__ import annotations

from collections.abc import Iterable

from prunus.files.state import FileState
from prunus.files.timeline import Followed, Mention

__all__ = ["render", "style_source"]


def render(state: FileState, like: Mention, numbers: Iterable[int] | None = None) -> str | None:
    """The certain lines of a file in the format of an earlier read; None if that format cannot show them.

    `numbers` chooses lines; without it all certain ones are shown. A format without line numbers cannot show gaps,
    nor anything but the front of a file.
    """
    if like.style is None or state.deleted:
        return None
    wanted = None if numbers is None else set(numbers)
    lines = [(n, text) for n, text in state.numbered if wanted is None or n in wanted]
    if not lines or (not like.style.separator and lines[0][0] != 1):
        return None
    return like.style.show(lines, state.length, state.ended)


def style_source(file: Followed) -> Mention | None:
    """The newest read of a file, whose format a view of it should have."""
    return next((mention for mention in reversed(file.mentions) if mention.style is not None), None)

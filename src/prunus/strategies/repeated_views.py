from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import replaceable, supersede, supersede_earlier
from prunus.view.uses import Use
from prunus.view.view import View

_FILE_KINDS = ("read", "write", "edit")


@dataclass(frozen=True, slots=True)
class _Looked:
    """The pattern and the place of a search or listing."""

    key: str


@dataclass(frozen=True, slots=True)
class RepeatedViews:
    """An older read whose lines a later read of the same file shows again.

    A later read of other lines replaces nothing. A read of the whole file that its tool truncated counts only for
    the lines that it shows. An answer that only points back shows no lines.
    """

    name: ClassVar[str] = "repeated_views"
    seed: ClassVar[str] = "aggressiveFilePrune, one-file-one-view"
    icon: ClassVar[str] = "👁️"

    any_operation: bool = False
    """Let any read, write or edit of a file replace all earlier ones, and a repeated search or listing replace
    those with another limit (the ACP plugin's rule)."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if self.any_operation and use.ok and use.meaning.unlimited:
            yield _Looked(use.meaning.unlimited)
        kinds = _FILE_KINDS if self.any_operation else ("read",)
        if use.ok and use.meaning.kind in kinds:
            yield from dict.fromkeys(touch.path for touch in use.touches if touch.kind in kinds)

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if not use.visible:
            return
        if isinstance(group, _Looked):
            yield from supersede_earlier(self.name, use, earlier, "the same search was made again later", view)
            return
        if self.any_operation:
            for old in replaceable(earlier, view, lambda old: old.visible):
                if all(view.newest_touch(touch.path, _FILE_KINDS) > old.index for touch in old.touches):
                    yield supersede(self.name, old, use, "the file was used again later", view)
            return
        for old in replaceable(earlier, view, lambda old: old.visible and _shows(old, use)):
            if _shows(use, old):
                yield supersede(self.name, old, use, "the same lines were read again later", view)


def _shows(use: Use, other: Use) -> bool:
    """Whether a read shows every line of another."""
    return all(
        any(
            shown.kind == "read" and shown.path == touch.path and shown.span.covers(touch.span)
            for shown in use.touches
        )
        for touch in other.touches
    )

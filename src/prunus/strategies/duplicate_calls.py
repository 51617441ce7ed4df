from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Edit, Note
from prunus.notes import note
from prunus.strategies.cut import cut, describe, replaceable
from prunus.view import Use, View

__all__ = ["DuplicateCalls"]


@dataclass(frozen=True, slots=True)
class DuplicateCalls:
    """An older call with the same tool and the same arguments.

    The newest answer is the one that counts. Key order does not matter; a call that failed, and an answer that
    only points back to an earlier one, replace nothing. After a `cd`, the same shell command is another one.

    Not for tools whose every call returns the next piece of one long output.

    With `point_back`, an answer that says what an earlier one says already gives way to a note that points
    there, whatever the call was. That can be done before it is first sent, which costs no prompt cache; the
    earlier answer then stays.
    """

    name: ClassVar[str] = "duplicate_calls"
    seed: ClassVar[str] = "hash supersede"
    icon: ClassVar[str] = "🔄"

    except_tools: tuple[str, ...] = ("write_stdin", "BashOutput", "TaskOutput", "read_bash", "bash_output")
    """Tools that answer the same question with the next piece of an output."""
    point_back: bool = False
    """Let a new answer point to an earlier one with the same text, instead of cutting that one."""
    over: int = 500
    """Answers with fewer characters do not point back."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if self.point_back and use.ok and use.size > self.over:
            yield use.shown
        if use.signature and use.ok and use.tool not in self.except_tools:
            yield use.signature, use.epoch

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Edit]:
        if not use.visible:
            return
        if group == use.shown:
            if (first := self._first(use, earlier, view)) is not None:
                yield _pointer(self.name, use, first)
            return
        for old in replaceable(earlier, view, lambda old: old.visible and self._first(old, earlier, view) is None):
            if self._first(use, (old,), view) is None:
                yield cut(self.name, old, use, "the same call was made again later")

    def _first(self, use: Use, members: Sequence[Use], view: View) -> Use | None:
        """The first of these calls that an answer points back to, because it says the same."""
        if not self.point_back or use.size <= self.over:
            return None
        for old in members:
            if old.index < use.index and old.shown == use.shown and old.visible:
                return None if _carries(use, view) else old
        return None


def _pointer(strategy: str, use: Use, old: Use) -> Edit:
    what = describe(old)
    text = note(describe(use), f"the earlier {what} shows the same text")
    return Edit(use.result, Note(text), strategy, "says the same again", by=old.call, shows=old.result, fresh=True)


def _carries(use: Use, view: View) -> bool:
    """Whether a result brings files along, which its text does not tell apart."""
    parts = view.message(use.result.message).parts
    return any(getattr(part, "inside", None) == use.result.part for part in parts)

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

from prunus.edits import PREFERENCES, Move, Withdraw
from prunus.proposals import describe, is_protected, pointer, replaceable, supersede
from prunus.view.uses import Use
from prunus.view.view import View

_SAME, _OTHER, *_POINTERS = range(PREFERENCES)
"""The preferences of its proposals: an equal newer answer, another newer answer, and pointers to six older
answers."""


@dataclass(frozen=True, slots=True)
class DuplicateCalls:
    """An older call with the same tool and the same arguments.

    Only the newest answer counts, so the older answer goes. The order of the keys does not matter. A failed call
    replaces nothing, nor does an answer that only points back to an earlier one. After a `cd`, the same shell
    command is a different call.

    Tools that return the next piece of one long output with every call are excluded (`except_tools`).

    With `point_back`, the newer answer goes instead: an answer with the same text as an earlier one becomes a note
    that points there, even if the calls differ. Prunus can do so before the answer is first sent, which costs no
    prompt cache. The earlier answer then stays. If it goes for another reason, the next answer with that text stays
    instead.
    """

    name: ClassVar[str] = "duplicate_calls"
    seed: ClassVar[str] = "hash supersede"
    icon: ClassVar[str] = "🔄"

    except_tools: tuple[str, ...] = ("write_stdin", "BashOutput", "TaskOutput", "read_bash", "bash_output")
    """Tools that return the next piece of an output when they are called again."""
    protected: tuple[str, ...] = ()
    """Further tools whose repeated calls all stay, in upper or lower case; `*` and `?` are wildcards."""
    point_back: bool = False
    """Replace the newer of two equal answers by a note that points to the earlier one."""
    over: int = 500
    """Answers with fewer characters do not point back."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        # A note that points to an earlier answer names the size of that answer.
        if use.points is not None:
            yield use.points[1]
        elif use.visible and use.ok:
            yield use.size
        if is_protected(use.tool, self.protected):
            return
        if self.point_back and use.ok and use.size > self.over:
            yield use.shown
        if use.signature and use.ok and use.tool not in self.except_tools:
            yield use.signature, use.epoch

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        if isinstance(group, int):
            # The result is a note of an earlier pass, which is true only while that answer is shown.
            for old in earlier if use.points is not None else ():
                if (old.points or (describe(old), old.size)) == use.points:
                    yield Withdraw(use.result, self.name, points_to=old.result)
        elif not use.visible:
            return
        elif group == use.shown:
            for old, preference in zip(self._same(use, earlier), reversed(_POINTERS), strict=False):
                yield pointer(self.name, use, old, preference)
        elif group == (use.signature, use.epoch):
            yield from self._repeated(use, earlier, view)

    def _repeated(self, use: Use, earlier: Sequence[Use], view: View) -> Iterator[Move]:
        """Propose a note in place of each older answer to the same call.

        The new answer could point to an older answer with the same text. Of such older answers, only the newest
        gets a note, and the engine makes that note only if the older answer leaves anyway.
        """
        could_point = False
        for old in replaceable(earlier, view, lambda old: self._stands_alone(old, earlier)):
            same = any(self._same(use, (old,)))
            if not (same and could_point):
                why, preference = "the same call was made again later", _SAME if same else _OTHER
                yield supersede(self.name, old, use, why, view, preference)
            could_point |= same

    def _stands_alone(self, old: Use, members: Sequence[Use]) -> bool:
        """Whether an answer is shown, and no earlier call among these had the same answer."""
        return old.visible and not any(self._same(old, members))

    def _same(self, use: Use, members: Sequence[Use]) -> Iterator[Use]:
        """Return the calls, oldest first, to whose answers the answer of a later call could point."""
        if not self.point_back or use.size <= self.over or use.carries:
            return
        for old in members[: bisect_left(members, use.index, key=attrgetter("index"))]:
            if old.shown == use.shown and old.visible:
                yield old

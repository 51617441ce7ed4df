"""Parts that are marked for times when the context runs short, and which of them go now."""

from __future__ import annotations

from collections.abc import Mapping, Set

from prunus.edits import Edit
from prunus.history import Ref
from prunus.policy.priorities import Priority, priority, priority_of
from prunus.view import View

__all__ = ["Marks"]


class Marks:
    """How deep the pressure reaches into the parts that are marked."""

    def __init__(self, view: View, marked: Set[Ref], found: Mapping[Ref, Edit], chosen: Mapping[Ref, Edit]) -> None:
        self._view = view
        self._marked = marked
        self._found = found
        self._chosen = chosen
        self.depth: tuple[Priority, ...] = ()
        """The priorities of what may go of the parts that are marked."""

    def deepen(self, depth: tuple[Priority, ...]) -> set[Ref]:
        """Let parts of these priorities go; returns those to be decided anew."""
        if depth == self.depth:
            return set()
        self.depth = depth
        return {ref for ref in self._marked if not self._settled(ref)}

    def yields(self, edit: Edit) -> bool:
        """Whether a part that is marked goes: its priority is low enough, or it is gone already."""
        if self._chosen.get(edit.target) == edit:
            return True
        if not self.depth:
            return False
        use = self._view.by_ref.get(edit.target)
        if use is None:
            message = self._view.message(edit.target.message)
            return priority(edit.target, message, self._view, superseded=False) in self.depth
        return priority_of(use, self._view) in self.depth

    def _settled(self, ref: Ref) -> bool:
        """Whether pressure changes nothing for a part: something better was found, or it went for good.

        What went under pressure does not come back when there is room again.
        """
        found, edit = self._found.get(ref), self._chosen.get(ref)
        return (found is not None and not found.pressure) or (edit is not None and edit.pressure)

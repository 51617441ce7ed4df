"""Parts that are marked for times when the context runs short, and which of them go now."""

from __future__ import annotations

from collections.abc import Mapping, Set

from prunus.edits import Proposal
from prunus.history import Ref
from prunus.schedule.priorities import Standing, standing
from prunus.view import View

__all__ = ["Marks"]


class Marks:
    """How deep the pressure reaches into the parts that are marked."""

    def __init__(
        self,
        view: View,
        marked: Set[Ref],
        options: Mapping[Ref, Mapping[int, Proposal]],
        found: Mapping[Ref, Proposal],
        chosen: Mapping[Ref, Proposal],
    ) -> None:
        self._view = view
        self._marked = marked
        self._options = options
        self._found = found
        self._chosen = chosen
        self.returns = False
        """Whether what went under pressure comes back when there is room again."""
        self.depth: tuple[Standing, ...] = ()
        """What may go of the parts that are marked."""

    def deepen(self, depth: tuple[Standing, ...], *, returns: bool = False) -> set[Ref]:
        """Let parts of these standings go; returns those to be decided anew.

        With `returns`, what went under pressure comes back when there is room again; without, it has gone for good.
        """
        if depth == self.depth and returns == self.returns:
            return set()
        self.depth, self.returns = depth, returns
        return {ref for ref in self._marked if not self._settled(ref)}

    def yields(self, edit: Proposal) -> bool:
        """Whether a part that is marked goes: its standing is low enough, or it is gone already."""
        if not self.returns and self._chosen.get(edit.target) == edit:
            return True
        return bool(self.depth) and standing(edit.target, self._view) in self.depth

    def _settled(self, ref: Ref) -> bool:
        """Whether pressure changes nothing for a part: something better was found, or it went for good."""
        found, edit = self._found.get(ref), self._chosen.get(ref)
        if self.returns:
            # A view is made whatever else was found for the part that it stands behind.
            views = any(
                option.when.under_pressure and option.covers for option in self._options.get(ref, {}).values()
            )
            return found is not None and not found.when.under_pressure and not views
        return (found is not None and not found.when.under_pressure) or (
            edit is not None and edit.when.under_pressure
        )

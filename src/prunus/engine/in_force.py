"""The edits in force: what the next request leaves out, whatever else could go."""

from __future__ import annotations

from prunus.edits import Added, Edit
from prunus.engine.tally import Tallies
from prunus.history import Ref
from prunus.policy.sums import Sums
from prunus.view import View

__all__ = ["InForce"]


class InForce:
    """The edits in force, and what follows from them for the size of each message."""

    def __init__(self, view: View) -> None:
        self.chosen: dict[Ref, Edit] = {}
        self.made: list[Edit] = []
        """The edits that were put in force in this request."""
        self.sizes = Sums()
        """The tokens of each message as it stands."""
        self.touched: set[int] = set()
        """Messages that are not rendered yet as they stand."""
        self.tallies = Tallies(view)

    def force(self, target: Ref, edit: Edit | None) -> None:
        """An edit is in force from now on, or none is."""
        old = self.chosen.pop(target, None)
        for changed, sign in ((old, -1), (edit, 1)):
            if changed is not None:
                self.tallies.count(changed, sign)
                self.sizes.add(target.message, -sign * changed.saved)
        if edit is not None:
            self.chosen[target] = edit
            if not isinstance(edit.replacement, Added):
                self.made.append(edit)
        self.touched.add(target.message)

    def lengthen(self, message: int, tokens: int) -> None:
        """Something stands in a message that did not come with it."""
        self.sizes.add(message, tokens)
        self.touched.add(message)

    def saved_of(self, ref: Ref) -> int:
        """The tokens that the edit in force takes from a part."""
        edit = self.chosen.get(ref)
        return 0 if edit is None else edit.saved

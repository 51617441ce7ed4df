from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Input, Move, Outlined, Postpone, Proposal, When
from prunus.history import Ref
from prunus.outlines.outline import lean_input
from prunus.reuse.likelihood import PartKind, reuse_of
from prunus.view.uses import Use
from prunus.view.view import View

_RESULTS: dict[str, PartKind] = {"read": "read", "shell": "shell", "search": "search", "list": "search"}
_MOST = 8


@dataclass(frozen=True, slots=True)
class PastTasks:
    """Results and written text of a finished task that are unlikely to be used again.

    When the user speaks again, most of what the agent read and wrote for the last request has served its purpose.
    In recorded sessions, a read that led to no edit is used later in 26 of 100 cases while its task goes on, and in
    4 of 100 once the user has spoken. A fitted model says how likely a part is to be used again
    (`reuse/likelihood.py`). The more tokens a part has, the higher this likelihood may be. Results and written
    texts leave an outline; edits keep only the name of the file.
    """

    name: ClassVar[str] = "past_tasks"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "📚"

    risk: float = 0.01
    """A part is cut if its probability of being used again is at most this, for each 500 tokens of the part."""
    idle: int = 4
    """Turns for which the part and its files have to be left alone."""
    share: float = 0.15
    """The share of a result that the outline keeps."""
    over: int = 600
    """Parts with fewer characters stay whole."""
    writes: bool = True
    """Whether the inputs of writes go too."""
    written: float = 0.15
    """The share of a written text that stays, as an outline behind the result."""
    edits: bool = True
    """Whether the inputs of edits go too."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (None, *use.paths) if use.ok else (None,)

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        from_turn = use.turn + self.idle + 1
        if group is not None:
            for old in earlier:
                if old.meaning.kind in ("write", "edit"):
                    yield Postpone(old.call, self.name, from_turn)
                if old.size > self.over:
                    yield Postpone(old.result, self.name, from_turn)
            return
        loop = view.loops[use.call.message]
        kind = use.meaning.kind
        if (kind == "write" and self.writes) or (kind == "edit" and self.edits):
            tasks, likely = self._tasks(kind, use.input_tokens, use, view)
            lean = lean_input(use, view, self.over, self.written) if tasks else None
            if lean is not None:
                yield self._edit(use.call, lean, When(from_turn, loop + tasks), likely)
        if use.size > self.over and use.visible:
            of_result = _RESULTS.get(kind, "other")
            tasks, likely = self._tasks(of_result, use.tokens, use, view)
            if tasks:
                yield self._edit(use.result, Outlined(self.share), When(from_turn, loop + tasks), likely)

    def _tasks(self, kind: PartKind, tokens: int, use: Use, view: View) -> tuple[int, float]:
        """Return after how many tasks a part is unlikely to be used again (0 for never), and how likely then."""

        def likely(tasks: int) -> float:
            return reuse_of(use, kind, view, self.idle, tasks)

        allowed = self.risk * tokens
        # Each task makes another use less likely, so the last one shows whether any number is enough.
        if likely(_MOST) * 500 > allowed:
            return 0, 0.0
        return next((tasks, chance) for tasks in range(1, _MOST + 1) if (chance := likely(tasks)) * 500 <= allowed)

    def _edit(self, target: Ref, replacement: Outlined | Input, when: When, likely: float) -> Proposal:
        return Proposal(target, replacement, self.name, "its task is over", when=when, reuse=likely)

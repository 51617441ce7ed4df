from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Input, Move, Outlined, Postpone, Proposal, When
from prunus.history import Ref
from prunus.outlines.written import lean_input
from prunus.reuse.likelihood import PartKind, reuse_of
from prunus.view.uses import Use
from prunus.view.view import View

_RESULTS: dict[str, PartKind] = {"read": "read", "shell": "shell", "search": "search", "list": "search"}
_MOST = 8


@dataclass(frozen=True, slots=True)
class PastTasks:
    """Results and written text of a task that is over, where they are unlikely to be used again.

    When the user speaks again, most of what was read and written for the last request has done its work: in
    recorded sessions a read that led to no edit is used later in 26 of 100 cases while its task goes on, and in 4
    once the user has spoken. How likely it is, is asked of a model (`reuse/likelihood.py`); the more tokens a part
    has, the likelier it may be. An outline stays of results and of what was written, and of edits which file
    they changed.
    """

    name: ClassVar[str] = "past_tasks"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "📚"

    risk: float = 0.01
    """The chance of being used again, for each 500 tokens, up to which a part is cut."""
    idle: int = 4
    """Turns that the part and its files have to be left alone."""
    share: float = 0.15
    """How much of a result the outline keeps."""
    over: int = 600
    """Parts with fewer characters stay whole."""
    writes: bool = True
    """Whether inputs of writes go too."""
    written: float = 0.15
    """How much of the text of a write stays, as an outline behind its result."""
    edits: bool = True
    """Whether inputs of edits go too."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        yield None
        if use.ok:
            yield from use.paths

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
            tasks, likely = self._tasks(kind, use.input_tokens, use, view.offset(kind))
            lean = lean_input(use, view, self.over, self.written) if tasks else None
            if lean is not None:
                yield self._edit(use.call, lean, When(from_turn, loop + tasks), likely)
        if use.size > self.over and use.visible:
            of_result = _RESULTS.get(kind, "other")
            tasks, likely = self._tasks(of_result, use.tokens, use, view.offset(of_result))
            if tasks:
                yield self._edit(use.result, Outlined(self.share), When(from_turn, loop + tasks), likely)

    def _tasks(self, kind: PartKind, tokens: int, use: Use, offset: float) -> tuple[int, float]:
        """After how many tasks a part is unlikely enough to be used again (0 for never), and how likely then."""
        for tasks in range(1, _MOST + 1):
            likely = reuse_of(use, kind, tokens, self.idle, tasks, offset=offset)
            if likely * 500 <= self.risk * tokens:
                return tasks, likely
        return 0, 0.0

    def _edit(self, target: Ref, replacement: Outlined | Input, when: When, likely: float) -> Proposal:
        return Proposal(target, replacement, self.name, "its task is over", when=when, reuse=likely)

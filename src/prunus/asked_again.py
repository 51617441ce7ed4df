"""Whether a new call asks for something that an edit took away.

The newest earlier call that showed the same thing decides. If its part is still in view, the agent had what it asks
for, and no edit is to blame. If an edit in force took the part away, the new call counts against the strategy of
that edit. The same thing is

- the same lines of a file, unless a call has changed the file since: after a change the old text was stale;
- the same search, listing or fetch;
- the same command, unless a call has changed a file since: then the command may print something else. A command
  that may change files itself is run for its effect, so running it again asks for nothing.

A retry of a failed call asks for nothing either: the failed call showed nothing. Some tasks later an agent looks at
things anew in any case, so only parts of the same task and of the last few count. `bench/learning.py` counts how
often recorded sessions, which were never pruned, ask again by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.edits import Added, Proposal
from prunus.history import Ref
from prunus.reuse import PartKind
from prunus.tally import Tally
from prunus.touches import Touch
from prunus.uses import Use

TASKS: Final = 3
"""A part counts as asked for again in its own task and in this many tasks after it."""

_KINDS: Final[Mapping[str, PartKind]] = {
    "read": "read", "shell": "shell", "search": "search", "list": "search", "fetch": "other", "other": "other",
}  # fmt: skip
"""The kinds of calls whose results can be asked for again. A todo list, a snapshot and the report of a sub-agent
are about a state that changes."""
_LASTING: Final = frozenset({"search", "list", "fetch"})
"""The kinds of calls whose answer a change of a file hardly changes."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A part that an edit took away, and that a later call asks for."""

    target: Ref
    """The part."""
    strategy: str
    """The strategy that took the part away."""
    kind: PartKind
    tokens: int
    """The tokens of the part, which the next requests carry once more."""
    call: Ref
    """The call that asks."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The parts that the newest calls of a conversation ask for again, and their sums."""

    asks: tuple[Ask, ...] = ()

    @property
    def count(self) -> int:
        return len(self.asks)

    @property
    def strategies(self) -> Mapping[str, Tally]:
        """For each strategy, the number of its parts that were asked for again, and their tokens."""
        return self._sums(lambda ask: ask.strategy)

    @property
    def kinds(self) -> Mapping[str, Tally]:
        """The same for each kind of part."""
        return self._sums(lambda ask: ask.kind)

    def _sums(self, name: Callable[[Ask], str]) -> Mapping[str, Tally]:
        found: dict[str, Tally] = {}
        for ask in self.asks:
            found[name(ask)] = found.get(name(ask), Tally()).add(1, ask.tokens)
        return found


def part_kind(use: Use, target: Ref, *, changed: bool) -> PartKind | None:
    """The kind of a part of a call; None if no later call can ask for it.

    `changed` says that the file of the call was changed after it.
    """
    if not use.ok:
        return None
    if target == use.call:
        return "write" if use.meaning.kind == "write" else "edit" if use.meaning.kind == "edit" else None
    kind = _KINDS.get(use.meaning.kind)
    return "edited read" if kind == "read" and changed else kind


def find_asks(
    uses: Sequence[Use], made: Callable[[Ref], Proposal | None], loops: Sequence[int], since: int
) -> Iterator[Ask]:
    """The parts that calls ask for again whose results came with message `since` or later.

    `made` gives the edit of a part that was in force when the calls were made; `loops` the task of each message.
    """
    first = len(uses)
    while first and uses[first - 1].result.message >= since:
        first -= 1
    met: set[Ref] = set()
    for at in range(first, len(uses)):
        use = uses[at]
        if not use.ok:
            continue
        touches: Sequence[Touch | None] = use.touches if use.meaning.kind == "read" else (None,)
        for touch in touches:
            earlier = _earlier(uses, at, loops)
            old = _same_call(use, earlier) if touch is None else _same_lines(touch, earlier)
            if old is None or old[0] in met:
                continue
            target, kind, tokens = old
            edit = made(target)
            if edit is not None and _takes_away(edit):
                met.add(target)
                yield Ask(target, edit.counted_as, kind, tokens, use.call)


def _earlier(uses: Sequence[Use], at: int, loops: Sequence[int]) -> Iterator[Use]:
    """The successful calls of the same and the last few tasks, the newest first, without those of the same turn."""
    use = uses[at]
    oldest = loops[use.call.message] - TASKS
    for index in range(at - 1, -1, -1):
        old = uses[index]
        if loops[old.call.message] < oldest:
            return
        if old.ok and old.turn != use.turn:
            yield old


def _takes_away(edit: Proposal) -> bool:
    """Whether nothing in view says what the part said: neither a part that a note points to, nor a current view."""
    stays = isinstance(edit.replacement, Added) or edit.when.requested_by == "prunus"
    return not (stays or edit.points_to is not None or edit.needs_cover or edit.covers)


def _same_lines(touch: Touch, earlier: Iterator[Use]) -> tuple[Ref, PartKind, int] | None:
    """The newest part that showed these lines of a file as they are, with its kind and its tokens."""
    for old in earlier:
        before = old.touched(touch.path)
        if before is None:
            continue
        if before.kind == "write":
            return old.call, "write", old.input_tokens
        if before.kind != "read":
            return None
        if old.visible and old.meaning.kind == "read" and before.span.covers(touch.span):
            return old.result, "read", old.tokens
    return None


def _same_call(use: Use, earlier: Iterator[Use]) -> tuple[Ref, PartKind, int] | None:
    """The result of the newest call that asked for the same, with its kind and its tokens."""
    kind, wanted = _KINDS.get(use.meaning.kind), _wanted(use)
    if kind is None or wanted is None or _changes_files(use):
        return None
    lasting = use.meaning.kind in _LASTING
    for old in earlier:
        if old.meaning.kind == use.meaning.kind and old.visible and _wanted(old) == wanted:
            return old.result, kind, old.tokens
        if not lasting and _changes_files(old):
            return None
    return None


def _changes_files(use: Use) -> bool:
    return use.meaning.wild or any(touch.kind != "read" for touch in use.touches)


def _wanted(use: Use) -> tuple[str | bytes, int] | None:
    """Equal for two calls of one kind that ask for the same; None if a call asks for something new.

    The same command in another directory asks for something else.
    """
    meaning = use.meaning
    words = (
        meaning.unlimited or meaning.key or meaning.command or (use.signature if meaning.kind == "other" else "")
    )
    return (words, use.epoch) if words else None

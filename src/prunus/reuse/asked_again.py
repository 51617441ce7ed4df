"""Finds calls that ask again for content that an edit removed, and adds them up.

For each new call, the newest earlier call that showed the same content decides. If its part is still visible, no
edit is to blame. If an edit in force removed the part, the new call counts against the strategy of that edit. The
same content is

- the same lines of a file, unless a call has changed the file since: after a change the old text was stale;
- the same search, listing or fetch;
- the same command, unless a call has changed a file since: then the command may print something else. A command
  that may change files itself is run for its effect, so running it again asks for nothing.

A retry of a failed call asks for nothing either, because the failed call showed nothing. Some tasks later an agent
looks at files again in any case, so only parts of the same task and of the last few tasks count.
`bench/learning.py` counts how often recorded sessions, which were never pruned, ask again by chance.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from prunus.calls.touches import Touch
from prunus.edits import Added, Proposal
from prunus.history import Ref
from prunus.reuse.likelihood import PartKind
from prunus.tally import Tally
from prunus.view.uses import Use

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
class Cut:
    """A part that an edit removed, and that a later call can ask for."""

    target: Ref
    """The part."""
    strategy: str
    kind: PartKind
    expected: float
    """How likely the strategy thought it that a later call asks for the part."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A part that an edit removed, and that a later call asks for."""

    target: Ref
    """The part."""
    strategy: str
    """The strategy that removed the part."""
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


@dataclass(frozen=True, slots=True)
class Tried:
    """Parts that were cut, and those of them that were asked for again."""

    cut: int = 0
    expected: float = 0.0
    """How many of these parts were expected to be used again: the sum of the known probabilities."""
    asked: int = 0
    tokens: int = 0
    """The tokens of the parts that were asked for again."""

    def __add__(self, other: Tried) -> Tried:
        return Tried(
            self.cut + other.cut,
            self.expected + other.expected,
            self.asked + other.asked,
            self.tokens + other.tokens,
        )


@dataclass(frozen=True, slots=True)
class Experience:
    """The sums of many requests, by strategy and by kind of part."""

    requests: int = 0
    tried: Mapping[tuple[str, str], Tried] = field(default_factory=dict)
    """By the name of the strategy and the kind of the parts."""

    def __add__(self, other: Experience) -> Experience:
        tried = dict(self.tried)
        for key, more in other.tried.items():
            tried[key] = tried.get(key, Tried()) + more
        return Experience(self.requests + other.requests, tried)

    @property
    def total(self) -> Tried:
        return sum(self.tried.values(), Tried())

    @property
    def strategies(self) -> Mapping[str, Tried]:
        """The sums of each strategy."""
        return self._sums(lambda strategy, _: strategy)

    @property
    def kinds(self) -> Mapping[str, Tried]:
        """The sums of each kind of part."""
        return self._sums(lambda _, kind: kind)

    def _sums(self, name: Callable[[str, str], str]) -> Mapping[str, Tried]:
        found: dict[str, Tried] = {}
        for key, tried in self.tried.items():
            found[name(*key)] = found.get(name(*key), Tried()) + tried
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


class Showings:
    """The successful calls of a conversation, indexed by the content that they showed."""

    def __init__(self, uses: Iterable[Use] = ()) -> None:
        self._calls: dict[Hashable, list[Use]] = {}
        """The calls that touched a file, by its path, and those that asked for the same thing."""
        self._changes: list[int] = []
        """The places of the calls that changed a file."""
        for use in uses:
            self.add(use)

    def add(self, use: Use) -> None:
        """Take in the next answered call."""
        if not use.ok:
            return
        for path in use.paths:
            self._calls.setdefault(path, []).append(use)
        if (wanted := _wanted(use)) is not None:
            self._calls.setdefault(wanted, []).append(use)
        if _changes_files(use):
            self._changes.append(use.index)

    def asks(
        self, uses: Sequence[Use], made: Callable[[Ref], Proposal | None], loops: Sequence[int], since: int = 0
    ) -> Iterator[Ask]:
        """The parts that calls ask for again, of those whose results came with message `since` or later.

        The calls have been taken in. `made` gives the edit of a part that was in force when they were made, and
        `loops` the task of each message.
        """
        met: set[Ref] = set()
        for use in uses[bisect_left(uses, since, key=lambda use: use.result.message) :]:
            for target, kind, tokens in self._shown_before(use, loops):
                edit = made(target)
                if edit is not None and _takes_away(edit) and target not in met:
                    met.add(target)
                    yield Ask(target, edit.counted_as, kind, tokens, use.call)

    def _shown_before(self, use: Use, loops: Sequence[int]) -> Iterator[tuple[Ref, PartKind, int]]:
        """Yield the newest parts that showed the content that a call asks for, with their kinds and tokens."""
        if not use.ok:
            return
        if use.meaning.kind != "read":
            found = self._same_call(use, loops)
            if found is not None:
                yield found
            return
        for touch in use.touches:
            found = _same_lines(touch, self._earlier(touch.path, use, loops))
            if found is not None:
                yield found

    def _earlier(self, key: Hashable, use: Use, loops: Sequence[int]) -> Iterator[Use]:
        """The calls of the same and the last few tasks, the newest first, without those of the same turn."""
        oldest, calls = loops[use.call.message] - TASKS, self._calls.get(key, [])
        for at in range(bisect_left(calls, use.index, key=attrgetter("index")) - 1, -1, -1):
            old = calls[at]
            if loops[old.call.message] < oldest:
                return
            if old.turn != use.turn:
                yield old

    def _same_call(self, use: Use, loops: Sequence[int]) -> tuple[Ref, PartKind, int] | None:
        """The result of the newest call that asked for the same, unless it may differ by now."""
        wanted = _wanted(use)
        if wanted is None or _changes_files(use):
            return None
        old = next((old for old in self._earlier(wanted, use, loops) if old.visible), None)
        if old is None or (use.meaning.kind not in _LASTING and self._changed_between(old, use)):
            return None
        return old.result, _KINDS[use.meaning.kind], old.tokens

    def _changed_between(self, old: Use, new: Use) -> bool:
        """Whether a call between two others changed a file."""
        at = bisect_right(self._changes, old.index)
        return at < len(self._changes) and self._changes[at] < new.index


def _takes_away(edit: Proposal) -> bool:
    """Whether an edit hides the text of its part: no other part and no view shows the text."""
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


def _changes_files(use: Use) -> bool:
    return use.meaning.wild or any(touch.kind != "read" for touch in use.touches)


def _wanted(use: Use) -> Hashable:
    """Return a key that is equal for calls that ask for the same; None if a call asks for more output.

    The same command in another directory asks for something else.
    """
    meaning = use.meaning
    if meaning.kind == "read" or meaning.kind not in _KINDS:
        return None
    words = (
        meaning.unlimited or meaning.key or meaning.command or (use.signature if meaning.kind == "other" else "")
    )
    return (meaning.kind, words, use.epoch) if words else None

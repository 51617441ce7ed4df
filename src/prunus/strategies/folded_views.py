from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, Final

from prunus.calls.shown import PLAIN, Style
from prunus.edits import Continued, Input, Move, Note, Outlined, Postpone, Proposal, When
from prunus.files.content import Line
from prunus.files.timeline import Timeline
from prunus.files.tracked import TrackedFile
from prunus.history import Ref
from prunus.notes import note, shorten
from prunus.outlines.outline import current_lines, lean_input
from prunus.value import replace, value
from prunus.view.uses import Use
from prunus.view.view import View

_WHOLE, _FEWER, _NONE, _DROP = range(4)
"""The preferences of the texts of a view, from the first to the last."""
_WHY = "what is still true of older reads and edits"
_MOST: Final = 300
"""Parts of one file that can be folded at most; a file with more parts is not folded any further."""
_LOST: Final = (Line(""),)
"""Marks lines that cannot be in their file any more, so that their texts need not be kept."""


@value
class _Shown:
    """A part or a view that shows lines of a file, and so can be folded into the next view."""

    lines: tuple[Line, ...]
    brought: tuple[Line, ...]
    """The lines that edits have put into the file."""
    losses: int
    era: object
    saved: int
    """Tokens that folding this part saves."""
    size: int
    """Characters that folding this part removes."""
    drop: Proposal | None = None
    at: Ref | None = None
    """The part that carries the view; None for a part that is no view."""
    fewer: str = ""
    """The shorter text of the view once its file has been left alone."""
    alone: str = ""
    """The shorter text of the view if the read that carries it is cut too."""
    covers: frozenset[Ref] = frozenset()
    """The parts that the view replaces."""


@dataclass(slots=True)
class _Views:
    """The state that the strategy keeps for a conversation."""

    shown: dict[str, list[_Shown]] = field(default_factory=dict)
    """The parts and views that show lines of each file."""
    settled: set[str] = field(default_factory=set)
    """Files that are not folded any further: an earlier pass cut some of their parts, or they have too many."""
    style: Style = PLAIN
    """The line format of the newest read."""


@dataclass(frozen=True, slots=True)
class FoldedViews:
    """Reads and edits of a file that one current view of the file can replace.

    While an agent works on a file, its history holds the same lines many times: in reads, in the old and the new
    text of edits, in text that was replaced since. Prunus writes one view behind the result of the newest call for
    the file. The view shows those lines that are still in the file, in the format of the agent's read tool. Older
    reads become notes, older edits keep only the name of the file, and older writes keep an outline too.

    This is safe because the view shows only lines that are certain: the agent can make its next edit without
    another read whenever it could before. Once the agent leaves the file alone, the view gets shorter. Lines that
    edits have brought are used again four times as often as others, so they stay longer.
    """

    name: ClassVar[str] = "folded_views"
    seed: ClassVar[str] = "one-file-one-view, smart tool history"
    icon: ClassVar[str] = "🗂️"
    State: ClassVar[type] = _Views

    share: float = 0.3
    """The share of a part that folding has to save. Little is saved for a read that is still up to date."""
    least: int = 100
    """Folds that save fewer tokens are not made."""
    idle: int = 6
    """Turns for which a file has to be left alone before its view is cut to the lines that edits have brought."""
    gone: int = 40
    """Turns after which the view shows no lines at all; 0 keeps the lines that edits have brought for good."""
    outline: float = 0.15
    """The share that then stays of a read that carries a view, if its file has changed since."""
    written: float = 0.15
    """The share of a written text that stays, as an outline behind the result."""

    def fold(self, use: Use, timeline: Timeline, state: _Views, view: View) -> Iterator[Move]:
        """Yield the view that stands behind a call for a file from now on, and the parts that it replaces."""
        if use.edited:
            state.settled.update(touch.path for touch in use.touches)
        if len(use.touches) != 1 or not use.ok or use.meaning.kind not in ("read", "write", "edit"):
            return
        path = use.touches[0].path
        file = timeline.files.get(path)
        if file is None or path in state.settled:
            return
        known = state.shown.setdefault(path, [])
        if known and known[-1].era is not file.content.era:
            lost = (one.lines not in ((), _LOST) and not file.remembers(one.era) for one in known)
            known[:] = [replace(one, lines=_LOST) if gone else one for one, gone in zip(known, lost, strict=True)]
        state.style = file.style or state.style
        own = self._own(use, file, view)
        if own is not None:
            folded = yield from self._make(use, own, file, known, state.style, view)
            known[:] = folded
            if sum(1 + len(shown.covers) for shown in known) > _MOST:
                state.settled.add(path)
        for shown in known:
            if shown.at is not None and shown.at != use.result:
                yield from self._postpone(shown, use)

    def _make(
        self, use: Use, own: _Shown, file: TrackedFile, known: list[_Shown], style: Style, view: View
    ) -> Generator[Proposal, None, list[_Shown]]:
        """Fold the parts that are worth it behind a call, and return what then shows lines of the file."""
        if not known or not view.result(use).texts or use.index in view.muted:
            return [*known, own]
        content = file.content
        reads = use.meaning.kind == "read"
        if reads and content.whole and own.lines == tuple(content.lines) and not any(one.brought for one in known):
            # The usual read: it shows the whole file, so that no line of an earlier part has to be looked up. This
            # takes 2 % off the first look at a conversation.
            now, able, extra = {}, known, {}
        else:
            now = {id(line): number for number, line in enumerate(content.lines, 1) if line is not None}
            mine = set(map(id, own.lines)) if reads else set()
            extra = {key: number for key, number in now.items() if key not in mine} if mine else now
            everything = content.whole and not extra
            able = [
                shown
                for shown in (known if reads else (*known, own))
                if everything or shown.losses == content.losses or all(id(line) in now for line in shown.lines)
            ]
        chosen, wanted = self._choose(able, extra, 3 if style.separator else 1)
        if not any(shown is not own for shown in chosen):
            return [*known, own]
        text = current_lines(file, wanted, style)
        tokens = view.counter.count(text)
        # As many characters as it can have in JSON.
        size = len(json.dumps(text))
        if sum(one.saved for one in chosen) - tokens < self.least or sum(one.size for one in chosen) <= size:
            return [*known, own]
        lines = _known(content.lines[number - 1] for number in wanted)
        brought = {id(line) for shown in chosen for line in shown.brought}
        # A line that was in doubt and then read again is a new line with the same text.
        doubted = (shown for shown in chosen if shown.losses != content.losses)
        again = {line.text for shown in doubted for line in shown.brought if id(line) not in now} - {""}
        shown_at = set(wanted)
        still = [
            number
            for key, number in (now.items() if brought or again else ())
            if key in brought or (again and content.text_at(number) in again)
        ]
        alone = current_lines(file, still, style)
        fewer = current_lines(file, [number for number in still if number in shown_at], style)
        covers = frozenset(ref for shown in chosen for ref in _refs(shown))
        made = _Shown(
            lines + own.lines if reads else lines,
            _known(content.lines[number - 1] for number in still),
            content.losses,
            content.era,
            tokens + (own.saved if reads else 0),
            size + (own.size if reads else 0),
            own.drop if reads else None,
            use.result,
            fewer,
            alone,
            covers,
        )
        for shown in chosen:
            if shown.drop is not None:
                yield shown.drop
        yield self._view(made, Continued(text), _WHOLE, 0)
        for preference, wait in self._waits():
            words = fewer if preference == _FEWER else ""
            yield self._view(made, Continued(words), preference, use.turn + wait + 1)
        gone = set(map(id, chosen))
        return [*(one for one in known if id(one) not in gone), *(() if reads or id(own) in gone else (own,)), made]

    def _waits(self) -> tuple[tuple[int, int], ...]:
        """The shorter texts of a view when its file is left alone, and after how many turns each is due."""
        return ((_FEWER, self.idle), (_NONE, self.gone)) if self.gone else ((_FEWER, self.idle),)

    def _view(self, shown: _Shown, becomes: Continued | Outlined, preference: int, from_turn: int) -> Proposal:
        assert shown.at is not None
        return Proposal(
            shown.at,
            becomes,
            self.name,
            _WHY,
            when=When(from_turn),
            covers=shown.covers,
            preference=preference,
        )

    def _postpone(self, shown: _Shown, use: Use) -> Iterator[Move]:
        """Keep the older views of a file longer, because the file was used again.

        A read below such a view does not stay longer: its text is out of date.
        """
        assert shown.at is not None
        if shown.drop is not None and use.meaning.kind != "read":
            for preference, wait in self._waits():
                words = shown.alone if preference == _FEWER else ""
                yield self._view(shown, Outlined(self.outline, words), preference, use.turn + wait + 1)
            return
        for preference, wait in self._waits():
            yield Postpone(shown.at, self.name, use.turn + wait + 1, preference=preference)

    def _choose(self, able: list[_Shown], now: Mapping[int, int], more: int) -> tuple[list[_Shown], list[int]]:
        """Return the parts that are worth folding, and the numbers of the lines that the view then has to show.

        `now` gives the place of each line. Showing a line takes `more` tokens in addition to those of its text.
        """
        # For each part, the numbers of its lines, with what showing the line costs.
        needs = [
            {number: len(line.text) / 3.5 + more for line in shown.lines if (number := now.get(id(line)))}
            for shown in able
        ]
        holders = Counter(chain.from_iterable(needs))

        def gain(at: int) -> float:
            """Return the share of a part that folding saves if the view shows the lines that no other part has."""
            only = sum(cost for number, cost in needs[at].items() if holders[number] == 1)
            return 1 - only / max(able[at].saved, 1)

        gains = {at: gain(at) for at in range(len(able))}
        while gains and gains[least := min(gains, key=gains.__getitem__)] < self.share:
            del gains[least]
            holders.subtract(needs[least].keys())
            for at in gains:
                if not needs[at].keys().isdisjoint(needs[least]):
                    gains[at] = gain(at)
        return [able[at] for at in gains], sorted(number for number, count in holders.items() if count)

    def _own(self, use: Use, file: TrackedFile, view: View) -> _Shown | None:
        """Return the lines of its file that a call shows, and the edit that folds the call; None if uncertain."""
        mentions = [mention for mention in file.mentions[-2:] if mention.use == use.index]
        lines = [line for mention in mentions for line in mention.lines]
        lost = file.content.losses, file.content.era
        if use.meaning.kind == "read":
            known = _known(lines)
            if not mentions or not use.visible or len(known) < len(lines):
                return None
            what, why = f"older read of {shorten(file.path)}", "its current lines are shown where it was used last"
            text = note(what, why)
            saved, size = use.tokens - view.counter.count(text), use.size - len(text)
            drop = self._drop(use.result, Note(text))
            return _Shown(known, (), *lost, saved, size, drop)
        lean = lean_input(use, view, 0, self.written) if file.traced == use.index else None
        if lean is None:
            return None
        left = str(dict(lean.value)) + lean.left
        saved = use.input_tokens - view.counter.count(left) - view.counter.count(use.tool)
        brought = _known(lines) if use.meaning.kind == "edit" else ()
        drop = self._drop(use.call, lean)
        return _Shown(_known(lines), brought, *lost, saved, len(view.call(use).text) - len(left), drop)

    def _drop(self, target: Ref, replacement: Note | Input) -> Proposal:
        return Proposal(
            target, replacement, self.name, "a newer view shows its lines", needs_cover=True, preference=_DROP
        )


def _known(lines: Iterable[Line | None]) -> tuple[Line, ...]:
    return tuple([line for line in lines if line is not None])


def _refs(shown: _Shown) -> Iterator[Ref]:
    """Yield the parts that a newer view replaces when it folds a part or a view."""
    yield from shown.covers
    if shown.at is not None:
        yield shown.at
    if shown.drop is not None:
        yield shown.drop.target

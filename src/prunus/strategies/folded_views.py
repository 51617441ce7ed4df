from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from prunus.edits import Edit, Input, Later, Note, Shorter
from prunus.files import Followed, Mention, Timeline
from prunus.files.content import Content, Line
from prunus.files.style import Style
from prunus.history import Call, Ref, Result
from prunus.notes import note, shorten, view_note
from prunus.strategies.cut import bare_input
from prunus.view import Use, View

__all__ = ["FoldedViews"]

_NUMBERED: Final = Style("\t")


@dataclass(frozen=True, slots=True)
class _Shown:
    """A part that shows lines of a file, or a view that does: what could go into the next view."""

    lines: tuple[Line, ...]
    losses: int
    saved: int
    """Tokens that go with it."""
    size: int
    """Characters that go with it."""
    drop: Edit | None = None
    brought: tuple[Line, ...] = ()
    """Those of the lines that edits have put there."""
    spares: frozenset[Ref] = frozenset()
    """The parts that a view stands for, and the one that carries it."""
    at: Ref | None = None
    """Where a view stands."""


@dataclass(slots=True)
class _File:
    """What a conversation shows of one file, oldest first."""

    shown: list[_Shown] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FoldedViews:
    """Reads and edits of a file that one current view of it can stand for.

    While an agent works on a file, its history holds the same lines many times: in reads, in the old and the new
    text of edits, in what was replaced since. Behind the result of the newest call for the file stand the lines of
    all of them that are still there, in the format that the agent's read tool has; older reads become notes, and of
    edits stays which file they changed. Only lines that are certain are shown, so the next edit can be made without
    reading again whenever it could before.
    """

    name: ClassVar[str] = "folded_views"
    seed: ClassVar[str] = "one-file-one-view, smart tool history"
    icon: ClassVar[str] = "🗂️"

    share: float = 0.3
    """How much of a part has to be saved for it to be folded: of a read that is still true, little would be."""
    least: int = 100
    """Folds that save fewer tokens are not made."""
    wait: int = 0
    """w"""
    raw: bool = False
    """r"""
    idle: int = 20
    """Turns that a file has to be left alone before only the lines that edits have brought stay in its view."""

    def fold(self, use: Use, timeline: Timeline, past: MutableMapping[str, object], view: View) -> Iterator[Edit]:
        """The view that stands behind a call for a file from now on, and what may go because of it."""
        if len(use.touches) != 1 or not use.ok or use.meaning.kind not in ("read", "write", "edit"):
            return
        path = use.touches[0].path
        file = timeline.files.get(path)
        if file is None:
            return
        known = past.setdefault(path, _File())
        assert isinstance(known, _File)
        own = self._own(use, file, view)
        if own is None:
            return
        style = _style(file) or past.get("")
        assert style is None or isinstance(style, Style)
        if style is not None:
            past[""] = style
        yield from self._make(use, own, file, known, style or _NUMBERED, view)
        for shown in known.shown:
            if shown.at is not None and shown.at != use.result:
                ripe = use.turn + self.idle + 1
                yield Edit(shown.at, Later(), self.name, "its file was used again", ripe=ripe, spares=shown.spares)

    def _make(
        self, use: Use, own: _Shown, file: Followed, known: _File, style: Style, view: View
    ) -> Iterator[Edit]:
        result = view.part(use.result)
        if not isinstance(result, Result) or not result.texts or use.index in view.inert:
            known.shown.append(own)
            return
        content = file.content
        now = {id(line): number for number, line in enumerate(content.lines, 1) if line is not None}
        reads = use.meaning.kind == "read"
        mine = {id(line) for line in own.lines} if reads else set()
        everything = content.whole and all(id(line) in mine for line in content.lines)
        able = [
            shown
            for shown in (*known.shown, *(() if reads else (own,)))
            if everything or shown.losses == content.losses or all(id(line) in now for line in shown.lines)
        ]
        chosen, wanted = self._choose(able, {key: n for key, n in now.items() if key not in mine}, content)
        if not any(shown is not own for shown in chosen):
            known.shown.append(own)
            return
        text = _text(file.path, [(n, content.text_at(n) or "") for n in wanted], style, self.raw)
        tokens = view.counter.count(text)
        gain = sum(shown.saved for shown in chosen) - tokens
        if gain < self.least or sum(shown.size for shown in chosen) <= len(text) + text.count("\n"):
            known.shown.append(own)
            return
        spares = frozenset(ref for shown in chosen for ref in _refs(shown))
        for shown in chosen:
            if shown.drop is not None:
                yield shown.drop
        why = "what is still true of older reads and edits"
        if self.wait < self.idle:
            yield Edit(
                use.result,
                Shorter(result.text + text),
                self.name,
                why,
                ripe=use.turn + self.wait + 1 if self.wait else 0,
                loop=-1,
                spares=spares,
            )
        brought = {id(line) for shown in chosen for line in shown.brought}
        fewer = [n for n in wanted if id(content.lines[n - 1]) in brought]
        if len(fewer) < len(wanted) or self.wait >= self.idle:
            less = _text(file.path, [(n, content.text_at(n) or "") for n in fewer], style, self.raw)
            ripe = use.turn + self.idle + 1
            yield Edit(use.result, Shorter(result.text + less), self.name, why, ripe=ripe, spares=spares)
        gone = set(map(id, chosen))
        known.shown[:] = [shown for shown in known.shown if id(shown) not in gone]
        lines = (
            *(line for n in wanted if (line := content.lines[n - 1]) is not None),
            *(own.lines if reads else ()),
        )
        if not reads and id(own) not in gone:
            known.shown.append(own)
        known.shown.append(
            _Shown(
                lines,
                content.losses,
                tokens + (own.saved if reads else 0),
                len(text) + (own.size if reads else 0),
                own.drop if reads else None,
                tuple(line for shown in chosen for line in shown.brought if id(line) in now),
                spares | {use.result},
                use.result,
            )
        )

    def _choose(
        self, able: list[_Shown], now: Mapping[int, int], content: Content
    ) -> tuple[list[_Shown], list[int]]:
        """What is worth folding, and the numbers of the lines that then have to be shown."""
        chosen = list(able)
        needs = {id(shown): {now[id(line)] for line in shown.lines if id(line) in now} for shown in chosen}
        holders: dict[int, int] = {}
        for shown in chosen:
            for number in needs[id(shown)]:
                holders[number] = holders.get(number, 0) + 1
        while chosen:
            worst = min(chosen, key=lambda shown: self._gain(shown, needs[id(shown)], holders, content))
            if self._gain(worst, needs[id(worst)], holders, content) >= self.share:
                break
            chosen.remove(worst)
            for number in needs[id(worst)]:
                holders[number] -= 1
        return chosen, sorted(number for number, count in holders.items() if count)

    def _gain(self, shown: _Shown, numbers: set[int], holders: Mapping[int, int], content: Content) -> float:
        """The share of a part that would be saved, those lines aside that only it brings."""
        alone = sum(len(content.text_at(n) or "") / 3.5 + 3 for n in numbers if holders[n] == 1)
        return (shown.saved - alone) / max(shown.saved, 1)

    def _own(self, use: Use, file: Followed, view: View) -> _Shown | None:
        """What a call shows of its file, and what would be left of it; None if that is not certain."""
        mentions = list(_newest(file, use.index))
        lines = [line for mention in mentions for line in mention.lines]
        losses = file.content.losses
        if use.meaning.kind == "read":
            if not mentions or not use.visible or None in lines:
                return None
            what = f"older read of {shorten(file.path)}"
            text = note(what, "its current lines are shown where the file was used last")
            saved = use.tokens - view.counter.count(text)
            drop = Edit(use.result, Note(text), self.name, "a newer view shows its lines", bound=True)
            return _Shown(_known(lines), losses, saved, use.size - len(text), drop)
        if file.traced != use.index:
            return None
        call = view.part(use.call)
        kept = bare_input(use, call, 0) if isinstance(call, Call) else None
        if kept is None:
            return None
        drop = Edit(use.call, Input(kept), self.name, "a newer view shows its lines", bound=True)
        size = len(call.text) - len(str(dict(kept))) if isinstance(call, Call) else 0
        saved = use.input_tokens - view.counter.count(str(dict(kept))) - view.counter.count(use.tool)
        brought = _known(lines) if use.meaning.kind == "edit" else ()
        return _Shown(_known(lines), losses, saved, size, drop, brought)


def _newest(file: Followed, use: int) -> Iterator[Mention]:
    for mention in reversed(file.mentions):
        if mention.use != use:
            return
        yield mention


def _known(lines: Iterable[Line | None]) -> tuple[Line, ...]:
    return tuple(line for line in lines if line is not None)


def _refs(shown: _Shown) -> Iterator[Ref]:
    yield from shown.spares
    if shown.drop is not None:
        yield shown.drop.target


def _style(file: Followed) -> Style | None:
    """How the newest read of a file showed its lines, what stood around them aside."""
    style = next((mention.style for mention in reversed(file.mentions) if mention.style is not None), None)
    return None if style is None else replace(style, head="", foot="", phantom=False)


def _text(path: str, lines: list[tuple[int, str]], style: Style, raw: bool = False) -> str:
    """The words behind a result that show lines of its file."""
    head = view_note(shorten(path))
    if not lines:
        return f"\n\n{head}"
    if style.separator and not raw:
        return f"\n\n{head}\n{style.show(lines)}"
    runs: list[list[tuple[int, str]]] = []
    for line in lines:
        if runs and runs[-1][-1][0] + 1 == line[0]:
            runs[-1].append(line)
        else:
            runs.append([line])
    shown = (f"[lines {run[0][0]}-{run[-1][0]}]\n" + "\n".join(text for _, text in run) for run in runs)
    return f"\n\n{head}\n" + "\n".join(shown)

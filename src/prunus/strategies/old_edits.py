from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from prunus.calls.arguments import changes_of
from prunus.calls.changes import Replace
from prunus.edits import Continued, Input, Proposal, When
from prunus.files.timeline import Timeline
from prunus.history import Ref
from prunus.notes import edits_note, shorten
from prunus.proposals import bare_input
from prunus.providers.filters import INTENT
from prunus.view.uses import Use
from prunus.view.view import View

_VIEW, _DROP = range(2)
_MOST: Final = 120
"""Edits in one run at most; the next edit begins another run. The summary of a run names all of its edits."""


@dataclass(frozen=True, slots=True)
class _RunEdit:
    """One edit of a run."""

    turn: int
    intent: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    saved: int
    """Tokens that cutting its input saves."""
    size: int
    drop: Proposal
    result: Ref


@dataclass(slots=True)
class _Run:
    """The edits of one file since it was written, and how many of their inputs were proposed for removal."""

    changes: list[_RunEdit] = field(default_factory=list)
    proposed: int = 0


@dataclass(frozen=True, slots=True)
class OldEdits:
    """Runs of edits to one file, in very long sessions or when the context runs short.

    A summary of the run stands behind the result of the newest edit: how many changes in which turns, their purpose
    where the calls state one, and the lines that were removed and added in total, if that is shorter than the
    edits. In the preset `smart`, the lines are left out if every edit states its purpose. The older edits keep only
    the name of the file.
    """

    name: ClassVar[str] = "old_edits"
    seed: ClassVar[str] = "compressed diffs"
    icon: ClassVar[str] = "🧾"
    State: ClassVar[type] = dict[str, _Run]

    turns: int = 0
    """Turns after which a run is compressed; 0 compresses only when the context runs short."""
    run: int = 3
    """Runs with fewer edits stay as they are."""

    def fold(self, use: Use, timeline: Timeline, state: dict[str, _Run], view: View) -> Iterator[Proposal]:
        """Yield the summary that stands behind an edit from now on, and the inputs that it replaces."""
        if len(use.touches) != 1 or not use.ok or use.meaning.kind not in ("write", "edit"):
            return
        path = use.touches[0].path
        if use.meaning.kind == "write" or use.folded:
            state.pop(path, None)
            return
        known = state.setdefault(path, _Run())
        change = self._change(use, view)
        if change is None:
            return
        if len(known.changes) == _MOST:
            known = state[path] = _Run()
        run = known.changes
        run.append(change)
        if len(run) < self.run or not view.result(use).texts:
            return
        older = run[:-1]
        text = self._shortest(path, run, view)
        if not text:
            return
        yield from (one.drop for one in older[known.proposed :])
        known.proposed = len(older)
        yield Proposal(
            use.result,
            Continued(text),
            self.name,
            f"{len(run)} edits of one file",
            when=When(use.turn + self.turns + 1) if self.turns else When(under_pressure=True),
            covers=frozenset(ref for one in older for ref in (one.drop.target, one.result)),
            preference=_VIEW,
        )

    def _change(self, use: Use, view: View) -> _RunEdit | None:
        call = view.call(use)
        changes, kept = changes_of(call.input, use.meaning), bare_input(use, view, 0)
        if not changes or kept is None or not isinstance(call.input, Mapping):
            return None
        replaced = [change for change in changes if isinstance(change, Replace)]
        if len(replaced) != len(changes):
            return None
        intent = call.input.get(INTENT)
        left = str(dict(kept))
        return _RunEdit(
            use.turn,
            " ".join(intent.split()) if isinstance(intent, str) else "",
            tuple(line for change in replaced for line in change.old.split("\n")),
            tuple(line for change in replaced for line in change.new.split("\n")),
            use.input_tokens - view.counter.count(left) - view.counter.count(use.tool),
            len(call.text) - len(left),
            Proposal(
                use.call, Input(kept), self.name, "part of a run of edits", needs_cover=True, preference=_DROP
            ),
            use.result,
        )

    def _shortest(self, path: str, run: list[_RunEdit], view: View) -> str:
        """Return the summary of a run: with the changed lines, or else with the purposes alone.

        It is empty if neither is shorter than the edits. The seeds name the purposes alone.
        """
        saved, size = (sum(column) for column in zip(*((one.saved, one.size) for one in run[:-1]), strict=True))
        counts = Counter(one.intent for one in run if one.intent)
        intents = [f"- {intent}{f' {count}x' * (count > 1)}" for intent, count in counts.items()]
        enough = view.words == "seeds" and counts.total() == len(run)
        for lines in (intents,) if enough else ([*intents, *_net(run[:-1])], intents):
            text = edits_note(shorten(path), len(run), run[0].turn, run[-1].turn, lines, view.words)
            text = f"\n\n{text}"
            # As many characters as it can have in JSON.
            if view.counter.count(text) < saved and len(json.dumps(text)) < size:
                return text
        return ""


def _net(run: Iterable[_RunEdit]) -> Iterator[str]:
    """Yield the lines that a run removed and added in total, without blank ones."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for change in run:
        came = Counter(line for line in change.new if line.strip())
        for line, count in Counter(line for line in change.old if line.strip()).items():
            undone = min(count, after[line])
            after[line] -= undone
            before[line] += count - undone
        after.update(came)
    for line in before.keys() & after.keys():
        same = min(before[line], after[line])
        before[line] -= same
        after[line] -= same
    yield from (f"-{line}" for line in before.elements())
    yield from (f"+{line}" for line in after.elements())

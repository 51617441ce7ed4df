"""What learning would have done: recorded conversations one after another, each learning from those before it.

A recorded agent never reacts to pruning, so it asks for nothing because it was cut. Instead, each lost part
(`prunus/lab/cost.py`) counts as one ask, against the edit that took the part away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prunus.calls.toolbox import Toolbox
from prunus.clients.sessions import Session
from prunus.conversations.memory import ConversationRecord, Memory, nothing_else
from prunus.edits import Note, Proposal
from prunus.history import Ref
from prunus.lab.cost import LostPart
from prunus.lab.policy import PrunusSender
from prunus.lab.replay import Reader, Replay, replay
from prunus.lab.retention import Needs, Retention, retention
from prunus.outcome import Outcome
from prunus.providers import encode, provider_named
from prunus.pruner import Pruner
from prunus.reuse.asked_again import Ask, AskedAgain, Experience, Showings, Tried, part_kind
from prunus.reuse.learning import Learned
from prunus.schedule.ledger import Ledger, Written
from prunus.settings import Settings
from prunus.tokens import Counter
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Subject:
    """One conversation and what its answers used; several replays may share it."""

    session: Session
    reader: Reader
    needs: Needs

    @classmethod
    def read(cls, session: Session) -> Subject:
        """Read a recorded conversation."""
        reader = Reader(provider_named(session.format))
        return cls(session, reader, Needs(session, reader))


@dataclass(frozen=True, slots=True)
class Lesson:
    """One replay of a conversation, and what it taught."""

    learned: Learned
    """What the conversation took from those before it."""
    replay: Replay
    kept: Retention
    experience: Experience
    """Its cuts, and its lost parts as asks."""
    chance: Experience
    """Its cuts, and the calls that ask for them although the recorded agent had them in view."""


def lessons(subjects: Iterable[Subject], settings: Settings) -> Iterator[Lesson]:
    """Replay the conversations of one agent in the given order; each learns from those before it."""
    known = Experience()
    for subject in subjects:
        lesson = _lesson(subject, settings, known)
        known += lesson.experience
        yield lesson


def in_order_of_time(sessions: Iterable[Session]) -> list[Session]:
    """Sessions by the time of their first request; those without times come first, by name."""
    return sorted(sessions, key=lambda session: (session.times[0] or 0.0, session.name))


def asked_in_view(session: Session) -> tuple[AskedAgain, Mapping[str, int]]:
    """The calls of a session that ask for a part although it is in view, and how many parts of each kind there are.

    An agent looks at things again that it has in view: some of the asks behind a cut are such chance ones.
    """
    format = provider_named(session.format)
    messages = [format.parse(dict(message), encode(message)) for message in session.messages]
    view = View(Toolbox(), Counter())
    view.look_at(messages.__getitem__)
    for message in messages:
        for event in view.extend(message):
            if isinstance(event, Use):
                view.admit(event)
    parts: dict[str, int] = {}
    for use in view.uses:
        refs = (use.result, use.call) if use.meaning.kind == "write" else (use.result,)
        for kind in filter(None, (part_kind(use, ref, changed=False) for ref in refs)):
            parts[kind] = parts.get(kind, 0) + 1
    asks = Showings(view.uses).asks(view.uses, lambda ref: Proposal(ref, Note(""), "in view", ""), view.loops)
    return AskedAgain(tuple(asks)), parts


def _lesson(subject: Subject, settings: Settings, known: Experience) -> Lesson:
    session, reader = subject.session, subject.reader
    notebook = _Notebook(known)
    sender = _Watched(Pruner(settings, notebook))
    replayed = replay(session, sender, reader)
    kept = retention(subject.needs, replayed)
    requests = len(session.requests)
    cuts = Experience(requests, _sums((cut, Tried(1, expected)) for cut, expected in sender.cuts.values()))
    places = _places(session, reader)
    lost = (found for part in kept.lost if (found := _taken_by(part, places, notebook.ledgers, sender.cuts)))
    asks = Experience(0, _sums((cut, Tried(asked=1, tokens=tokens)) for cut, tokens in lost))
    chance = Experience(
        0, _sums(((ask.strategy, ask.kind), Tried(asked=1, tokens=ask.tokens)) for ask in sender.asks)
    )
    return Lesson(notebook.learned, replayed, kept, cuts + asks, cuts + chance)


def _sums(rows: Iterable[tuple[tuple[str, str], Tried]]) -> Mapping[tuple[str, str], Tried]:
    found: dict[tuple[str, str], Tried] = {}
    for key, tried in rows:
        found[key] = found.get(key, Tried()) + tried
    return found


def _places(session: Session, reader: Reader) -> list[Ref]:
    """The parts of the full history, in order."""
    counts = [len(reader.sheet(message).forms) for message in session.messages]
    return [Ref(message, part) for message, count in enumerate(counts) for part in range(count)]


def _taken_by(
    part: LostPart,
    places: Sequence[Ref],
    ledgers: Sequence[Ledger],
    cuts: Mapping[tuple[Ref, str], tuple[tuple[str, str], float]],
) -> tuple[tuple[str, str], int] | None:
    """The strategy and kind of the edit that took a lost part away, and the tokens of the part."""
    place = places[part.place]
    edit = next((edit for edit in ledgers[part.request].edits if edit.target == place), None)
    cut = cuts.get((place, edit.counted_as)) if edit is not None else None
    return (cut[0], part.tokens) if cut is not None else None


class _Watched(PrunusSender):
    """Sends one conversation through a pruner, and notes what was cut and asked for."""

    def __init__(self, pruner: Pruner) -> None:
        super().__init__(pruner)
        self.cuts: dict[tuple[Ref, str], tuple[tuple[str, str], float]] = {}
        """The strategy and kind of each cut, and how likely the part was to be used again."""
        self.asks: list[Ask] = []

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        outcome: Outcome[Any] = self.last
        if outcome.error:
            raise RuntimeError(outcome.error)
        for receipt in outcome.receipts:
            edit = receipt.edit
            if receipt.kind is not None and isinstance(edit, Proposal):
                cut = (edit.counted_as, receipt.kind), edit.reuse
                self.cuts.setdefault((edit.target, edit.counted_as), cut)
        self.asks += outcome.report.asked_again.asks
        return out


class _Notebook(Memory):
    """The memory of one pruner: what is known at its start, and the ledger of each of its requests."""

    def __init__(self, known: Experience) -> None:
        self._known = known
        self.ledgers: list[Ledger] = []
        self.learned = Learned()

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
    ) -> None:
        self.ledgers.append(memo.ledger)
        self.learned = memo.learned

    def experience(self, client: str) -> Experience:
        return self._known

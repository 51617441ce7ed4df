"""Whether the timeline of files is right: each later read of a file is compared with what was claimed before it.

    python bench/timeline.py [agent ...]

For every recorded session under ../shared/corpus/dev. A *claimed* line is one that the timeline held for certain
just before a read showed that line; it is *right* if the read shows the same text. *lines* are all that a read
shows of a file which was read or changed before; *seen* are those among them whose text an earlier read, write or
edit of that file had shown, as nobody can claim what was never there. Files whose path was blacked out in the
recordings (`REDACTED`) are left out: several share one name. Writes bench/results/timeline.json.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from usage import show_help

from prunus.calls.shown import Shown
from prunus.calls.toolbox import Toolbox
from prunus.cli.table import plain
from prunus.clients.sessions import Session, load
from prunus.errors import FormatError
from prunus.files.content import Line
from prunus.files.timeline import Timeline
from prunus.providers import provider_named
from prunus.shell.side_effects import ANYTHING, find_side_effects
from prunus.tokens import Counter
from prunus.view.uses import Piece, Use
from prunus.view.view import View

HERE = Path(__file__).resolve().parent
SESSIONS = HERE.parent / "../shared/corpus/dev"
RESULTS = HERE / "results"
BLACKED_OUT = "REDACTED"


@dataclass(slots=True)
class Score:
    """What was counted for one agent."""

    sessions: int = 0
    reads: int = 0
    again: int = 0
    lines: int = 0
    seen: int = 0
    claimed: int = 0
    right: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    """Seen lines that were not claimed, by what made them unknown."""
    unchanged: dict[str, int] = field(default_factory=dict)
    """Those of them that stood, when read again, where they had stood before."""

    def __iadd__(self, other: Score) -> Score:
        for name in ("sessions", "reads", "again", "lines", "seen", "claimed", "right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for cause, count in other.lost.items():
            self.lost[cause] = self.lost.get(cause, 0) + count
        for cause, count in other.unchanged.items():
            self.unchanged[cause] = self.unchanged.get(cause, 0) + count
        return self


@dataclass(slots=True)
class Mistake:
    """One read that showed something else."""

    session: str
    turn: int
    path: str
    claimed: int
    wrong: int
    example: tuple[int, str, str]


@dataclass(slots=True)
class Judge:
    """Compares reads with claims."""

    score: Score = field(default_factory=Score)
    mistakes: list[Mistake] = field(default_factory=list)


class Watched(Timeline):
    """A timeline whose claims are compared with each read before it learns from it."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__()
        self.name, self.judge = name, judge
        self.texts: dict[str, set[str]] = {}
        self.losses: dict[str, list[tuple[str, list[Line | None]]]] = {}

    def learn(self, use: Use, path: str, found: Shown) -> None:
        file = self.files.get(path)
        self.judge.score.reads += 1
        if file is not None and (file.reads or file.edits) and BLACKED_OUT not in path:
            self._compare(use, path, found)
        super().learn(use, path, found)

    def take(self, event: Use | Piece, view: View) -> None:
        before = {path: (file.content.losses, list(file.content.lines)) for path, file in self.files.items()}
        super().take(event, view)
        for path, (losses, lines) in before.items():
            if self.files[path].content.losses > losses and any(lines):
                self.losses.setdefault(path, []).append((cause(event), lines))
        if not isinstance(event, Use):
            return
        for touch in event.touches:
            if (file := self.files.get(touch.path)) is not None:
                held = (line.text for line in file.content.lines if line is not None)
                self.texts.setdefault(touch.path, set()).update(held)

    def _compare(self, use: Use, path: str, found: Shown) -> None:
        score, content = self.judge.score, self.files[path].content
        texts = self.texts.get(path, set())
        wrong: list[tuple[int, str, str]] = []
        claimed = 0
        score.again += 1
        for number, text in enumerate(found.texts, found.start):
            if text is None or BLACKED_OUT in text:
                continue
            held = content.text_at(number)
            score.lines += 1
            score.seen += text in texts
            claimed += held is not None
            if held is None and text in texts:
                why, there = self._lost(path, number, text)
                score.lost[why] = score.lost.get(why, 0) + 1
                score.unchanged[why] = score.unchanged.get(why, 0) + there
            if held is not None and held != text:
                wrong.append((number, held, text))
        score.claimed += claimed
        score.right += claimed - len(wrong)
        if wrong:
            self.judge.mistakes.append(Mistake(self.name, use.turn, path, claimed, len(wrong), wrong[0]))

    def _lost(self, path: str, number: int, text: str) -> tuple[str, bool]:
        """What made a line unknown that was known once, and whether it still stands where it stood then."""
        for why, lines in reversed(self.losses.get(path, [])):
            if any(line is not None and line.text == text for line in lines):
                line = lines[number - 1] if number <= len(lines) else None
                return why, line is not None and line.text == text
        return "only shown at another place of the file", False


def cause(use: Use | Piece) -> str:
    """What an event was that made lines unknown."""
    if isinstance(use, Piece):
        return "the user had the word"
    match use.meaning.kind:
        case "shell":
            found = (
                find_side_effects(use.meaning.command, "", lambda path: None) if use.meaning.command else ANYTHING
            )
            if found.formatters and not found.anything:
                return "a formatter or a commit hook"
            return "a command that names the file" if use.touches else "a script or an unknown command"
        case "task":
            return "another agent"
        case "read":
            return "a read that showed something else"
        case _:
            return "an edit among unknown lines"


def follow(session: Session, judge: Judge) -> None:
    format = provider_named(session.format)
    messages = [format.parse(message, b"") for message in session.messages]
    view, timeline = View(Toolbox(), Counter()), Watched(session.name, judge)
    view.look_at(messages.__getitem__)
    judge.score.sessions += 1
    for message in messages:
        for event in view.extend(message):
            if isinstance(event, Use):
                view.admit(event)
            timeline.take(event, view)


def recorded(agents: list[str]) -> Iterator[tuple[str, Session]]:
    for path in sorted(SESSIONS.rglob("*.gz")):
        if agents and path.parent.name not in agents:
            continue
        try:
            yield from ((path.parent.name, session) for session in load(path))
        except FormatError as error:
            print(f"not read: {error}")


def row(name: str, score: Score) -> tuple[str, ...]:
    def share(part: int, whole: int) -> str:
        return f"{part / whole:.2%}" if whole else "-"

    counts = (score.sessions, score.reads, score.again, score.lines, score.seen, score.claimed)
    right = f"{score.right / score.claimed:.3%}" if score.claimed else "-"
    return (
        name,
        *(f"{count:,}" for count in counts),
        right,
        share(score.claimed, score.lines),
        share(score.claimed, score.seen),
    )


def main(agents: list[str]) -> None:
    started = time.perf_counter()
    judges: dict[str, Judge] = {}
    for agent, session in recorded(agents):
        follow(session, judges.setdefault(agent, Judge()))
    if not judges:
        print("No recorded sessions here (../shared/corpus/dev); there is nothing to compare.")
        return
    total = Score()
    for judge in judges.values():
        total += judge.score
    headings = (
        "agent",
        "sessions",
        "reads",
        "re-reads",
        "lines",
        "seen",
        "claimed",
        "right",
        "of lines",
        "of seen",
    )
    rows = [row(name, judge.score) for name, judge in sorted(judges.items())]
    print(plain(headings, [*rows, row("all", total)], right=range(1, len(headings))))
    for name, judge in sorted(judges.items()):
        for mistake in judge.mistakes:
            number, held, text = mistake.example
            print(
                f"wrong: {name} {mistake.session} turn {mistake.turn}: {mistake.wrong} of {mistake.claimed} lines"
            )
            print(f"       of {mistake.path}; line {number}: {held!r} was {text!r}")
    print("Seen lines that were not claimed, by what made them unknown:")
    for why, count in sorted(total.lost.items(), key=lambda item: -item[1]):
        print(f"  {count:6,}  {why} ({total.unchanged[why]:,} of them unchanged)")
    for name, judge in sorted(judges.items()):
        for why, count in sorted(judge.score.lost.items(), key=lambda item: -item[1])[:4]:
            print(f"  {name:14} {count:6,}  {why} ({judge.score.unchanged[why]:,} unchanged)")
    print(f"{time.perf_counter() - started:.1f} s")
    if not agents:
        RESULTS.mkdir(exist_ok=True)
        written = {name: judge.score for name, judge in sorted(judges.items())} | {"all": total}
        (RESULTS / "timeline.json").write_bytes(msgspec.json.format(msgspec.json.encode(written)) + b"\n")


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:])

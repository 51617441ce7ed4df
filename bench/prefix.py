"""Replay every recorded session under several prices and look for breaks of the prefix that were not declared.

    python bench/prefix.py [folder of sessions]

Each request goes through the preset `auto` with the schedule `cache`, one pruner for each file. It has to extend
the request before byte for byte, up to the cut of a flush that its outcome declares; in the sessions of
Anthropic's format the cache markers move along, and are left aside. A context that the agent compacted has to be
another conversation than the one before.
"""

import sys
from itertools import pairwise
from pathlib import Path

from checked import Checked, check_all
from usage import show_help

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus import Pruner  # noqa: E402
from prunus.clients.sessions import Session, load  # noqa: E402
from prunus.lab.conversations import conversations  # noqa: E402
from tests.recorded.prefix import ROWS, replayed, settings, wrong  # noqa: E402


def check_file(path: Path) -> list[Checked]:
    """The sessions of one file, or those that a run of the agent compacted one after the other."""
    try:
        found = [piece for session in load(path) for piece in conversations(session)]
        return [check(found, row) for row in ROWS] if found else []
    except Exception as error:
        return [Checked(path.parent.name, problems=[f"{path.name}: {type(error).__name__}: {error}"])]


def check(sessions: list[Session], row: str) -> Checked:
    """All requests at one price."""
    moving = sessions[0].format == "anthropic_messages"
    found = Checked(sessions[0].agent, sessions=len(sessions))
    replays = replayed(sessions, Pruner(settings(row)), moving=moving)
    for (old, ended), (new, begun) in pairwise(zip(sessions, replays, strict=True)):
        told = old.messages[: old.requests[-1]]
        continued = new.messages[: new.requests[0]][: len(told)] == told
        if ended[-1].outcome.conversation == begun[0].outcome.conversation and not continued:
            found.problems.append(f"{new.name} [{row}]: taken for the conversation before")
    for session, sent in zip(sessions, replays, strict=True):
        found.requests += len(sent)
        found.counts[row] += sum(one.outcome.flush is not None for one in sent)
        for number, (before, after) in enumerate(pairwise(sent), 1):
            problem = wrong(before, after, moving=moving)
            if before.outcome.conversation != after.outcome.conversation:
                problem = problem or "taken for another conversation"
            if problem:
                found.problems.append(f"{session.name} [{row}] request {number}: {problem}")
    return found


def cells(one: Checked) -> list[str]:
    """Sessions and requests count once for each price."""
    return [f"{count:,}" for count in (*(one.counts[row] for row in ROWS), len(one.problems))]


if __name__ == "__main__":
    show_help()
    sys.exit(check_all(check_file, [*(f"flushes {row}" for row in ROWS), "undeclared breaks"], cells))

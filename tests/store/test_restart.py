"""A recorded session that continues in another process has the same bytes and the same account as in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec
import pytest

from prunus import Pruner, Settings
from prunus.schedule.plan import Account
from prunus.store import Store
from tests.recorded.files import recorded
from tests.recorded.prefix import settings

Reopen = Callable[..., Store]
Sent = tuple[bytes, Account, int]

CHEAP: Final = "0.5/1.0"
"""Reading is dear against writing, so that breaking the cache pays soon."""
AGENTS: Final = ("claude-code", "codex", "gemini-cli", "openai-chat", "opencode")
"""One for each format."""


def requests(folder: Path, agent: str) -> tuple[str, list[tuple[float, bytes]]]:
    """The format of a recorded session, and its requests with their times."""
    (session,) = recorded(folder, agent)
    clock, made = 0.0, []
    for number, time in enumerate(session.times):
        clock = max(clock + 20.0, time or 0.0)
        made.append((clock, msgspec.json.encode(session.body(number))))
    return session.format, made


def told(pruner: Pruner, format: str, now: float, body: bytes) -> Sent:
    outcome = pruner.prune(body, now, format=format)
    assert outcome.error is None
    assert isinstance(outcome.body, bytes)
    conversation = pruner._conversations[-1]
    return outcome.body, conversation.memo.account, len(conversation.memo.ledger.flushes)


def steady(reopen: Reopen, chosen: Settings, format: str, bodies: list[tuple[float, bytes]]) -> list[Sent]:
    """Return the requests that one process sends."""
    pruner = Pruner(chosen, reopen().memory("steady"))
    return [told(pruner, format, now, body) for now, body in bodies]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_new_process_for_every_request_changes_no_byte(tmp_path: Path, reopen: Reopen, agent: str) -> None:
    chosen = settings(CHEAP)
    format, bodies = requests(tmp_path, agent)
    expected = steady(reopen, chosen, format, bodies)
    assert expected[-1][2] > 1
    for (now, body), one in zip(bodies, expected, strict=True):
        store = reopen()
        assert told(Pruner(chosen, store.memory("new")), format, now, body) == one
        store.close()


@pytest.mark.parametrize(("agent", "row", "first"), [("claude-code", CHEAP, 1), ("codex", "0.1/1.25", 2)])
def test_a_restart_after_any_request_changes_no_byte(
    tmp_path: Path, reopen: Reopen, agent: str, row: str, first: int
) -> None:
    """To save time, this tries the odd requests of one agent and the even requests of another."""
    chosen = settings(row)
    format, bodies = requests(tmp_path, agent)
    expected = steady(reopen, chosen, format, bodies)
    store = reopen()
    for stop in range(first, len(bodies), 2):
        before = Pruner(chosen, store.memory(f"stop {stop}"))
        sent = [told(before, format, now, body) for now, body in bodies[:stop]]
        second = reopen()
        after = Pruner(chosen, second.memory(f"stop {stop}"))
        sent += [told(after, format, now, body) for now, body in bodies[stop:]]
        second.close()
        assert sent == expected


def test_without_its_stored_account_a_conversation_would_flush_differently(tmp_path: Path, reopen: Reopen) -> None:
    """The tests above can fail: without its account, a conversation can pay for fewer flushes."""
    format, bodies = requests(tmp_path, "claude-code")
    chosen = settings(CHEAP)
    expected = steady(reopen, chosen, format, bodies)
    pruner = Pruner(chosen, reopen().memory("poor"))
    sent = []
    for now, body in bodies:
        sent.append(told(pruner, format, now, body)[0])
        held = pruner._conversations[-1]
        held.memo = replace(held.memo, account=Account())
    assert sent != [one[0] for one in expected]


@pytest.mark.parametrize("schedule", ["cache", "eager"])
def test_a_session_replayed_from_the_start_is_a_conversation_of_its_own(
    tmp_path: Path, reopen: Reopen, schedule: str
) -> None:
    format, bodies = requests(tmp_path, "claude-code")
    last = bodies[-1][0]
    for run in range(3):
        pruner = Pruner(settings(CHEAP, schedule=schedule), reopen().memory(""))
        outcomes = [pruner.prune(body, now + run * last, format=format) for now, body in bodies]
        assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
        assert len({outcome.conversation for outcome in outcomes}) == len(pruner._conversations) == 1

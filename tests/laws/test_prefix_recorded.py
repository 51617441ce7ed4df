"""Law: over recorded sessions of every agent, the next request extends this one, up to the cut of a declared flush.

A context that the agent compacted is a conversation of its own: nothing of the old one is continued in it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from prunus import Pruner
from prunus.clients.sessions import READERS, Session
from tests.recorded.files import COMPACTING, WRITERS, recorded
from tests.recorded.prefix import ROWS, replayed, settings, wrong
from tests.recorded.story import BREAK
from tests.recorded.writers import SUMMARY, Told

FORMATS = {"anthropic_messages", "openai_chat", "openai_responses", "gemini", "opencode"}

every_agent = pytest.mark.parametrize("agent", list(WRITERS))
every_row = pytest.mark.parametrize("row", list(ROWS))


def anthropic(session: Session) -> bool:
    return session.format == "anthropic_messages"


@every_agent
@every_row
def test_a_recorded_request_extends_the_one_before_up_to_a_declared_flush(
    tmp_path: Path, agent: str, row: str
) -> None:
    (session,) = recorded(tmp_path, agent)
    moving = anthropic(session)
    (sent,) = replayed([session], Pruner(settings(row)), moving=moving)
    assert len(sent) >= 12
    assert sent[0].outcome.flush is None
    assert [wrong(before, after, moving=moving) for before, after in pairwise(sent)] == [""] * (len(sent) - 1)
    assert {one.conversations for one in sent} == {1}


@every_agent
def test_recorded_sessions_are_really_pruned(tmp_path: Path, agent: str) -> None:
    """The law is not kept by doing nothing: each session is changed, and where that breaks, it says so."""
    (session,) = recorded(tmp_path, agent)
    (sent,) = replayed([session], Pruner(settings("0.5/1.0")))
    last = sent[-1].outcome
    assert last.report.tokens_after < 0.8 * last.report.tokens_before
    flushes = [one.outcome.flush for one in sent if one.outcome.flush is not None]
    assert flushes
    assert all(flush.reason and flush.rewritten >= 0 for flush in flushes)


@every_agent
def test_the_law_can_be_broken_by_a_recorded_session(tmp_path: Path, agent: str) -> None:
    """Edits that are made at once change what was sent before, and only the declared flushes excuse it."""
    (session,) = recorded(tmp_path, agent)
    (sent,) = replayed([session], Pruner(settings("0.1/1.25", schedule="eager")))
    assert all(wrong(before, after) == "" for before, after in pairwise(sent))
    changed = [after.messages[: len(before.messages)] != before.messages for before, after in pairwise(sent)]
    assert sum(changed) > 3


def test_every_loader_and_every_format_is_recorded(tmp_path: Path) -> None:
    sessions = [recorded(tmp_path, agent)[0] for agent in WRITERS]
    # Rows of an organisation's traces are requests of any format; `tests/clients` reads those.
    readers = set(READERS) - {"trace-rows"}
    assert {session.agent for session in sessions} == {"openai-chat", *readers}
    assert {session.format for session in sessions} == FORMATS


@pytest.mark.parametrize("agent", COMPACTING)
@every_row
def test_a_compacted_context_is_a_new_conversation(tmp_path: Path, agent: str, row: str) -> None:
    """It is sent as a pruner that never saw the old one would send it, except that what both begin with stays."""
    windows = recorded(tmp_path, agent, Told(compact=BREAK))
    assert len(windows) == 2
    assert SUMMARY not in str(windows[0].messages)
    assert SUMMARY in str(windows[1].messages)
    moving = anthropic(windows[0])
    old, new = replayed(windows, Pruner(settings(row)), moving=moving)
    assert {one.conversations for one in old} == {1}
    assert {one.conversations for one in new} == {2}
    assert len({one.outcome.conversation for one in new} - {old[0].outcome.conversation}) == 1
    for sent in (old, new):
        assert [wrong(before, after, moving=moving) for before, after in pairwise(sent)] == [""] * (len(sent) - 1)
    (fresh,) = replayed([windows[1]], Pruner(settings(row)), moving=moving)
    assert new[0].messages == fresh[0].messages
    assert any(SUMMARY.encode() in raw for raw in new[-1].messages)


@pytest.mark.parametrize("agent", COMPACTING)
def test_a_window_keeps_no_edit_of_the_one_before(tmp_path: Path, agent: str) -> None:
    old, new = replayed(recorded(tmp_path, agent, Told(compact=BREAK)), Pruner(settings("0.5/1.0")))
    (fresh,) = replayed([recorded(tmp_path, agent, Told(compact=BREAK))[1]], Pruner(settings("0.5/1.0")))
    assert old[-1].outcome.edits
    # Later requests may differ: the window counts those that it shares with the one before, so edits pay earlier.
    assert new[0].outcome.edits == fresh[0].outcome.edits


@every_agent
@every_row
def test_a_resumed_session_goes_on_where_it_was_left(tmp_path: Path, agent: str, row: str) -> None:
    """The agent was closed and opened again with the same history: one conversation, one prefix."""
    (left,) = recorded(tmp_path, agent, Told(length=BREAK))
    (whole,) = recorded(tmp_path, agent)
    asked = len(left.requests) - 1
    body = whole.body()
    tools = {"tools": body["tools"]} if isinstance(body, dict) else {}
    first = replace(left, requests=left.requests[:asked], times=left.times[:asked], envelope=left.envelope | tools)
    rest = replace(whole, requests=whole.requests[asked:], times=whole.times[asked:])
    moving = anthropic(whole)
    before, after = replayed([first, rest], Pruner(settings(row)), moving=moving)
    sent = [*before, *after]
    assert {one.conversations for one in sent} == {1}
    assert [wrong(one, other, moving=moving) for one, other in pairwise(sent)] == [""] * (len(sent) - 1)

"""A session that begins with a copy of another one shares the keys of the requests that were copied."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.recorded.files import COMPACTING, WRITERS, recorded
from tests.recorded.story import BREAK
from tests.recorded.writers import Told


@pytest.mark.parametrize("agent", list(WRITERS))
def test_a_copied_request_has_the_key_of_the_original(tmp_path: Path, agent: str) -> None:
    """The last request of the original got another answer than the copy, so that one was sent twice."""
    (original,) = recorded(tmp_path, agent, Told(length=BREAK, session="old"))
    (resumed,) = recorded(tmp_path, agent, Told(session="new"))
    shared = len(original.requests) - 1
    assert shared > 10
    assert resumed.keys()[:shared] == original.keys()[:shared]
    assert set(resumed.keys()[shared:]).isdisjoint(original.keys())


@pytest.mark.parametrize("agent", list(WRITERS))
def test_each_request_of_a_session_has_a_key_of_its_own(tmp_path: Path, agent: str) -> None:
    (session,) = recorded(tmp_path, agent)
    assert len(set(session.keys())) == len(session.requests)


@pytest.mark.parametrize("agent", COMPACTING)
def test_a_compacted_context_shares_no_request(tmp_path: Path, agent: str) -> None:
    before, after = recorded(tmp_path, agent, Told(compact=BREAK))
    assert set(before.keys()).isdisjoint(after.keys())


def test_the_same_question_with_another_answer_is_another_request(tmp_path: Path) -> None:
    (session,) = recorded(tmp_path, "openai-chat")
    other = {"role": "assistant", "content": "No."}
    refused = replace(session, messages=(session.messages[0], other), requests=(1,), times=(None,))
    unanswered = replace(refused, messages=session.messages[:1])
    assert len({session.keys()[0], refused.keys()[0], unanswered.keys()[0]}) == 3


def test_a_key_does_not_depend_on_the_order_of_fields_or_on_what_stands_around(tmp_path: Path) -> None:
    (session,) = recorded(tmp_path, "claude-code")
    turned = tuple(dict(reversed(message.items())) for message in session.messages)
    assert replace(session, messages=turned, name="x", envelope={"system": "y"}).keys() == session.keys()

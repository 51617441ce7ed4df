import copy
from itertools import pairwise
from typing import Any

import pytest

from prunus.clients.sessions import Session
from prunus.lab.policies import policy_named
from prunus.lab.policy import PLACEHOLDER
from tests.lab.talk import anthropic, chat, reads, session


def sent(talk: Session, policy: str) -> list[Any]:
    send = policy_named(policy).start()
    return [send(talk.body(request), None) for request in range(len(talk.requests))]


def cleared(body: Any) -> int:
    return str(body).count(PLACEHOLDER)


def test_the_policy_none_sends_the_same_body() -> None:
    body = anthropic(reads(2)).body()
    assert policy_named("none").start()(body, None) is body


def test_a_mask_moves_with_every_turn() -> None:
    assert [cleared(body) for body in sent(anthropic(reads(5)), "mask:2")] == [0, 0, 0, 1, 2, 3]


def test_a_mask_keeps_the_newest() -> None:
    body = sent(anthropic(reads(3)), "mask:1")[-1]
    results = [message["content"][0]["content"] for message in body["messages"][2::2]]
    assert results[:2] == [PLACEHOLDER, PLACEHOLDER]
    assert "value_2_0" in results[2]


def test_a_batch_of_masks_waits_until_it_pays() -> None:
    talk = anthropic(reads(9))
    each = sum(cleared(body) > 0 for body in sent(talk, "mask:1"))
    batched = [cleared(body) for body in sent(talk, "mask:1:1000")]
    assert batched[2] == 0 < each
    assert len({count for count in batched if count}) < 5
    assert batched == sorted(batched)


def test_clearing_starts_past_the_trigger_and_lasts() -> None:
    counts = [cleared(body) for body in sent(anthropic(reads(9)), "clear:1500:1")]
    assert counts[0] == counts[1] == 0 < counts[-1]
    assert counts == sorted(counts)
    assert any(a == b for a, b in pairwise(counts) if a), "it cleared at every turn"


def test_the_given_body_is_not_changed() -> None:
    body = anthropic(reads(4)).body()
    before = copy.deepcopy(body)
    policy_named("mask:0").start()(body, None)
    assert body == before


def test_unchanged_messages_stay_the_same_objects() -> None:
    talk = anthropic(reads(6))
    *_, before, after = sent(talk, "mask:2:100000")
    assert all(a is b for a, b in zip(before["messages"], after["messages"], strict=False))
    *_, before, after = sent(talk, "mask:2")
    same = [a is b for a, b in zip(before["messages"], after["messages"], strict=False)]
    assert same.count(False) == 1, "one more result was cleared"


GEMINI = [
    {"role": "user", "parts": [{"text": "Go"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "long words"}}}]},
]
OPENCODE = [
    {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Go"}]},
    {
        "info": {"role": "assistant"},
        "parts": [
            {"type": "tool", "callID": "a", "tool": "read",
             "state": {"status": "completed", "input": {}, "output": "long words"}}
        ],
    },
]  # fmt: skip
RESPONSES = [
    {"role": "user", "content": "Go"},
    {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "long words"}]},
]


@pytest.mark.parametrize(
    "talk",
    [
        session("gemini", GEMINI, [3]),
        session("opencode", OPENCODE, [2]),
        session("openai_responses", RESPONSES, [3]),
        chat([("read", {}, "long words")]),
    ],
    ids=lambda talk: talk.format,
)
def test_results_are_cleared_in_every_format(talk: Session) -> None:
    body = sent(talk, "mask:0")[-1]
    assert "long words" not in str(body)
    assert cleared(body) == 1

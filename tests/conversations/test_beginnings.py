"""A request is compared only with the conversations that begin as it does."""

from __future__ import annotations

import json
from typing import Any

from prunus import Pruner, Settings
from prunus.conversations.beginnings import Beginnings
from prunus.conversations.conversation import Conversation


def body(name: str, steps: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Work on {name}."}]
    for n in range(steps):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": f"/srv/{name}/{n}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"{name} {n}"}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return {"model": "claude-sonnet-4-5", "messages": messages}


def encoded(name: str, steps: int) -> bytes:
    return json.dumps(body(name, steps)).encode()


def filed(pruner: Pruner) -> Beginnings[Conversation]:
    """How a pruner files its conversations."""
    return pruner._conversations._beginnings


def test_a_body_is_like_the_conversation_that_it_continues_and_like_no_other() -> None:
    pruner = Pruner()
    for name in ("plums", "sloes", "pears"):
        pruner.prune(encoded(name, 2))
    beginnings = filed(pruner)
    sloes = pruner._conversations[1]
    # All three words have the same length, so only the bytes tell the bodies apart.
    assert list(beginnings.like(encoded("sloes", 3))) == [sloes]
    assert list(beginnings.like(encoded("figs", 3))) == []
    assert beginnings.with_first(sloes.digests[0]) == [sloes]
    assert beginnings.with_first(b"another") == []


def test_a_conversation_given_as_objects_is_found_by_objects_only() -> None:
    pruner = Pruner()
    pruner.prune(body("plums", 2))
    beginnings = filed(pruner)
    assert list(beginnings.like(body("plums", 3))) == [pruner._conversations[0]]
    assert list(beginnings.like(encoded("plums", 3))) == []
    # The hash of the first message finds it all the same.
    outcome = pruner.prune(encoded("plums", 3))
    assert len(pruner._conversations) == 1
    assert outcome.request == 2


def test_forks_of_one_beginning_are_found_newest_last() -> None:
    pruner = Pruner()
    pruner.prune(encoded("plums", 3))
    fork = body("plums", 1)
    fork["messages"] += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}]
    pruner.prune(json.dumps(fork).encode())
    beginnings = filed(pruner)
    assert beginnings.with_first(pruner._conversations[0].digests[0]) == list(pruner._conversations)


def test_nothing_is_left_of_conversations_that_are_forgotten() -> None:
    pruner = Pruner(Settings(limits={"conversations": 2}))
    for n in range(6):
        pruner.prune(encoded(f"plums {n}", 1 + n))
    beginnings = filed(pruner)
    assert len(pruner._conversations) == 2
    assert len(beginnings._places) == len(beginnings._by_first) == 2
    for one in pruner._conversations:
        beginnings.remove(one)
        beginnings.remove(one)
    assert not any((beginnings._places, beginnings._by_first, beginnings._by_end))

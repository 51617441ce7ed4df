"""A program that has its bodies pruned by a running proxy, as the page shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from prunus import Pruner, Settings
from prunus.proxy.serve import Background
from tests.integrations.scenario import PROMPTS, SYSTEM, Played, load_snippet
from tests.integrations.wires import chat_calls


def play(prune: Callable[..., Any]) -> Played:
    """An agent that asks a scripted model, and has each body pruned before."""
    played = Played()
    history: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for prompt in PROMPTS:
        history.append({"role": "user", "content": prompt})
        while True:
            body = {"model": "gpt-5", "tools": [{}], "messages": history}
            move = played.ask(prune(body, key="one")["messages"], None)
            calls = chat_calls([(move.id(n), call.tool, call.arguments) for n, call in enumerate(move.calls)])
            history.append(
                {"role": "assistant", "content": move.text or None, **({"tool_calls": calls} if calls else {})}
            )
            if not calls:
                played.answers.append(move.text)
                break
            for n, call in enumerate(move.calls):
                result = played.workspace.run(call.tool, call.arguments)
                history.append({"role": "tool", "tool_call_id": move.id(n), "content": result})
    played.stored = json.loads(json.dumps(history))
    return played


def test_an_agent_sends_less_and_ends_the_same() -> None:
    prune = load_snippet("sidecar.py").prune
    plain = play(lambda body, key: body)
    # A deadline that is far away, so that the test does not depend on the speed of the machine.
    with Background(Settings(proxy={"port": 0, "deadline": 600.0}, store={"url": "off"})) as proxy:
        pruned = play(lambda body, key: prune(body, key, url=proxy.url, seconds=600))
    assert pruned.sent_less_than_stored()
    assert (pruned.stored, pruned.answers, pruned.workspace.files) == (
        plain.stored,
        plain.answers,
        plain.workspace.files,
    )
    pruner = Pruner()
    expected = play(lambda body, key: pruner.prune(body, key=key).body)
    assert pruned.requests == expected.requests


def test_without_a_proxy_the_body_stays_as_it_is() -> None:
    body = {"messages": [{"role": "user", "content": "Hi."}]}
    assert load_snippet("sidecar.py").prune(body, url="http://127.0.0.1:9", seconds=5) is body

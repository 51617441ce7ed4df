"""A client that asks for a summary of its history gets it from what the provider has cached."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prunus.proxy.serve import Background
from prunus.settings import Settings
from prunus.store import open_store
from tests.proxy.test_bill import HIDDEN, OFF, result, script
from tests.upstream import Request, Upstream
from tests.upstream.player import FORMATS, Player
from tests.upstream.prefix import chain
from tests.upstream.wires import WIRES
from tests.validity import FIELDS

TASKS = {
    "anthropic_messages": "Your task is to create a detailed summary of this. Do NOT call any tools.",
    "openai_responses": "CONTEXT CHECKPOINT COMPACTION: write a summary.",
}
# No known client asks for a summary with tools on the Gemini API.
CASES = [(format, tools) for format in FORMATS for tools in (True, False) if format != "gemini" or not tools]


def asked(player: Player, *, tools: bool) -> dict[str, Any]:
    """The history of a client with an instruction behind it."""
    text = TASKS.get(player.format, TASKS["anthropic_messages"])
    message: dict[str, Any] = {"role": "user", "content": text}
    if player.format == "gemini":
        message = {"role": "user", "parts": [{"text": text}]}
    elif player.format == "anthropic_messages":
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
    field = FIELDS[player.format]
    body = {**player.body, field: [*player.body[field], message]}
    if not tools:
        del body["tools"]
    return body


def links(request: Request) -> list[str]:
    return [link.text for link in chain(WIRES[request.format], request.body).links if link.message >= 0]


def play(folder: Path, format: str, *, tools: bool, **values: Any) -> tuple[Upstream, bytes, int]:
    """A session with a summary at its end; also the request for that, and how many exchanges the store has."""
    store = f"sqlite:///{folder / 'store.db'}"
    with Upstream(script()) as up:
        upstreams = dict.fromkeys(("anthropic", "openai", "gemini"), up.url)
        proxy = {"port": 0, "deadline": 600.0}
        settings = Settings(proxy=proxy, store={"url": store}, upstreams=upstreams, **values)
        with Background(settings) as served:
            player = Player(served.url, format, result=result)
            player.play()
            summary = json.dumps(asked(player, tools=tools)).encode()
            assert player.send(summary).status == 200
    assert up.problems == []
    kept = open_store(store, existing=True)
    requests = kept.totals("").requests
    kept.close()
    return up, summary, requests


@pytest.mark.parametrize(("format", "tools"), CASES)
@pytest.mark.parametrize("values", [OFF, HIDDEN, {"preset": "acp"}], ids=["auto", "hidden", "acp"])
def test_a_summary_extends_the_pruned_history(
    format: str, tools: bool, values: dict[str, Any], tmp_path: Path
) -> None:
    up, summary, requests = play(tmp_path, format, tools=tools, **values)
    *_, before, compaction = up.requests
    shared = links(before)
    assert links(compaction)[: len(shared)] == shared
    assert len(compaction.bytes) < len(summary)
    assert bool(compaction.tools) is tools
    assert requests > 1
    if tools:
        assert compaction.usage.read == before.usage.input


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_responses"])
@pytest.mark.parametrize("values", [OFF, HIDDEN], ids=["auto", "hidden"])
def test_a_summary_can_be_asked_for_with_nothing_cut(format: str, values: dict[str, Any], tmp_path: Path) -> None:
    up, summary, _ = play(tmp_path, format, tools=True, compaction="whole", **values)
    *_, before, compaction = up.requests
    # With the hidden tool, what the client does not know of its turns is put back.
    assert compaction.bytes == summary if values is OFF else len(compaction.bytes) > len(summary)
    assert compaction.usage.read < before.usage.input


def test_a_conversation_that_is_retold_in_one_text_goes_out_as_it_came(tmp_path: Path) -> None:
    """OpenCode tells the history to a summarization agent, as words of the user and with another system text."""
    with Upstream(script()) as up:
        settings = Settings(
            proxy={"port": 0, "deadline": 600.0},
            store={"url": f"sqlite:///{tmp_path / 'store.db'}"},
            upstreams=dict.fromkeys(("anthropic", "openai", "gemini"), up.url),
            **HIDDEN,
        )
        with Background(settings) as served:
            player = Player(served.url, "openai_chat", result=result)
            player.play()
            told = "".join(
                f"[{message['role']}]: {message.get('content')}\n" for message in player.body["messages"]
            )
            messages = [
                {"role": "system", "content": "You are a context summarization agent."},
                {"role": "user", "content": f"Here is the conversation so far:\n\n<conversation>\n{told}"},
            ]
            retold = json.dumps({"model": "gpt-5", "messages": messages}).encode()
            assert player.send(retold).status == 200
    assert up.requests[-1].bytes == retold

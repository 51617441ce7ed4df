"""The intent of edits through a running proxy, between a scripted provider and the smallest client of each API."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from prunus.providers import api_named
from tests.formats import FIELDS
from tests.proxy.provider import behind
from tests.upstream import Read, Script, Step, Upstream, Write
from tests.upstream.player import Player
from tests.upstream.values import Call, Past, Tool, Turn

STEPS = (
    Step((Read("a.py"),)),
    Step((Write("a.py", "a = 1\n" * 40),)),
    Step((Write("b.py", 'b = "é, }"\n'), Read("a.py"), Write("c.py", "c = 3\n"))),
    Step((Read("b.py"),)),
    Step(text="Done."),
)


class Purposeful(Script):
    """A model that says why it writes, where it is asked to."""

    def turn(self, past: Past, tools: Sequence[Tool], tag: str, *, thinking: bool) -> Turn:
        turn = super().turn(past, tools, tag, thinking=thinking)
        asked = {tool.name for tool in tools if "intent" in tool.properties}
        return replace(turn, calls=tuple(_explained(call) if call.name in asked else call for call in turn.calls))


def _explained(call: Call) -> Call:
    assert isinstance(call.arguments, dict)
    path, *more = call.arguments.items()
    return Call(call.id, call.name, dict([path, ("intent", f"why {path[1]}"), *more]))


def written(format: str, body: Any) -> list[Any]:
    """The arguments of the writes in a request."""
    sites = [site for message in body[FIELDS[format]] for site in api_named(format).calls_of(message)]
    return [json.loads(site.text) for site in sites if site.tool == "write"]


@pytest.mark.parametrize(
    ("format", "stream", "offer"),
    [
        ("anthropic_messages", True, "off"),
        ("anthropic_messages", False, "hidden"),
        ("openai_chat", True, "hidden"),
        ("openai_chat", False, "off"),
        ("openai_responses", True, "off"),
        ("gemini", True, "off"),
    ],
)
def test_only_the_model_knows_why(format: str, stream: bool, offer: str, tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "preset": "off",
        "agent": {"offer": offer, "intent": True},
        "store": {"url": f"sqlite:///{tmp_path / 'p.db'}"},
    }
    with Upstream(Purposeful(STEPS, root="/r")) as up:
        with behind(up, **values) as proxy:  # type: ignore[arg-type]
            player = Player(proxy.url, format, stream=stream)
            assert all(player.step() for _ in range(3))
        with behind(up, **values) as proxy:  # type: ignore[arg-type]
            player.url = proxy.url
            player.play()
    assert not up.problems and not up.breaks
    assert "why" not in json.dumps(player.body)
    assert [list(call) for call in written(format, player.body)] == [["path", "content"]] * 3
    seen = written(format, json.loads(up.requests[-1].bytes))
    assert [list(call.items())[:2] for call in seen] == [
        [("path", f"/r/{name}.py"), ("intent", f"why /r/{name}.py")] for name in "abc"
    ]
    assert [call["content"] for call in seen] == ["a = 1\n" * 40, 'b = "é, }"\n', "c = 3\n"]

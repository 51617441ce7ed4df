"""`prunus mcp`, called like a client: one JSON object per line."""

import json
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from prunus.store import Exchange, open_store

pytest.importorskip("mcp")


class Client:
    """A minimal MCP client."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.server = self.ask("initialize", hello)
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tell(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self.tell({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.number
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError")
        return str(result["content"][0]["text"])


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'prunus.db'}"


@pytest.fixture
def client(spawn: Callable[..., "subprocess.Popen[bytes]"], url: str) -> Iterator[Client]:
    process = spawn("mcp", "--store", url)
    try:
        yield Client(process)
    finally:
        process.kill()
        process.communicate()


def test_the_server_says_which_prunus_it_is(client: Client) -> None:
    assert client.server["serverInfo"] == {"name": "prunus", "version": version("prunus")}


def test_both_tools_are_offered_and_answer(client: Client, url: str) -> None:
    tools = {tool["name"]: tool for tool in client.ask("tools/list", {})["tools"]}
    assert set(tools) == {"context_prune", "context_info"}
    assert "[id 3fa9c2]" in tools["context_prune"]["description"]
    assert client.call("context_prune", action="discard", targets=[["3fa9c2"]]).startswith("Noted")
    assert "summary is missing" in client.call("context_prune", action="distill", targets=[["3fa9c2"]])
    assert client.call("context_prune", action="discard", targets="3fa9c2").startswith("Noted")
    assert "Nothing is known" in client.call("context_info")
    store = open_store(url)
    store.record(
        "", Exchange("c1", 1, 1.0, model="claude-x", tokens_before=90_000, tokens_after=50_000, status=200)
    )
    store.close()
    assert "50,000 of 200,000 tokens, 25% full" in client.call("context_info")


def test_help_says_what_else_is_needed(run: Callable[..., Result]) -> None:
    assert "agent.offer" in run("mcp", "--help").output

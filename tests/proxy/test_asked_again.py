"""The proxy counts, logs and learns when an agent asks for cut content again."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from prunus.reuse.asked_again import Tried
from prunus.store import open_store
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.store.samples import ask, exchange, receipt

LOG = "\n".join(f"commit {n} by somebody" for n in range(200))
AGENT = [("User-Agent", "acme/1.2"), ("x-api-key", "k")]


def request(*commands: str) -> bytes:
    made: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    for n, command in enumerate(commands):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"{LOG}\n{command}"}
        made += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
    return json.dumps({"model": "claude-sonnet-4-5", "messages": made, "tools": tools}).encode()


def test_the_store_and_the_metrics_count_parts_that_were_asked_for_again(
    provider: Provider, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/prunus.db"
    commands = ["git log", *(f"git show {n}" for n in range(6)), "git log", "git status"]
    with behind(provider, store={"url": url}, preset="auto", schedule="eager") as proxy:
        for count in range(1, len(commands) + 1):
            call(proxy.url, "POST", "/v1/messages", request(*commands[:count]), AGENT)
        raw = call(proxy.url, "GET", "/metrics").body.decode()
    with_asks = [line for line in raw.splitlines() if line.startswith("prunus_asked_again_total")]
    assert len(with_asks) == 1
    assert with_asks[0].endswith(" 1.0")
    assert 'kind="shell"' in with_asks[0]
    assert "prunus_cut_parts_total{" in raw
    store = open_store(url)
    experience = store.memory("").experience("acme")
    store.close()
    assert experience.requests == len(commands)
    assert experience.total.asked == 1
    assert experience.total.cut >= 5
    assert experience.kinds.keys() == {"shell"}


def test_a_strategy_that_steps_back_is_logged_once(
    provider: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    cuts = [receipt(f"{n:06}", n, strategy="finished_results", kind="shell") for n in range(2, 42)]
    store.record("", exchange("old", client="acme", time=1e12), cuts)
    asked = tuple(ask(n, "finished_results", "shell") for n in range(2, 22))
    store.record("", exchange("old", 2, client="acme", time=1e12, asks=asked))
    assert store.memory("").experience("acme").total == Tried(40, 0.0, 20, 2_000)
    store.close()
    with (
        behind(provider, store={"url": url}, preset="auto", schedule="eager") as proxy,
        caplog.at_level(logging.WARNING, "prunus"),
    ):
        for first in ("git log", "git diff"):
            for count in (1, 8):
                commands = [first, *(f"git show {n}" for n in range(count - 1))]
                call(proxy.url, "POST", "/v1/messages", request(*commands), AGENT)
    said = [record.getMessage() for record in caplog.records if "steps back" in record.getMessage()]
    assert len(said) == 1
    assert said[0].startswith("finished_results steps back in new conversations of acme: ")
    assert b"commit 150 by somebody" in provider.asked[-1].body

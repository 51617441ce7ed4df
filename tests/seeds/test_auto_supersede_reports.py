"""The seed auto-supersede.md, its last two sections: Stats Tracking and Log Format."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prunus import Settings, prune
from prunus.cli import main
from prunus.report.funnel import effectiveness
from prunus.report.request_report import record
from prunus.store import open_store
from prunus.tally import Tally
from tests.agent.scripts import declared
from tests.formats import FIELDS, call_and_result
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import PATHS

every_format = pytest.mark.parametrize("format", FIELDS)
TEXT = "line of a file\n" * 60
LIST = {"todos": [{"id": str(n), "content": f"Task number {n} of many", "status": "pending"} for n in range(20)]}
ACP = Settings(preset="acp", agent={"offer": "off"})

Call = tuple[str, str, dict[str, Any], str]

HASH: list[Call] = [
    ("call_001", "bash", {"command": "make"}, TEXT),
    ("call_002", "bash", {"command": "make"}, TEXT),
]
FILE: list[Call] = [
    ("call_001", "read", {"filePath": "/src/app.ts"}, TEXT),
    ("call_002", "write", {"filePath": "/src/app.ts", "content": TEXT}, "Wrote the file."),
]
TODO: list[Call] = [
    ("call_001", "todowrite", LIST, "ok"),
    ("call_002", "todowrite", {"todos": LIST["todos"][:9]}, "ok"),
]
URL: list[Call] = [
    ("call_001", "webfetch", {"url": "https://a.example/x", "format": "text"}, TEXT),
    ("call_002", "webfetch", {"url": "https://a.example/x", "format": "markdown"}, TEXT),
]
QUERY: list[Call] = [
    ("call_001", "bash", {"command": "git status", "description": "Look"}, TEXT),
    ("call_002", "bash", {"command": "git status", "description": "Look again"}, TEXT),
]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def request(format: str, calls: list[Call]) -> dict[str, Any]:
    """A request with these calls, each in a turn of its own."""
    first: Any = {"role": "user", "content": "Go."}
    if format == "gemini":
        first = {"role": "user", "parts": [{"text": "Go."}]}
    messages = [first]
    for id, tool, given, text in [*calls, ("call_009", "bash", {"command": "true"}, "done")]:
        messages += call_and_result(format, id, tool, given, text)
    return {"model": "claude-x", FIELDS[format]: messages, "tools": [declared(format, "read", {})]}


# Stats tracking


@every_format
@pytest.mark.parametrize(
    ("calls", "kind"),
    [(HASH, "hash"), (FILE, "file"), (TODO, "todo"), (URL, "url"), (QUERY, "query")],
    ids=["hash", "file", "todo", "url", "query"],
)
def test_stats_are_tracked_under_auto_supersede(format: str, calls: list[Call], kind: str) -> None:
    groups = record(prune(request(format, calls), ACP, format=format))["autoSupersede"]
    assert groups.pop(kind)["count"] == 1
    assert all(tally == {"count": 0, "tokens": 0} for tally in groups.values())


@every_format
def test_the_tokens_of_a_superseded_todo_list_are_those_of_todo(format: str) -> None:
    out = prune(request(format, TODO), ACP, format=format)
    [edit] = out.edits
    assert (edit.strategy, edit.counted_as) == ("spent_inputs", "old_todos")
    assert out.report.strategies == {"old_todos": Tally(1, edit.saved)}


@every_format
def test_the_input_and_the_result_of_a_superseded_write_are_one_prune_of_file(format: str) -> None:
    path = {"filePath": "/src/app.ts"}
    calls = [("call_001", "write", {**path, "content": TEXT}, TEXT), ("call_002", "read", path, TEXT)]
    out = prune(request(format, calls), ACP, format=format)
    assert len(out.edits) == 2
    assert record(out)["autoSupersede"]["file"] == {"count": 1, "tokens": out.report.saved}
    assert "spent_inputs" not in out.report.strategies


@every_format
def test_a_prune_whose_note_would_be_longer_than_the_result_still_counts(format: str) -> None:
    calls = [("call_001", "bash", {"command": "pwd"}, "/src"), ("call_002", "bash", {"command": "pwd"}, "/src")]
    out = prune(request(format, calls), ACP, format=format)
    assert out.edits == ()
    assert out.report.strategies == {"duplicate_calls": Tally(1, 0)}
    assert [(receipt.call, receipt.by) for receipt in out.passed] == [("call_001", "call_002")]
    assert prune(out.body, ACP, format=format).body == out.body


def test_what_is_superseded_already_is_not_counted_again() -> None:
    once = prune(request("openai_chat", HASH), ACP)
    assert prune(once.body, ACP).report.strategies == {}


def test_the_box_of_the_seed() -> None:
    box = effectiveness(
        {"duplicate_calls": Tally(5, 4_200), "stale_reads": Tally(4, 3_100), "old_todos": Tally(3, 1_200)}
    )
    shown = [line[:43].rstrip() if line.startswith("    ") else line for line in box.splitlines()]
    assert shown == [
        "Strategy Effectiveness:",
        "────────────────────────────────────────────────────────────",
        "  Auto-Supersede        12 prunes, ~8.5k saved ⭐",
        "    🔄 hash              5 prunes, ~4.2k",
        "    📁 file              4 prunes, ~3.1k",
        "    ✅ todo              3 prunes, ~1.2k",
    ]


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat"])
def test_stats_and_acp_stats_show_it(format: str, provider: Provider, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'p.db'}"
    asked = request(format, [*HASH, *[(f"{id}b", *rest) for id, *rest in TODO]])
    stats = {**asked, FIELDS[format]: [*asked[FIELDS[format]], {"role": "user", "content": "/acp stats"}]}
    with behind(provider, store={"url": url}) as proxy:
        call(proxy.url, "POST", PATHS[format], json.dumps(asked).encode())
        store = open_store(url, existing=True)
        while not store.contexts(""):
            time.sleep(0.02)
        store.close()
        answered = json.loads(call(proxy.url, "POST", PATHS[format], json.dumps(stats).encode()).body)
    shown = CliRunner().invoke(main, ["stats", "--store", url]).output
    found = json.loads(CliRunner().invoke(main, ["stats", "--json", "--store", url]).output)
    for text in (shown, json.dumps(answered, ensure_ascii=False)):
        for words in ("Strategy Effectiveness:", "Auto-Supersede         2 prunes, ~", "saved ", "Pruning Funnel"):
            assert words in text
    groups = found["session"]["autoSupersede"]
    assert (groups["hash"]["count"], groups["todo"]["count"]) == (1, 1)
    assert groups["hash"]["tokens"] > 0 < groups["todo"]["tokens"]
    assert found["all"]["autoSupersede"] == groups
    funnel = found["session"]["funnel"]
    assert funnel["autoSupersede"]["tokens"] == groups["hash"]["tokens"] + groups["todo"]["tokens"]
    assert funnel["raw"]["tokens"] - funnel["autoSupersede"]["tokens"] == funnel["active"]["tokens"]


# Log format


@every_format
@pytest.mark.parametrize(
    ("calls", "line"),
    [
        (HASH, "[auto-supersede] 🔄 hash {id}: call_001 → call_002"),
        (FILE, "[auto-supersede] 📁 file /src/app.ts: read call_001 superseded by write"),
        (TODO, "[auto-supersede] ✅ todo: pruned old todowrite call_001"),
        (URL, "[auto-supersede] 🔗 url https://a.example/x: call_001 → call_002"),
        (QUERY, "[auto-supersede] 📊 query git status: call_001 → call_002"),
    ],
    ids=["hash", "file", "todo", "url", "query"],
)
def test_the_log_says_what_superseded_what(
    format: str, calls: list[Call], line: str, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "prunus")
    with behind(provider) as proxy:
        for _ in range(2):
            call(proxy.url, "POST", PATHS[format], json.dumps(request(format, calls)).encode())
    said = [message for message in caplog.messages if "[auto-supersede]" in message]
    ids = [receipt.id for receipt in prune(request(format, calls), ACP, format=format).receipts]
    assert said == [line.format(id=ids[-1])]


def test_a_call_without_an_id_is_known_by_its_turn(provider: Provider, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "prunus")
    body = request("gemini", FILE)
    for content in body["contents"]:
        for part in content["parts"]:
            for value in part.values():
                if isinstance(value, dict):
                    value.pop("id", None)
    with behind(provider) as proxy:
        call(proxy.url, "POST", PATHS["gemini"], json.dumps(body).encode())
    assert "[auto-supersede] 📁 file /src/app.ts: read turn 1 superseded by write" in caplog.messages

"""The seed acp-architecture.md: Status Bar Behavior and The Pruning Funnel."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner
from rich.cells import cell_len

from prunus import Settings, prune
from prunus.agent import execute
from prunus.cli import main
from prunus.proxy.exchange import Event
from prunus.report.funnel import funnel_box, funnel_of
from prunus.requested.targets import ACKNOWLEDGED
from prunus.tally import Tally, status
from tests.agent.scripts import answer, declared, keep, question, results, understood
from tests.formats import FIELDS, call_and_result
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind

TEXT = "line of a file\n" * 60
LINE = r"「 ⚙️  2\(\d+\) ▼ 」"
PATHS = {
    "anthropic_messages": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
}
every_format = pytest.mark.parametrize("format", FIELDS)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def two_reads(format: str) -> dict[str, Any]:
    """A request in which two files were read."""
    first: Any = {"role": "user", "content": "Go."}
    if format == "gemini":
        first = {"role": "user", "parts": [{"text": "Go."}]}
    messages = [first]
    for n in range(2):
        messages += call_and_result(format, f"call_{n}", "read", {"filePath": f"/{n}"}, f"{n}\n{TEXT}")
    return {"model": "claude-x", FIELDS[format]: messages, "tools": [declared(format, "read", {})]}


def asked(format: str, *targets: str, reply: str = ACKNOWLEDGED) -> dict[str, Any]:
    """The same, and the agent has discarded these targets."""
    body = two_reads(format)
    given = {"action": "discard", "targets": [[target] for target in targets]}
    body[FIELDS[format]] += call_and_result(format, "call_9", "context_prune", given, reply)
    return body


def told(format: str, *targets: str, **settings: Any) -> str:
    given = {"action": "discard", "targets": [[target] for target in targets]}
    return execute(two_reads(format), given, Settings(preset="acp", **settings), format=format)


# Format


def test_the_line_of_the_seed() -> None:
    pruned = {"messages": Tally(15, 7_500), "thinking": Tally(8, 16_000), "tools": Tally(39, 83_100)}
    assert status(pruned) == "「 💬 15(7.5K) ▼ + 🧠  8(16K) ▼ + ⚙️ 39(83.1K) ▼ 」"


# When it appears: after successful context_prune() operations that actually prune items


@every_format
def test_it_appears_in_the_answer_of_the_tool(format: str) -> None:
    assert re.search(rf"\n{LINE}$", told(format, "tools"))


@every_format
def test_it_appears_in_the_answer_of_a_tool_that_cannot_see_the_history(format: str) -> None:
    after = prune(asked(format, "tools"), Settings(preset="acp", agent={"offer": "mcp"}), format=format).body
    assert re.search(ACKNOWLEDGED + " " + LINE, json.dumps(after, ensure_ascii=False))


@every_format
def test_it_appears_in_the_log_of_the_proxy_once(
    format: str, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "prunus")
    events: list[Event] = []
    with behind(provider, watch=events, agent={"offer": "mcp"}) as proxy:
        for body in (two_reads(format), asked(format, "tools"), asked(format, "tools")):
            assert call(proxy.url, "POST", PATHS[format], json.dumps(body).encode()).status == 200
    assert [bool(re.fullmatch(LINE, event.status_line)) for event in events] == [False, True, False]
    assert [record for record in caplog.messages if "▼" in record] == [events[1].status_line]


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat", "openai_responses"])
def test_it_appears_after_a_hidden_call_and_the_client_sees_none_of_it(format: str, provider: Provider) -> None:
    events: list[Event] = []
    tool = "Read" if format == "anthropic_messages" else "read"
    hops = [
        [("call", "toolu_000000000001", tool, {"file_path": "/1", "filePath": "/1"})],
        [("call", "hid_0123456789", "context_prune", {"action": "discard", "targets": [["tools"]]})],
        [("text", "Tidied.")],
        [("text", "Done.")],
    ]
    left = [answer(format, hop, streaming=True) for hop in hops]

    async def answered(request: web.Request) -> web.StreamResponse:
        return web.Response(body=left.pop(0), headers={"content-type": "text/event-stream"})

    provider.answer = answered
    messages: list[Any] = [{"role": "user", "content": "Look."}]
    more = [results(format, [("toolu_000000000001", TEXT)]), [{"role": "user", "content": "Go on."}], []]
    with behind(provider, watch=events, preset="acp", agent={"offer": "hidden"}) as proxy:
        for behind_it in more:
            got = understood(
                format, call(proxy.url, "POST", PATHS[format], question(format, messages)).body, streaming=True
            )
            assert "▼" not in json.dumps(got, ensure_ascii=False)
            messages += [*keep(format, got["message"]), *behind_it]
    assert "▼" in json.dumps(json.loads(provider.asked[2].body), ensure_ascii=False)
    assert [event.status_line.count("⚙️  1(") for event in events] == [0, 1, 0]


# When it disappears


@every_format
def test_off_shows_none(format: str, provider: Provider) -> None:
    assert "▼" not in told(format, "tools", notification="off")
    settings = Settings(preset="acp", agent={"offer": "mcp"}, notification="off")
    assert "▼" not in json.dumps(prune(asked(format, "tools"), settings, format=format).body, ensure_ascii=False)
    events: list[Event] = []
    with behind(provider, watch=events, agent={"offer": "mcp"}, notification="off") as proxy:
        call(proxy.url, "POST", PATHS[format], json.dumps(asked(format, "tools")).encode())
    assert [event.status_line for event in events] == [""]


@every_format
def test_nothing_pruned_shows_none(format: str, provider: Provider) -> None:
    assert "▼" not in told(format, "abcdef")
    settings = Settings(preset="acp", agent={"offer": "mcp"})
    after = prune(asked(format, "abcdef"), settings, format=format).body
    assert "▼" not in json.dumps(after, ensure_ascii=False)
    events: list[Event] = []
    with behind(provider, watch=events, agent={"offer": "mcp"}) as proxy:
        call(proxy.url, "POST", PATHS[format], json.dumps(asked(format, "abcdef")).encode())
    assert [event.status_line for event in events] == [""]


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat"])
def test_a_request_for_a_summary_shows_none(format: str, provider: Provider) -> None:
    events: list[Event] = []
    task = "Your task is to create a detailed summary of this. Do NOT call any tools."
    body = asked(format, "tools")
    with behind(provider, watch=events, agent={"offer": "mcp"}) as proxy:
        call(proxy.url, "POST", PATHS[format], json.dumps(two_reads(format)).encode())
        summary = {**body, FIELDS[format]: [*body[FIELDS[format]], {"role": "user", "content": task}]}
        call(proxy.url, "POST", PATHS[format], json.dumps(summary).encode())
    assert [event.status_line for event in events] == ["", ""]


def test_a_restore_prunes_nothing_and_shows_none() -> None:
    settings = Settings(preset="acp", agent={"offer": "mcp"})
    body = asked("openai_chat", "tools", reply="ok")
    edits = prune(body, settings).edits
    words = execute(body, {"action": "restore", "targets": [["tools"]]}, settings, edits)
    assert words.startswith("Restored ") and "▼" not in words


# Configuration: minimal, detailed, off


@every_format
def test_detailed_lists_the_items(format: str, provider: Provider) -> None:
    assert re.search(rf"\n{LINE} - read \(x2\)$", told(format, "tools", notification="detailed"))
    events: list[Event] = []
    with behind(provider, watch=events, agent={"offer": "mcp"}, notification="detailed") as proxy:
        call(proxy.url, "POST", PATHS[format], json.dumps(asked(format, "tools")).encode())
    assert re.fullmatch(rf"{LINE} - read \(x2\)", events[0].status_line)


def test_minimal_is_the_default_and_the_key_is_that_of_the_seed() -> None:
    assert Settings(preset="acp").notification == "minimal"
    assert Settings(preset="acp", pruneNotification="detailed").notification == "detailed"


# The Pruning Funnel


def test_the_funnel_of_the_seed() -> None:
    strategies = {"duplicate_calls": Tally(1, 20_000), "asked": Tally(1, 40_000), "old_errors": Tally(1, 10_000)}
    assert funnel_box(funnel_of(100_000, 30_000, strategies), "").splitlines()[2:] == [
        "  Raw context               100k   100%",
        "  Auto-Supersede            -20k    20%",
        "  Manual pruning            -40k    40%",
        "  Auto-prune                -10k    10%",
        "  Active context             30k    30%",
    ]


def funnelled(format: str) -> dict[str, Any]:
    """A request that loses something at each step: a call made twice, one discarded, a long output."""
    body = two_reads(format)
    body[FIELDS[format]] = body[FIELDS[format]][:1]
    steps: list[tuple[str, dict[str, Any], str]] = [
        ("bash", {"command": "make"}, TEXT),
        ("bash", {"command": "make"}, TEXT),
        ("bash", {"command": "cat x"}, "one of very many lines\n" * 900),
        ("read", {"filePath": "/a"}, TEXT),
        *(("bash", {"command": f"echo {n}"}, f"{n}") for n in range(6)),
    ]
    for n, (tool, given, text) in enumerate(steps):
        body[FIELDS[format]] += call_and_result(format, f"call_{n}", tool, given, text)
    return body


@every_format
def test_the_funnel_in_context_stats_and_json(format: str, provider: Provider, tmp_path: Path) -> None:
    url, path = f"sqlite:///{tmp_path / 'p.db'}", tmp_path / "request.json"
    body = funnelled(format)
    settings = Settings(preset="acp", agent={"offer": "mcp", "guidance": False})
    shown = json.dumps(prune(body, settings, format=format).body)
    given = {"action": "discard", "targets": [[re.findall(r"\[id ([0-9a-f]{6})", shown)[-1]]]}
    body[FIELDS[format]] += call_and_result(format, "call_99", "context_prune", given, ACKNOWLEDGED)
    path.write_text(json.dumps(body))
    own = ["--preset", "acp", "--set", "agent.offer=mcp", "--set", "agent.guidance=false"]
    printed = json.loads(CliRunner().invoke(main, ["prune", str(path), *own, "--report", "json"]).stderr)["funnel"]
    of_file = json.loads(CliRunner().invoke(main, ["context", str(path), *own, "--json"]).output)["funnel"]
    with behind(provider, store={"url": url}, agent={"offer": "mcp", "guidance": False}) as proxy:
        call(proxy.url, "POST", PATHS[format], json.dumps(body).encode())
    stored = json.loads(CliRunner().invoke(main, ["context", "--store", url, *own, "--json"]).output)
    stats = json.loads(CliRunner().invoke(main, ["stats", "--store", url, "--json"]).output)
    assert printed == of_file == stored["funnel"] == stats["session"]["funnel"] == stats["all"]["funnel"]
    assert printed["raw"]["share"] == 1.0
    assert all(printed[step]["tokens"] > 0 for step in ("autoSupersede", "manual", "autoPrune", "active"))
    # What is kept of a stored conversation is what a look at the request says.
    looked = json.loads(CliRunner().invoke(main, ["context", str(path), *own, "--json"]).output)
    assert (stored["categories"], stored["priorities"]) == (looked["categories"], looked["priorities"])
    drawn = CliRunner().invoke(main, ["context", "--store", url, *own]).output
    for words in ("by category", "historical", "by priority", "temporary", "Pruning Funnel:", "Manual pruning"):
        assert words in drawn
    assert all(cell_len(line) <= 80 for line in drawn.splitlines())

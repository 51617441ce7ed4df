"""Prunus prints no control characters of untrusted text in a terminal or a log."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from prunus.text.printable import printable, printable_logger
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind

EVIL = "\x1b[2J\x9b31m\x07\r\nforged line"
AGENT = "evil\x9b31magent"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def evil_body() -> bytes:
    text = f"def greet(name):\n    return {EVIL!r}\n" * 40
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on." + EVIL}]
    steps = [
        ("Read", {"file_path": f"/srv/{EVIL}.py"}, text),
        ("Write", {"file_path": f"/srv/{EVIL}.py", "content": text.upper()}, "The file has been updated."),
        *((f"mcp__{EVIL}__look", {"query": EVIL}, f"{i} {text}") for i in (1, 1, 2, 3)),
        ("Bash", {"command": f"cat {EVIL}"}, text),
        ("Bash", {"command": "git status"}, text),
    ]
    for i, (tool, given, result) in enumerate(steps):
        use = {"type": "tool_use", "id": f"t{i}", "name": tool, "input": given}
        answer = {"type": "tool_result", "tool_use_id": f"t{i}", "content": result}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    return json.dumps({"model": f"claude{EVIL}", "messages": messages, "tools": tools}).encode()


def controls(text: str) -> set[str]:
    return {character for character in text if not character.isprintable() and character != "\n"}


def test_printable_replaces_all_control_characters_but_the_kept_ones() -> None:
    assert printable("a\x1b[2J\nb\x00é\ud800") == "a�[2J�b�é�"
    assert printable("a\n\tb\r", keep="\n\t") == "a\n\tb�"


def test_a_logger_writes_one_line_for_each_message(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        logger = printable_logger("prunus.test")
    logger.warning("model %s", EVIL)
    assert len(logger.filters) == 1
    assert caplog.messages == ["model �[2J�31m���forged line"]


def test_the_log_of_the_proxy_is_printable(provider: Provider, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with behind(provider) as proxy:
        call(proxy.url, "POST", "/v1/messages", evil_body(), [("user-agent", AGENT)])
        call(proxy.url, "POST", "/v1/messages", b'{"model": "\\u001b[2J\\n", "tools": [1], "messages": 1}')
    said = [record.getMessage() for record in caplog.records if record.name.startswith("prunus")]
    assert any("claude" in line for line in said)
    assert any("file /srv/" in line and "superseded by Write" in line for line in said)
    assert [line for line in said if not line.isprintable()] == []


def test_no_command_shows_control_characters(
    run: Callable[..., Result], provider: Provider, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}) as proxy:
        call(proxy.url, "POST", "/v1/messages", evil_body(), [("user-agent", AGENT)])
    given = tmp_path / "request.json"
    given.write_bytes(evil_body())
    every = [
        *((name, "--store", url) for name in ("sessions", "receipts", "stats", "context", "sweep")),
        *((name, str(given)) for name in ("files", "explain", "context", "changelog")),
        ("prune", str(given), "--preset", "acp", "--report", "text"),
        ("prune", str(given), "--preset", "acp", "--set", "notification=detailed", "--report", "text"),
        ("file-at", str(given), f"/srv/{EVIL}.py"),
    ]
    for command in every:
        result = run(*command)
        shown = result.stderr if command[0] == "prune" else result.output
        assert shown, command
        assert controls(shown) == set(), command
        assert "\nforged line" not in shown, command


def test_no_error_shows_control_characters(run: Callable[..., Result]) -> None:
    for command in (("context", f"{EVIL}.json"), ("prune", f"{EVIL}.json"), ("proxy", "--upstream", EVIL)):
        assert controls(run(*command).output) == set()

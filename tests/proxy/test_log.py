"""The log as JSON, and a log that nobody reads."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from aiohttp import web

from prunus.proxy.log import PatientLines
from tests.proxy.caller import call
from tests.proxy.provider import Provider
from tests.proxy.talk import BODIES, steps
from tests.proxy.test_grace import workers

SECRET = "swordfish"


def history() -> list[tuple[str, dict[str, Any], str]]:
    """A history with a word that must not be logged in paths, commands, results and patterns."""
    path = {"file_path": f"/srv/{SECRET}.py"}
    text = f"the word is {SECRET}\n" * 40
    ask = {"action": "discard", "targets": [["tools"]], "reason": f"{SECRET} is done"}
    first = [("Read", path, text), ("Write", {**path, "content": text.upper()}, "The file has been updated.")]
    more = [("Bash", {"command": f"grep {SECRET} ."}, text), ("WebFetch", {"url": f"https://{SECRET}"}, text)]
    return [*first, *more, *more, ("context_prune", ask, "Noted."), *steps(3)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
@workers
def test_every_line_is_an_object_without_words_of_the_conversation(provider: Provider, count: int) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response({"usage": {"input_tokens": 1000, "output_tokens": 3}})

    provider.answer = answer
    options = ["--port", "0", "--store", "off", "--upstream", f"anthropic={provider.url}", "--preset", "acp", "-v"]
    options += ["--agent", "mcp", "--set", "notification=detailed", "--set", "show_distillation=true"]
    options += ["--set", "proxy.log=json", "--set", f"proxy.workers={count}", "--set", "proxy.deadline=600"]
    process = subprocess.Popen(
        [sys.executable, "-m", "prunus", "proxy", *options], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    begin = json.loads(process.stderr.readline())
    url = begin["message"].split()[-1]
    given = json.dumps(BODIES["anthropic_messages"](history())).encode()
    assert call(url, "POST", "/v1/messages", given).status == 200
    assert call(url, "POST", "/v1/messages", f"{{not JSON, {SECRET}".encode()).status == 200
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate()
    lines = [json.loads(line) for line in rest.splitlines()]
    assert SECRET not in rest
    # Each worker logs a request after its answer, so the lines of two workers come in any order.
    requests = sorted((line for line in lines if line["event"] == "request"), key=lambda line: line["what"])
    assert [line["what"] for line in requests] == ["pruned", "skipped"]
    assert requests[0] | {"model": "claude-sonnet-4-5", "status": 200, "input": 1000, "output": 3} == requests[0]
    assert requests[0]["tokens_before"] > requests[0]["tokens_after"] and requests[0]["edits"] > 0
    assert {"edit", "pruned_on_request", "request"} <= {line["event"] for line in lines}
    assert all(line["level"] in ("debug", "info", "warning") and line["time"].endswith("+00:00") for line in lines)


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot say whether a pipe is full")
def test_a_log_that_nobody_reads_keeps_nobody_waiting() -> None:
    ours, theirs = os.pipe()
    logger = logging.Logger("unread")
    with os.fdopen(theirs, "w") as stream:
        logger.addHandler(PatientLines(stream))
        for number in range(20_000):
            logger.info("request %d", number)
        taken = os.read(ours, 1 << 20).decode().splitlines()
        logger.info("once more")
        left_out, last = os.read(ours, 1 << 20).decode().splitlines()
    os.close(ours)
    assert taken == [f"request {number}" for number in range(len(taken))]
    assert left_out == f"{20_000 - len(taken)} lines of this log were left out, because nobody read them"
    assert last == "once more"

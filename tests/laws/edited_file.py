"""A file that an agent of any kind really edits, and the request after each of its steps."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from prunus import Outcome, Pruner, Settings
from prunus.history import Call, Message, Result
from tests.files.agents import AGENTS, Agent, lines_of

__all__ = ["Author", "Step", "body_of", "every_agent", "few", "worked"]

Step = tuple[str, Any, Any]
"""What an agent does to the file: `read`, `edit`, `fail`, `write` or `shell`, and how."""

every_agent = pytest.mark.parametrize("name", AGENTS)
few = settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Author:
    """Writes lines that are all different, long enough to be worth folding."""

    def __init__(self) -> None:
        self.count = 0

    def lines(self, count: int) -> list[str]:
        self.count += count
        numbers = range(self.count - count, self.count)
        return [f"    value_{n} = compute_{n * 7}(first_{n}, second_{n}) or default_{n * 3}" for n in numbers]


def _play(agent: Agent, path: Path, step: Step, author: Author) -> None:
    match step:
        case ("read", offset, limit):
            agent.read(path, offset, limit)
        case ("edit", (first, count, more), _):
            old = lines_of(path)[first : first + count + 1]
            agent.edit(path, "\n".join(old), "\n".join(author.lines(more)) or "gone = True")
        case ("fail", _, _):
            agent.edit(path, "no such text", "nothing")
        case ("write", count, _):
            agent.write(path, "\n".join(author.lines(count)) + "\n")
        case ("shell", command, _):
            agent.shell(path, command)


def worked(start: int, steps: list[Step], make: Callable[[], Agent]) -> Iterator[tuple[Any, Path]]:
    """The request after each step, and the file, which is then as that step has left it."""
    with tempfile.TemporaryDirectory() as folder:
        path, author, agent = Path(folder) / "file.txt", Author(), make()
        path.write_text("\n".join(author.lines(start)) + "\n")
        (path.parent / "change.py").write_text("open('file.txt', 'a').write('changed\\n')\n")
        (path.parent / "change.sh").write_text("#!/bin/sh\necho 0 | cat - file.txt > t && mv t file.txt\n")
        (path.parent / "change.sh").chmod(0o755)
        for step in steps:
            _play(agent, path, step, author)
            yield body_of(agent.talk.messages, folder), path


def body_of(messages: list[Message], folder: str) -> dict[str, Any]:
    """A request with this history."""
    written = [{"role": "user", "content": f"Working directory: {folder}\nGo on."}]
    for message in messages:
        match message.parts[0]:
            case Call(id, tool, given):
                call = {"type": "tool_use", "id": id, "name": tool, "input": _mapping(given)}
                written.append({"role": "assistant", "content": [call]})
            case Result(id, text, error):
                answer = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": bool(error)}
                written.append({"role": "user", "content": [answer]})
    return {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": written}


def _mapping(given: Any) -> Any:
    return given if isinstance(given, dict) else {"input": given}


def shrunk(pruner: Pruner, chosen: Settings, body: Any) -> Outcome:
    """What becomes of a request: the same as seen at once, and no longer in tokens or bytes."""
    outcome = pruner.prune(body, now=0.0)
    fresh = Pruner(chosen).prune(json.loads(json.dumps(body)), now=0.0)
    assert outcome.error is None and fresh.body == outcome.body
    assert outcome.report.tokens_after <= outcome.report.tokens_before
    assert len(json.dumps(outcome.body)) <= len(json.dumps(body))
    return outcome


def settled(outcome: Outcome, chosen: Settings) -> None:
    """Pruned again, nothing changes."""
    again = Pruner(chosen).prune(outcome.body, now=0.0)
    assert again.edits == () and again.body == outcome.body

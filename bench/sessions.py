"""Invented sessions of any length, for timing: reads, edits, writes, shell, search, todos, retries.

Seeded, so every run times the same bytes. About 3.6 KB per call, as in recorded sessions.
"""

from __future__ import annotations

import json
import random
from typing import Any

WORDS = (
    "request", "session", "handler", "value", "index", "parse", "config", "return", "import", "token", "buffer",
    "client", "server", "async", "await", "const", "function", "message", "error", "result", "stream", "cache",
    "update", "render", "module", "schema", "public", "static", "option",
)  # fmt: skip


def text(rng: random.Random, lines: int) -> str:
    """Something like source code."""
    made = []
    for number in range(lines):
        words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 11)))
        made.append(f"{number + 1:6}\u2192{' ' * 4 * rng.randint(0, 3)}{words};")
    return "\n".join(made)


def calls(count: int, seed: int = 7) -> list[tuple[str, dict[str, Any], str, bool]]:
    """Tool, arguments, answer, failed."""
    rng = random.Random(seed)
    files = [f"/home/user/app/src/part{n % 9}/module_{n}.ts" for n in range(max(8, count // 12))]
    made: list[tuple[str, dict[str, Any], str, bool]] = []
    while len(made) < count:
        file = files[int(len(files) * rng.random() ** 2)]
        dice = rng.random()
        if dice < 0.40:
            made.append(("Read", {"file_path": file}, text(rng, rng.randint(20, 190)), False))
        elif dice < 0.55:
            old, new = text(rng, 4), text(rng, 6)
            given = {"file_path": file, "old_string": old, "new_string": new}
            made.append(("Edit", given, f"The file {file} has been updated.", False))
        elif dice < 0.60:
            made.append(
                ("Write", {"file_path": file, "content": text(rng, rng.randint(20, 120))}, "File written.", False)
            )
        elif dice < 0.72:
            failed = rng.random() < 0.3
            given = {"command": f"npm test -- {file.rsplit('/', 1)[1]}", "description": "Run the tests"}
            made.append(("Bash", given, text(rng, rng.randint(5, 150)), failed))
        elif dice < 0.80:
            command = rng.choice(("git status", "ls src", "git log --oneline -5", "ls"))
            made.append(("Bash", {"command": command}, text(rng, 8), False))
        elif dice < 0.92:
            given = {"pattern": rng.choice(WORDS), "path": "src"}
            made.append(("Grep", given, text(rng, rng.randint(3, 40)), False))
        else:
            todos = [{"content": text(rng, 1), "status": "pending", "activeForm": "working"} for _ in range(5)]
            made.append(("TodoWrite", {"todos": todos}, "Todos have been modified successfully.", False))
    return made


def anthropic(made: list[tuple[str, dict[str, Any], str, bool]]) -> dict[str, Any]:
    """As a request to Anthropic Messages."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the whole suite pass, then clean up."}]
    for n, (tool, given, answer, failed) in enumerate(made):
        use = {"type": "tool_use", "id": f"toolu_{n:05}", "name": tool, "input": given}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": "Next step."}, use]})
        result = {"type": "tool_result", "tool_use_id": f"toolu_{n:05}", "content": answer, "is_error": failed}
        messages.append({"role": "user", "content": [result]})
    tools = [
        {"name": name, "description": "x" * 900, "input_schema": {"type": "object"}} for name in ("Read", "Bash")
    ]
    return {"model": "claude-sonnet-4-5", "max_tokens": 8192, "messages": messages, "tools": tools, "stream": True}


def responses(made: list[tuple[str, dict[str, Any], str, bool]]) -> list[dict[str, Any]]:
    """As input items of OpenAI Responses."""
    items: list[dict[str, Any]] = [{"role": "user", "content": "Make the whole suite pass, then clean up."}]
    for n, (tool, given, answer, _) in enumerate(made):
        if n and n % 25 == 0:
            items.append({"role": "user", "content": "Go on."})
        items.append({"type": "function_call", "call_id": f"c{n}", "name": tool, "arguments": json.dumps(given)})
        items.append({"type": "function_call_output", "call_id": f"c{n}", "output": answer})
    return items


def chat(made: list[tuple[str, dict[str, Any], str, bool]]) -> list[dict[str, Any]]:
    """As messages of OpenAI Chat."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the whole suite pass, then clean up."}]
    for n, (tool, given, answer, _) in enumerate(made):
        call = {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
        messages.append({"role": "assistant", "content": "Next step.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": answer})
    return messages

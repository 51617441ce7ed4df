"""Small invented sessions for the lab."""

from collections.abc import Sequence
from typing import Any

from prunus.clients.sessions import Session

Step = tuple[str, dict[str, Any], str]
"""Tool, arguments, answer."""


def anthropic(steps: Sequence[Step], times: Sequence[float | None] | None = None) -> Session:
    """One request before each step and one after the last."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please see to it."}]
    for n, (tool, given, answer) in enumerate(steps):
        call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": answer}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return session("anthropic_messages", messages, range(1, len(messages) + 1, 2), times)


def chat(steps: Sequence[Step]) -> Session:
    """The same as OpenAI chat messages."""
    messages = chat_messages(steps)
    return session("openai_chat", messages, range(2, len(messages) + 1, 2))


def chat_messages(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Return the messages as a program would record them."""
    import json

    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Please see to it."},
    ]
    for n, (tool, given, answer) in enumerate(steps):
        function = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"t{n}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"t{n}", "content": answer})
    return messages


def session(
    format: str,
    messages: Sequence[dict[str, Any]],
    requests: Sequence[int],
    times: Sequence[float | None] | None = None,
) -> Session:
    """Return the messages as a session."""
    asked = tuple(requests)
    return Session("talk", "test", format, "", tuple(messages), asked, tuple(times or [None] * len(asked)))


def reads(count: int, lines: int = 40) -> list[Step]:
    """Return steps that read files with different contents."""
    return [
        ("Read", {"file_path": f"/srv/app/part{n}.py"}, "\n".join(f"value_{n}_{k} = {k}" for k in range(lines)))
        for n in range(count)
    ]

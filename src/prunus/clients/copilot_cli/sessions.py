"""Sessions of GitHub Copilot CLI: JSON lines of events."""

from __future__ import annotations

from collections.abc import Iterator

from prunus.clients.chat_turns import as_session, function_call, message_turn
from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text, unix_time
from prunus.clients.turns import RecordedTurn


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where Copilot CLI keeps its sessions: one folder for each; older versions wrote flat files."""
    copilot = home.named("COPILOT_HOME", home.path / ".copilot")
    yield copilot / "session-state", ("*/events.jsonl", "*.jsonl")


def recognise(recording: Recording) -> bool:
    """Events with dotted names."""
    names = ("session.start", "assistant.message", "user.message")
    return any(line.get("type") in names and "data" in line for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """The main conversation, cut at each compaction, then each sub-agent's.

    Events of a sub-agent name the call that started it.
    """
    windows: list[list[RecordedTurn]] = [[]]
    agents: dict[str, list[RecordedTurn]] = {}
    system: RecordedTurn | None = None
    model = ""
    for event in recording.lines:
        data = mapping(event.get("data"))
        time = unix_time(event.get("timestamp"))
        if event.get("type") == "session.compaction_complete" and data.get("summaryContent"):
            summary = message_turn({"role": "user", "content": text(data["summaryContent"])}, time)
            windows.append([*([system] if system else []), summary])
            continue
        if event.get("type") == "assistant.message":
            model = model or text(data.get("model"))
        message = _message(text(event.get("type")), data)
        if message is None or (message["role"] == "system" and system):
            continue
        turn = message_turn(message, time)
        system = turn if message["role"] == "system" else system
        started_by = text(data.get("parentToolCallId"))
        (agents.setdefault(started_by, []) if started_by else windows[-1]).append(turn)
    for turns in [*windows, *agents.values()]:
        yield as_session(turns, model)


def _message(event: str, data: JsonObject) -> JsonObject | None:
    """The message that an event adds to the context; None if it adds none."""
    match event:
        case "system.message":
            return {"role": "system", "content": text(data.get("content"))}
        case "user.message":
            return {"role": "user", "content": data.get("transformedContent") or text(data.get("content"))}
        case "system.notification":
            return {"role": "user", "content": text(data.get("content"))}
        case "assistant.message":
            calls = [
                function_call(text(r.get("toolCallId")), text(r.get("name")), r.get("arguments"))
                for r in rows(data.get("toolRequests"))
            ]
            message = {"role": "assistant", "content": text(data.get("content"))}
            return message | {"tool_calls": calls} if calls else message
        case "tool.execution_complete":
            outcome = mapping(data.get("result")).get("content") or mapping(data.get("error")).get("message")
            return {"role": "tool", "tool_call_id": text(data.get("toolCallId")), "content": text(outcome)}
        case _:
            return None

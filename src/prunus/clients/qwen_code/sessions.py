"""Sessions of Qwen Code: JSON lines under `~/.qwen/projects`.

A line is one content in the shape of Gemini, whatever the provider; `parentUuid` makes the lines a tree, because
a person can go back, and the conversation is the path to the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prunus.clients.client import Home, SessionFolder
from prunus.clients.gemini_turns import answer_turn, as_session, content_turns, parts_of, user_turns
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, text, unix_time
from prunus.clients.turns import RecordedTurn

_SPOKEN = ("user", "assistant", "tool_result")
_NOT_SENT = ("realtime_message", "code_mode_tool_result")


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where Qwen Code keeps its sessions; older versions kept the form, and the folders, of Gemini CLI."""
    runtime = home.named("QWEN_RUNTIME_DIR", home.named("QWEN_HOME", home.path / ".qwen"))
    yield runtime / "projects", ("*/chats/*.jsonl", "*/subagents/**/*.jsonl")
    yield runtime / "tmp", ("*/chats/*.json", "*/chats/*.jsonl")


def recognise(recording: Recording) -> bool:
    """Lines of a session whose message has parts."""
    return any("sessionId" in line and "uuid" in line and _has_message(line) for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """The conversation, cut at each compression, then each sub-agent's."""
    speakers: dict[str, list[JsonObject]] = {"": []}
    unusable = 0
    for record in recording.lines:
        speaker = text(record.get("agentId")) if record.get("isSidechain") else ""
        speakers.setdefault(speaker, []).append(record)
        unusable += record.get("type") in _SPOKEN and not _has_message(record)
    for records in speakers.values():
        path = _path_to_last(records)
        model = next((text(r["model"]) for r in path if r.get("type") == "assistant" and r.get("model")), "")
        for turns in _windows(path):
            yield as_session(turns, model, unusable)


def _has_message(record: JsonObject) -> bool:
    return record.get("type") in _SPOKEN and isinstance(mapping(record.get("message")).get("parts"), list)


def _path_to_last(records: Sequence[JsonObject]) -> list[JsonObject]:
    """The records from the root to the last one; those that repeat an id stay together, in their order."""
    by_id: dict[str, list[JsonObject]] = {}
    for record in records:
        if text(record.get("uuid")):
            by_id.setdefault(record["uuid"], []).append(record)
    path: list[JsonObject] = []
    id = next(reversed(by_id), "")
    while id in by_id:
        same = by_id.pop(id)
        path += reversed(same)
        id = text(same[0].get("parentUuid"))
    return path[::-1]


def _windows(records: Sequence[JsonObject]) -> Iterator[list[RecordedTurn]]:
    """The turns of each context window; neighbouring answers are joined, because the model gave them as one."""
    turns: list[RecordedTurn] = []
    for record in records:
        time = unix_time(record.get("timestamp"))
        payload = mapping(record.get("systemPayload"))
        match record.get("subtype"):
            case "chat_compression" if isinstance(payload.get("compressedHistory"), list):
                yield turns
                turns = list(content_turns(payload["compressedHistory"], time))
                continue
            case "agent_bootstrap":
                turns += content_turns(payload.get("history"), time)
                continue
            case subtype if subtype in _NOT_SENT or not _has_message(record):
                continue
        parts = parts_of(record["message"]["parts"])
        if record["type"] != "assistant":
            turns += user_turns(parts, time)
        elif turns and turns[-1].role == "assistant" and not turns[-1].carried:
            turns[-1] = answer_turn([*turns[-1].payload["parts"], *parts], turns[-1].time)
        else:
            turns.append(answer_turn(parts, time))
    yield turns

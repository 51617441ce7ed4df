"""Sessions of pi: JSON lines under `~/.pi/agent/sessions`.

Entries form a tree; the conversation is the path to the last entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from prunus.clients.anthropic_turns import answer_turn, as_session, content_blocks, user_turns
from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, text, total, unix_time
from prunus.clients.turns import RecordedTurn

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where pi keeps its sessions."""
    agent = home.named("PI_CODING_AGENT_DIR", home.path / ".pi" / "agent")
    yield home.named("PI_CODING_AGENT_SESSION_DIR", agent / "sessions"), ("**/*.jsonl",)


def recognise(recording: Recording) -> bool:
    """Entries of type `message` that wrap a message with a role."""
    return any(line.get("type") == "message" and "role" in mapping(line.get("message")) for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each context window."""
    entries = _path_to_last(recording.lines)
    cuts = [i for i, entry in enumerate(entries) if entry.get("type") == "compaction"]
    for cut, end in zip([None, *cuts], [*cuts, len(entries)], strict=True):
        start = 0 if cut is None else cut + 1
        new = entries[start:end]
        carried = [] if cut is None else _after_compaction(recording.lines, entries, cut)
        turns = [turn for entry in new for turn in _turns(entry)]
        said = (mapping(entry.get("message")) for entry in new)
        model = next((text(message.get("model")) for message in said if message.get("role") == "assistant"), "")
        yield as_session([*carried, *turns], model)


def _path_to_last(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """The entries from the root to the last one; all of them if none has an id."""
    by_id = {line["id"]: line for line in lines if isinstance(line.get("id"), str) and "parentId" in line}
    if not by_id:
        return list(lines)
    path = []
    entry = by_id.get(list(by_id)[-1])
    while entry is not None:
        path.append(by_id.pop(entry["id"]))
        entry = by_id.get(text(entry.get("parentId")))
    return path[::-1]


def _after_compaction(lines: Sequence[JsonObject], entries: Sequence[JsonObject], cut: int) -> list[RecordedTurn]:
    """The turns with which the new window begins: the summary, and the entries that the compaction kept.

    Files without ids name the first kept entry by its line.
    """
    compaction = entries[cut]
    index = compaction.get("firstKeptEntryIndex")
    if isinstance(index, int) and 0 <= index < len(lines):
        first: JsonObject | None = lines[index]
    else:
        first = next((e for e in entries[:cut] if e.get("id") == compaction.get("firstKeptEntryId")), None)
    start = next((i for i, entry in enumerate(entries[:cut]) if entry is first), cut)
    time = unix_time(compaction.get("timestamp"))
    summary = user_turns(f"<summary>\n{text(compaction.get('summary'))}\n</summary>", time)
    kept = [turn for entry in entries[start:cut] for turn in _turns(entry)]
    return [*summary, *(replace(turn, carried=True) for turn in kept)]


def _turns(entry: JsonObject) -> list[RecordedTurn]:
    """The turns that an entry adds to the context."""
    time = unix_time(entry.get("timestamp"))
    if entry.get("type") == "custom_message":
        return user_turns(_blocks(entry.get("content")), time)
    if entry.get("type") == "branch_summary":
        return user_turns(f"<summary>\n{text(entry.get('summary'))}\n</summary>", time)
    message = mapping(entry.get("message"))
    match message.get("role"):
        case "assistant" if message.get("stopReason") not in ("error", "aborted"):
            billed = total(message.get("usage"), ("input", "cacheRead", "cacheWrite"))
            return [answer_turn(_blocks(message.get("content")), time, billed=billed)]
        case "toolResult":
            result = {
                "type": "tool_result",
                "tool_use_id": _wire_id(message.get("toolCallId")),
                "content": _blocks(message.get("content")),
                "is_error": message.get("isError") is True,
            }
            return user_turns([result], time)
        case "bashExecution" if not message.get("excludeFromContext"):
            ran = f"$ {text(message.get('command'))}\n{text(message.get('output'))}"
            return user_turns(ran, time)
        case "user" | "custom":
            return user_turns(_blocks(message.get("content")), time)
        case _:
            return []


def _wire_id(id: Any) -> str:
    """Ids of other providers hold characters that Anthropic refuses."""
    return _NOT_IN_IDS.sub("_", text(id))


def _blocks(content: Any) -> list[JsonObject]:
    return [block for row in content_blocks(content) for block in _block(row)]


def _block(block: JsonObject) -> list[JsonObject]:
    """A content block in wire shape; thinking without signature goes as text."""
    match block.get("type"):
        case "text":
            return [{"type": "text", "text": text(block.get("text"))}]
        case "toolCall":
            call = {"name": text(block.get("name")), "input": mapping(block.get("arguments"))}
            return [{"type": "tool_use", "id": _wire_id(block.get("id"))} | call]
        case "thinking" if block.get("thinkingSignature") and block.get("redacted"):
            return [{"type": "redacted_thinking", "data": block["thinkingSignature"]}]
        case "thinking" if block.get("thinkingSignature"):
            thinking = text(block.get("thinking"))
            return [{"type": "thinking", "thinking": thinking, "signature": block["thinkingSignature"]}]
        case "thinking":
            return [{"type": "text", "text": text(block.get("thinking"))}]
        case "image":
            source = {"type": "base64", "media_type": block.get("mimeType"), "data": block.get("data")}
            return [{"type": "image", "source": source}]
        case _:
            return []

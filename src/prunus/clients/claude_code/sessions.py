"""Sessions of Claude Code: JSON lines under `~/.claude/projects`.

A line is one content block of an answer, or one message of the user's side.
`parentUuid` makes them a tree, because a person can go back and try again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prunus.clients.anthropic_turns import answer_turn, as_session, content_blocks, user_turns
from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text, total, unix_time
from prunus.clients.system_reminders import reminder
from prunus.clients.turns import RecordedTurn

_WIRE_FIELDS = {
    "text": ("type", "text"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
    "tool_use": ("type", "id", "name", "input"),
}
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where Claude Code keeps its sessions."""
    yield home.named("CLAUDE_CONFIG_DIR", home.path / ".claude") / "projects", ("**/*.jsonl",)


def recognise(recording: Recording) -> bool:
    """Lines of a user or an assistant, with the id of a session; a message with `parts` is one of Qwen Code."""
    return any(
        _is_message(line) and "sessionId" in line and "parts" not in line["message"] for line in recording.lines
    )


def sessions(recording: Recording) -> Iterator[Session]:
    """The conversation, cut at each compaction, then each sub-agent's."""
    lines = _ordered(recording.lines)
    unusable = sum(line.get("type") in ("user", "assistant") and not _is_message(line) for line in lines)
    abandoned = _abandoned(lines)
    current = [line for line in lines if text(line.get("uuid")) not in abandoned]
    for part in [*_windows(current), *_sidechains(current)]:
        model = next((text(line["message"].get("model")) for line in part if _is_answer(line)), "")
        yield as_session(_turns(part), model, unusable)


def _is_message(line: JsonObject) -> bool:
    return line.get("type") in ("user", "assistant") and isinstance(line.get("message"), dict)


def _is_answer(line: JsonObject) -> bool:
    """An answer of the model; `<synthetic>` ones were written by the client."""
    return line.get("type") == "assistant" and _is_message(line) and line["message"].get("model") != "<synthetic>"


def _ordered(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """Each line once, and none before its parent.

    A resumed session repeats lines; a fast result can be written before its call.
    Damaged lines that are their own ancestors are left out.
    """
    known = {text(line.get("uuid")) for line in lines}
    written: set[str] = set()
    early: dict[str, list[JsonObject]] = {}
    ordered: list[JsonObject] = []
    for line in lines:
        parent = text(line.get("parentUuid"))
        if parent and parent in known and parent not in written:
            early.setdefault(parent, []).append(line)
            continue
        due = [line]
        while due:
            ready = due.pop(0)
            uuid = text(ready.get("uuid"))
            if uuid and uuid in written:
                continue
            written.add(uuid)
            ordered.append(ready)
            due += early.pop(uuid, [])
    return ordered


def _windows(lines: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """The main conversation, one part for each context window."""
    windows: list[list[JsonObject]] = [[]]
    for line in lines:
        if line.get("isSidechain"):
            continue
        starts = line.get("subtype") == "compact_boundary" or line.get("isCompactSummary")
        if starts and any(_is_message(earlier) for earlier in windows[-1]):
            windows.append([])
        windows[-1].append(line)
    return windows


def _sidechains(lines: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """The lines of each sub-agent, by its agent id or by its first line."""
    root: dict[str, str] = {}
    chains: dict[str, list[JsonObject]] = {}
    for line in lines:
        uuid = text(line.get("uuid"))
        if not line.get("isSidechain"):
            continue
        parent = text(line.get("parentUuid"))
        root[uuid] = text(line.get("agentId")) or root.get(parent, uuid)
        chains.setdefault(root[uuid], []).append(line)
    return list(chains.values())


def _abandoned(lines: Sequence[JsonObject]) -> set[str]:
    """Lines that a later prompt or answer at the same place replaced, and all below them.

    Parallel calls also make the tree branch: their results and the further
    blocks of the same answer do not replace each other.
    """
    named = {text(line.get("uuid")): line for line in lines if text(line.get("uuid"))}
    parents = {uuid: text(line.get("parentUuid")) for uuid, line in named.items()}
    messages = {uuid: line for uuid, line in named.items() if _is_message(line)}
    latest: dict[tuple[str, str], str] = {}
    replaced: set[str] = set()
    for uuid, line in messages.items():
        blocks = rows(line["message"].get("content"))
        if line.get("isMeta") or any(block.get("type") == "tool_result" for block in blocks):
            continue
        above = parents[uuid]
        while above in parents and above not in messages:
            above = parents[above]
        if above not in messages:
            continue
        before = latest.get((above, line["type"]))
        if before and not _same_answer(messages[before], line):
            replaced.add(before)
        latest[above, line["type"]] = uuid
    abandoned: set[str] = set()
    for uuid, above in parents.items():
        if uuid in replaced or above in abandoned:
            abandoned.add(uuid)
    return abandoned


def _same_answer(one: JsonObject, other: JsonObject) -> bool:
    return bool(one["type"] == "assistant" and one["message"].get("id") == other["message"].get("id"))


def _turns(lines: Sequence[JsonObject]) -> list[RecordedTurn]:
    """Turns in order; all blocks of an answer stand where its first one stood."""
    answers: dict[str, list[JsonObject]] = {}
    for line in lines:
        if _is_answer(line):
            answers.setdefault(_answer_id(line), []).extend(_wire_blocks(line["message"].get("content")))
    turns: list[RecordedTurn] = []
    for line in lines:
        time = unix_time(line.get("timestamp"))
        if line.get("type") == "user" and _is_message(line):
            turns += user_turns(line["message"].get("content"), time)
        elif _is_answer(line):
            if (blocks := answers.pop(_answer_id(line), None)) is not None:
                turns.append(answer_turn(blocks, time, billed=total(line["message"].get("usage"), _INPUT)))
        else:
            turns += user_turns(_attached(mapping(line.get("attachment"))), time)
    return turns


def _attached(attachment: Mapping[str, Any]) -> Any:
    """The text that an attachment shows to the model: a queued prompt, or a note that somebody changed a file."""
    match attachment.get("type"):
        case "queued_command":
            return attachment.get("prompt")
        case "edited_text_file" if path := text(attachment.get("filename")):
            # The words of Claude Code, without its advice about the change.
            note = f"Note: {path} was modified, either by the user or by a linter."
            return reminder(f"{note}\n{text(attachment.get('snippet'))}")
        case _:
            return ""


def _answer_id(line: JsonObject) -> str:
    return text(line["message"].get("id")) or text(line.get("uuid"))


def _wire_blocks(content: Any) -> list[JsonObject]:
    """Content blocks with the fields that the client sends back."""
    return [
        {key: block[key] for key in _WIRE_FIELDS.get(text(block.get("type")), tuple(block)) if key in block}
        for block in content_blocks(content)
    ]

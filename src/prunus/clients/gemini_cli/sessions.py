"""Sessions of Gemini CLI: a document, in newer versions JSON lines, for each chat under `~/.gemini/tmp`.

The lines are a log: a header, messages (one with a known id replaces the earlier), `$rewindTo` a message that
goes with all behind it, and `$set`, which can replace the whole history. Call and result are together in the
record; thoughts are for the screen, the client does not send them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from prunus.clients.client import Home, SessionFolder
from prunus.clients.gemini_turns import answer_turn, as_session, parts_of, user_turns
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text, unix_time
from prunus.clients.turns import RecordedTurn

_SPOKEN = ("user", "gemini")


@dataclass(frozen=True, slots=True)
class Window:
    """The messages of one context window, by their ids."""

    messages: dict[str, JsonObject] = field(default_factory=dict)
    carried: int = 0
    """Answers among the first of them that were given before it began."""

    def turns(self) -> list[RecordedTurn]:
        """The turns of the messages, in order."""
        turns: list[RecordedTurn] = []
        answers = 0
        for message in self.messages.values():
            said = _turns(message)
            if message.get("type") == "gemini":
                answers += 1
                said = [replace(turn, carried=answers <= self.carried) for turn in said]
            turns += said
        return turns


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where Gemini CLI keeps its sessions."""
    chats = home.named("GEMINI_CLI_HOME", home.path) / ".gemini" / "tmp"
    yield chats, ("*/chats/**/*.json", "*/chats/**/*.jsonl")


def recognise(recording: Recording) -> bool:
    """A session id beside messages typed `user` or `gemini`, or in the header line above them."""
    document = mapping(recording.document)
    if "sessionId" in document and any(m.get("type") in _SPOKEN for m in rows(document.get("messages"))):
        return True
    return any("sessionId" in line and "projectHash" in line for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """The conversation, cut where the client replaced its history."""
    listed = rows(mapping(recording.document).get("messages"))
    windows = [_window(listed)] if listed else _windows(recording.lines)
    for window in windows:
        models = (text(m.get("model")) for m in window.messages.values() if m.get("type") == "gemini")
        model = next(filter(None, models), "")
        yield as_session(window.turns(), model)


def _windows(lines: Sequence[JsonObject]) -> list[Window]:
    """The context windows, from replaying the log."""
    windows = [Window()]
    for line in lines:
        messages = windows[-1].messages
        if isinstance(line.get("$rewindTo"), str):
            # A client that does not find the message forgets all of them.
            ids = list(messages)
            start = ids.index(line["$rewindTo"]) if line["$rewindTo"] in messages else 0
            for id in ids[start:]:
                del messages[id]
        elif rows(mapping(line.get("$set")).get("messages")):
            new = _window(rows(line["$set"]["messages"]))
            answers = sum(message.get("type") == "gemini" for message in new.messages.values())
            if not messages:
                windows[-1] = replace(new, carried=answers)
            elif _continues(windows[-1], new):
                windows[-1] = replace(new, carried=windows[-1].carried)
            else:
                windows.append(replace(new, carried=answers))
        elif line.get("type") in _SPOKEN and isinstance(line.get("id"), str):
            messages[line["id"]] = line
    return windows


def _window(messages: Sequence[JsonObject]) -> Window:
    """Messages that the model saw; older files gave them no ids."""
    spoken = [message for message in messages if message.get("type") in _SPOKEN]
    return Window({text(message.get("id")) or f"#{index}": message for index, message in enumerate(spoken)})


def _continues(before: Window, after: Window) -> bool:
    """Whether a new history begins with the old one: then it is the same, with its parts written out."""
    old, new = (list(map(_essence, as_session(w.turns()).messages)) for w in (before, after))
    return new[: len(old)] == old


def _essence(content: JsonObject) -> tuple[Any, ...]:
    """The content without thoughts, signatures and ids, in which two records of it may differ."""
    parts = [part for part in content["parts"] if not part.get("thought")]
    said = "".join(text(part.get("text")) for part in parts)
    calls = [mapping(part.get("functionCall")) for part in parts if "functionCall" in part]
    given = [mapping(part.get("functionResponse")) for part in parts if "functionResponse" in part]
    named = [(call.get("name"), call.get("args") or {}) for call in calls]
    return content["role"], said, named, [response.get("response") for response in given]


def _turns(message: JsonObject) -> list[RecordedTurn]:
    """A message, and the results of its calls; if the next message repeats a result, the first one counts."""
    time = unix_time(message.get("timestamp"))
    said = parts_of(message.get("content"))
    if message.get("type") == "user":
        return user_turns(said, time)
    recorded = rows(message.get("toolCalls"))
    parts, missing = _matched(said, recorded)
    turns = [answer_turn([*parts, *map(_call_part, missing)], time)]
    for call in recorded:
        result = _result(call)
        if result:
            ended = unix_time(call.get("timestamp"))
            turns.append(RecordedTurn("tool", {"parts": result}, answers=text(call.get("id")) or "?", time=ended))
    return turns


def _matched(
    parts: Sequence[JsonObject], recorded: Sequence[JsonObject]
) -> tuple[list[JsonObject], list[JsonObject]]:
    """The parts, calls among them with the id of their record, and the records of calls that are not in them."""
    left = list(recorded)
    matched: list[JsonObject] = []
    for part in parts:
        call = mapping(part.get("functionCall"))
        if call:
            id = call.get("id")
            same = [r for r in left if (r.get("id") == id if id else _signature(r) == _signature(call))]
            if same:
                left.remove(same[0])
                part = part | {"functionCall": call | {"id": text(same[0].get("id"))}}
        matched.append(part)
    return matched, left


def _signature(call: JsonObject) -> tuple[Any, Any]:
    return call.get("name"), call.get("args") or {}


def _call_part(call: JsonObject) -> JsonObject:
    wire = {"id": text(call.get("id")), "name": text(call.get("name")), "args": mapping(call.get("args"))}
    return {"functionCall": wire}


def _result(call: JsonObject) -> list[JsonObject]:
    """The response as parts; a plain string is its output.

    A history that was written back puts the responses of all parallel calls into each of them.
    """
    result, id = call.get("result"), text(call.get("id"))
    if isinstance(result, str):
        return [{"functionResponse": {"id": id, "name": text(call.get("name")), "response": {"output": result}}}]
    parts = parts_of(result)
    own = [turn.payload["parts"] for turn in user_turns(parts, None) if id and turn.answers == id]
    return own[0] if own else parts

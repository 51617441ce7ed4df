"""Sessions of OpenHands: a list of events, or JSON lines with a `history` of them.

An action repeats the answer it came from; results are observations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from prunus.clients.chat_turns import as_session, message_turn, plain_turns
from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, read_object, rows, text, unix_time
from prunus.clients.turns import RecordedTurn
from prunus.text.numbers import as_number

FIRST_EVENTS = ("0.json", "event-00000-*.json")
"""Names of the first event's file: before version 1, and since then."""

_EVENT = re.compile(r"(?:event-)?(\d+)(?:-.*)?\.json")

_BOOKKEEPING = ("change_agent_state", "agent_state_changed", "null")


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where OpenHands keeps its conversations; its versions before 1 called them sessions."""
    hands = home.named("OPENHANDS_PERSISTENCE_DIR", home.path / ".openhands")
    yield hands / "sessions", tuple(f"*/events/{first}" for first in FIRST_EVENTS)


def gather(path: Path) -> Iterator[Recording] | None:
    """The events of a conversation, each of which has a file; the first file stands for all of them."""
    if path.parent.name != "events" or not any(path.match(first) for first in FIRST_EVENTS):
        return None
    files = [(found, file) for file in path.parent.iterdir() if (found := _EVENT.fullmatch(file.name))]
    read = [read_object(file) for _, file in sorted(files, key=lambda pair: (as_number(pair[0][1]), pair[1]))]
    events = [event for event in read if event]
    return iter((Recording(path.parent.parent.name, events, (), len(read) - len(events)),))


def recognise(recording: Recording) -> bool:
    """Events with a source and either an action or an observation."""
    return any(
        "source" in event and ("action" in event or "observation" in event)
        for events in _runs(recording)
        for event in events
    )


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each run and context window."""
    for events in _runs(recording):
        tools = next((mapping(e.get("args")).get("tools") for e in events if e.get("action") == "system"), None)
        envelope = {"tools": tools} if rows(tools) else {}
        model = next((text(_answer(e).get("model")) for e in events if _answer(e)), "")
        for carried, new in _windows(events):
            turns = [replace(turn, carried=True) for turn in _turns(carried)] + _turns(new, after=carried)
            yield replace(as_session(turns, model), envelope=envelope)


def _runs(recording: Recording) -> list[list[JsonObject]]:
    if isinstance(recording.document, list):
        return [rows(recording.document)]
    return [rows(line["history"]) for line in recording.lines if isinstance(line.get("history"), list)]


def _windows(events: Sequence[JsonObject]) -> Iterator[tuple[list[JsonObject], list[JsonObject]]]:
    """The events with which each context window begins, and the events that follow."""
    carried: list[JsonObject] = []
    new: list[JsonObject] = []
    for event in events:
        if event.get("action") in _BOOKKEEPING or event.get("observation") in _BOOKKEEPING:
            continue
        if event.get("action") == "condensation":
            yield carried, new
            carried, new = _condensed([*carried, *new], event), []
        else:
            new.append(event)
    yield carried, new


def _condensed(context: Sequence[JsonObject], condensation: JsonObject) -> list[JsonObject]:
    """The context without the forgotten events, with the newest summary at its place."""
    args = mapping(condensation.get("args"))
    forgotten = args.get("forgotten_event_ids")
    if not isinstance(forgotten, list):
        first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
        forgotten = range(first, last + 1) if isinstance(first, int) and isinstance(last, int) else ()
    kept = [e for e in context if e.get("id") not in forgotten and e.get("action") != "summary"]
    if args.get("summary"):
        offset = args.get("summary_offset")
        said = {"action": "summary", "args": {"content": args["summary"]}}
        kept.insert(offset if isinstance(offset, int) else len(kept), said)
    return kept


def _answer(event: JsonObject) -> JsonObject:
    """The answer of the model that an action came from."""
    return mapping(mapping(event.get("tool_call_metadata")).get("model_response"))


def _turns(events: Sequence[JsonObject], after: Sequence[JsonObject] = ()) -> list[RecordedTurn]:
    """The turns that the events add to the context; all actions of one answer are one message."""
    seen = {text(_answer(event).get("id")) for event in after if "action" in event} - {""}
    turns: list[RecordedTurn] = []
    for event in events:
        time = unix_time(event.get("timestamp"))
        call = text(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        args = mapping(event.get("args"))
        if "observation" in event:
            if call:
                result = {"role": "tool", "tool_call_id": call, "content": _observed(event)}
                turns.append(message_turn(result, time))
            continue
        answer = text(_answer(event).get("id"))
        match event.get("action"):
            case "system":
                turns.append(message_turn({"role": "system", "content": text(args.get("content"))}, time))
            case "message" | "summary":
                role = "assistant" if event.get("source") == "agent" else "user"
                turns.append(message_turn({"role": role, "content": text(args.get("content"))}, time))
            case "finish":
                # A call that is never answered; the client sends its words as plain text.
                answered = text(_answer_message(event).get("content"))
                said = text(args.get("thought")) or answered or text(args.get("final_thought"))
                turns.append(message_turn({"role": "assistant", "content": said}, time))
            case _ if call and answer not in seen:
                seen |= {answer} - {""}
                turns += [replace(turn, time=time) for turn in plain_turns([_answer_message(event)])]
    return turns


def _observed(event: JsonObject) -> str:
    """The observation as the model saw it: a command's exit code stands in the suffix."""
    metadata = mapping(mapping(event.get("extras")).get("metadata"))
    return text(metadata.get("prefix")) + text(event.get("content")) + text(metadata.get("suffix"))


def _answer_message(event: JsonObject) -> JsonObject:
    choices = rows(_answer(event).get("choices"))
    return mapping(choices[0].get("message")) if choices else {}

"""Conversations of OpenHands since version 1: events of its agent SDK, each with a `kind`.

An action is one call of an answer; results are observations, rejections or errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from prunus.clients.chat_turns import as_session, function_call, message_turn
from prunus.clients.client import Home, SessionFolder
from prunus.clients.openhands.sessions import FIRST_EVENTS
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text, unix_time
from prunus.clients.turns import RecordedTurn

_RESULTS = ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent")
_KINDS = ("SystemPromptEvent", "MessageEvent", "ActionEvent", *_RESULTS, "Condensation", "CondensationSummaryEvent")


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where OpenHands keeps its conversations since version 1."""
    hands = home.named("OPENHANDS_PERSISTENCE_DIR", home.path / ".openhands")
    events = tuple(f"*/events/{first}" for first in FIRST_EVENTS)
    yield home.named("OPENHANDS_CONVERSATIONS_DIR", hands / "conversations"), events


def recognise(recording: Recording) -> bool:
    """Events with a source and one of the kinds of the SDK."""
    return any("source" in event and event.get("kind") in _KINDS for event in _listed(recording))


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each context window."""
    for carried, new in _windows(_listed(recording)):
        turns = [replace(turn, carried=True) for turn in _turns(carried)] + _turns(new)
        yield as_session(turns)


def _listed(recording: Recording) -> list[JsonObject]:
    return rows(recording.document) if isinstance(recording.document, list) else list(recording.lines)


def _windows(events: Sequence[JsonObject]) -> Iterator[tuple[list[JsonObject], list[JsonObject]]]:
    """The events with which each context window begins, and the events that follow."""
    carried: list[JsonObject] = []
    new: list[JsonObject] = []
    for event in events:
        if event.get("kind") == "Condensation":
            yield carried, new
            carried, new = _condensed([*carried, *new], event), []
        elif event.get("kind") in _KINDS:
            new.append(event)
    yield carried, new


def _condensed(context: Sequence[JsonObject], condensation: JsonObject) -> list[JsonObject]:
    """The context without the forgotten events, with the newest summary at its place."""
    forgotten = condensation.get("forgotten_event_ids")
    ids = set(filter(None, map(text, forgotten if isinstance(forgotten, list) else ())))
    kept = [e for e in context if text(e.get("id")) not in ids and e.get("kind") != "CondensationSummaryEvent"]
    if condensation.get("summary"):
        offset = condensation.get("summary_offset")
        said = {"kind": "CondensationSummaryEvent", "summary": condensation["summary"]}
        kept.insert(offset if isinstance(offset, int) else len(kept), said)
    return kept


def _turns(events: Sequence[JsonObject]) -> list[RecordedTurn]:
    """The turns that the events add to the context; all actions of one answer are one message."""
    turns: list[RecordedTurn] = []
    answers: dict[str, int] = {}
    for event in events:
        time = unix_time(event.get("timestamp"))
        match event.get("kind"):
            case "SystemPromptEvent":
                prompt = text(mapping(event.get("system_prompt")).get("text"))
                turns.append(message_turn({"role": "system", "content": prompt}, time))
            case "MessageEvent":
                message = mapping(event.get("llm_message"))
                role = "assistant" if message.get("role") == "assistant" else "user"
                said = _text([*rows(message.get("content")), *rows(event.get("extended_content"))])
                turns.append(message_turn({"role": role, "content": said}, time))
            case "CondensationSummaryEvent":
                turns.append(message_turn({"role": "user", "content": text(event.get("summary"))}, time))
            case "ActionEvent":
                _add_call(turns, answers, event, time)
            case kind if kind in _RESULTS:
                id = text(event.get("tool_call_id"))
                turns.append(message_turn({"role": "tool", "tool_call_id": id, "content": _observed(event)}, time))
    return turns


def _add_call(turns: list[RecordedTurn], answers: dict[str, int], event: JsonObject, time: float | None) -> None:
    """Put a call into the message of its answer, or begin one."""
    recorded = mapping(event.get("tool_call"))
    id = text(event.get("tool_call_id")) or text(recorded.get("id"))
    name = text(recorded.get("name")) or text(event.get("tool_name"))
    call = function_call(id, name, recorded.get("arguments"))
    answer = text(event.get("llm_response_id"))
    if answer and answer in answers:
        at = answers[answer]
        message = turns[at].payload
        turns[at] = message_turn(message | {"tool_calls": [*message["tool_calls"], call]}, turns[at].time)
        return
    message = {"role": "assistant", "content": _text(event.get("thought")), "tool_calls": [call]}
    if text(event.get("reasoning_content")):
        message["reasoning_content"] = event["reasoning_content"]
    answers[answer] = len(turns)
    turns.append(message_turn(message, time))


def _observed(event: JsonObject) -> str:
    """A result as the model saw it."""
    if event.get("kind") == "UserRejectObservation":
        return f"Action rejected: {text(event.get('rejection_reason'))}"
    if event.get("kind") == "AgentErrorEvent":
        return text(event.get("error"))
    observation = mapping(event.get("observation"))
    shown = _text(observation.get("content")) or text(observation.get("output"))
    return "\n".join(filter(None, (shown, _text(event.get("extended_content")))))


def _text(content: Any) -> str:
    """The texts of content blocks; older files have a string."""
    return text(content) or "\n".join(filter(None, (text(block.get("text")) for block in rows(content))))

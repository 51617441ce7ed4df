"""Sessions of OpenHands: a list of events, or JSON lines with a `history` of them.

An action repeats the answer it came from; results are observations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from prunus.clients.chat_turns import conversation, message_turn, plain_turns
from prunus.clients.fields import mapping, rows, text, unix_time
from prunus.clients.pairing import Turn
from prunus.clients.recording import Recording
from prunus.clients.session import Session

AGENT = "openhands"

_BOOKKEEPING = ("change_agent_state", "agent_state_changed", "null")

Event = dict[str, Any]


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
            yield recording.session(AGENT, "openai_chat", model, conversation(turns), envelope=envelope)


def _runs(recording: Recording) -> list[list[Event]]:
    if isinstance(recording.document, list):
        return [rows(recording.document)]
    return [rows(line["history"]) for line in recording.lines if isinstance(line.get("history"), list)]


def _windows(events: Sequence[Event]) -> Iterator[tuple[list[Event], list[Event]]]:
    """What each context window took over, and what came to it."""
    carried: list[Event] = []
    new: list[Event] = []
    for event in events:
        if event.get("action") in _BOOKKEEPING or event.get("observation") in _BOOKKEEPING:
            continue
        if event.get("action") == "condensation":
            yield carried, new
            carried, new = _condensed([*carried, *new], event), []
        else:
            new.append(event)
    yield carried, new


def _condensed(context: Sequence[Event], condensation: Event) -> list[Event]:
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


def _answer(event: Event) -> dict[str, Any]:
    """The answer of the model that an action came from."""
    return mapping(mapping(event.get("tool_call_metadata")).get("model_response"))


def _turns(events: Sequence[Event], after: Sequence[Event] = ()) -> list[Turn]:
    """What the events put into the context; actions of one answer are one message."""
    told = {text(_answer(event).get("id")) for event in after if "action" in event} - {""}
    turns: list[Turn] = []
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
                said = text(args.get("thought")) or _answer_text(event) or text(args.get("final_thought"))
                turns.append(message_turn({"role": "assistant", "content": said}, time))
            case _ if call and answer not in told:
                told |= {answer} - {""}
                turns += [replace(turn, time=time) for turn in plain_turns([_answer_message(event)])]
    return turns


def _observed(event: Event) -> str:
    """The observation as the model saw it: a command's exit code stands in the suffix."""
    metadata = mapping(mapping(event.get("extras")).get("metadata"))
    return text(metadata.get("prefix")) + text(event.get("content")) + text(metadata.get("suffix"))


def _answer_message(event: Event) -> dict[str, Any]:
    choices = rows(_answer(event).get("choices"))
    return mapping(choices[0].get("message")) if choices else {}


def _answer_text(event: Event) -> str:
    return text(_answer_message(event).get("content"))

"""Trajectories of SWE-agent: `.traj` documents.

Older ones hold actions as text. Each becomes a call of the tool that its first
word names, so that history of both kinds can be read the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prunus.clients.chat_turns import as_session, function_call, message_turn, plain_turns
from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text
from prunus.clients.turns import RecordedTurn
from prunus.providers.blocks import decode_any


def folders(home: Home) -> Iterator[SessionFolder]:
    """SWE-agent writes beside its own code, so its trajectories are found only if a variable names their folder."""
    if home.env.get("SWE_AGENT_TRAJECTORY_DIR", "").strip():
        yield home.named("SWE_AGENT_TRAJECTORY_DIR", home.path), ("**/*.traj",)


def recognise(recording: Recording) -> bool:
    """A document with `history` beside `trajectory`."""
    document = mapping(recording.document)
    return isinstance(document.get("history"), list) and "trajectory" in document


def sessions(recording: Recording) -> Iterator[Session]:
    """The one conversation of the document."""
    turns: list[RecordedTurn] = []
    acting = ""
    for index, message in enumerate(rows(recording.document["history"])):
        if acting and message.get("role") == "user":
            result = {"role": "tool", "tool_call_id": acting, "content": message.get("content")}
            turns.append(message_turn(result))
            acting = ""
            continue
        action = text(message.get("action"))
        if message.get("role") == "assistant" and action.strip() and not message.get("tool_calls"):
            acting = f"call_{index}"
            # The action becomes a call of the tool that its first word names.
            call = function_call(acting, action.split()[0], {"command": action})
            said = {"role": "assistant", "content": text(message.get("thought")), "tool_calls": [call]}
            turns.append(message_turn(said))
        else:
            acting = ""
            turns += plain_turns([_with_call_id(message)])
    model = _model(recording.document.get("replay_config"))
    yield as_session(turns, model)


def _with_call_id(message: JsonObject) -> JsonObject:
    """A result names its call in a list of one."""
    ids = message.get("tool_call_ids")
    return message | {"tool_call_id": ids[0]} if isinstance(ids, list) and ids else message


def _model(config: Any) -> str:
    """The model's name from the run's configuration, an object or its JSON text."""
    found = decode_any(config) if isinstance(config, str) else config
    return text(mapping(mapping(mapping(found).get("agent")).get("model")).get("name"))

"""Plain lists of OpenAI chat messages, bare or in a request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from prunus.clients.chat_turns import conversation, plain_turns
from prunus.clients.plain import Plain, plain_lists
from prunus.clients.recording import Recording
from prunus.clients.session import Conversation, Session

AGENT = "openai-chat"
FORMAT: Final = "openai_chat"


def recognise(recording: Recording) -> bool:
    """Messages with roles, and none of another format among them."""
    found = plain_lists(recording)
    return bool(found) and all(plain.format.name == FORMAT for plain in found)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each list of messages."""
    for plain in plain_lists(recording):
        yield session(recording, plain)


def session(recording: Recording, plain: Plain) -> Session:
    """The session of one list."""
    found = _conversation(plain)
    return recording.session(AGENT, FORMAT, plain.model, found, envelope=plain.envelope, unusable=plain.unusable)


def _conversation(plain: Plain) -> Conversation:
    """Calls with their results; a request that does not end in an answer was sent as a whole."""
    found = conversation(plain_turns(plain.messages))
    whole = len(found.messages)
    if not plain.body or not whole or found.messages[-1].get("role") == "assistant" or whole in found.requests:
        return found
    return replace(found, requests=(*found.requests, whole), times=(*found.times, None))

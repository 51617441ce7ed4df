"""Plain lists of OpenAI chat messages, bare or under `messages`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prunus.transcripts.chat_turns import conversation, plain_turns
from prunus.transcripts.fields import mapping, rows, text
from prunus.transcripts.recording import Recording
from prunus.transcripts.session import Session

__all__ = ["AGENT", "recognise", "sessions"]

AGENT = "openai-chat"


def recognise(recording: Recording) -> bool:
    """Messages with roles, the model's among them."""
    return any(message.get("role") == "assistant" for messages in _lists(recording) for message in messages)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each list of messages."""
    for messages in _lists(recording):
        model = text(mapping(recording.document).get("model"))
        yield recording.session(AGENT, "openai_chat", model, conversation(plain_turns(messages)))


def _lists(recording: Recording) -> list[list[dict[str, Any]]]:
    """The list of messages; a file of lines has one in each line, or one message in each."""
    if isinstance(recording.document, list):
        return [rows(recording.document)]
    listed = [rows(line["messages"]) for line in recording.lines if isinstance(line.get("messages"), list)]
    return listed or [list(recording.lines)]

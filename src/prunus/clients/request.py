"""Requests and lists of messages in any wire format, kept as they were sent.

Each answer in the history was asked for by what stands before it, so a single request shows the earlier ones.
A request was sent to its end; a list of messages alone may be the history of an agent that stopped there.
"""

from __future__ import annotations

from collections.abc import Iterator

from prunus.clients import openai_chat
from prunus.clients.plain import Plain, plain_lists
from prunus.clients.recording import Recording
from prunus.clients.session import Conversation, Session

AGENT = "request"


def recognise(recording: Recording) -> bool:
    """Messages of any format."""
    return bool(plain_lists(recording))


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each list of messages, named after its format in place of an agent."""
    for plain in plain_lists(recording):
        if plain.format.name == openai_chat.FORMAT:
            yield openai_chat.session(recording, plain)
            continue
        yield recording.session(
            plain.format.name.replace("_", "-"),
            plain.format.name,
            plain.model,
            _conversation(plain),
            envelope=plain.envelope,
            unusable=plain.unusable,
        )


def _conversation(plain: Plain) -> Conversation:
    """The messages, and where the model was asked: before each of its steps, and at the end of a request."""
    requests: list[int] = []
    before = ""
    for index, message in enumerate(plain.messages):
        read = plain.format.parse(message, b"")
        if index and read.role == "assistant" and not (read.joins and before == "assistant"):
            requests.append(index)
        before = read.role
    if plain.body and before != "assistant":
        requests.append(len(plain.messages))
    return Conversation(plain.messages, tuple(requests), (None,) * len(requests))

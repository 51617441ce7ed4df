"""Sessions of Gemini CLI: one document for each chat under `~/.gemini/tmp`.

Call and result are together in the record; thoughts are for the screen, the
client does not send them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prunus.transcripts.fields import mapping, rows, text, unix_time
from prunus.transcripts.recording import Recording
from prunus.transcripts.session import Conversation, Session

__all__ = ["AGENT", "recognise", "sessions"]

AGENT = "gemini-cli"


def recognise(recording: Recording) -> bool:
    """A document with a session id whose messages are typed `user` or `gemini`."""
    document = mapping(recording.document)
    messages = rows(document.get("messages"))
    return "sessionId" in document and any(m.get("type") in ("user", "gemini") for m in messages)


def sessions(recording: Recording) -> Iterator[Session]:
    """The one conversation of the document."""
    contents: list[dict[str, Any]] = []
    requests: list[int] = []
    times: list[float | None] = []
    clock: float | None = None
    model = ""
    messages = [m for m in rows(recording.document["messages"]) if m.get("type") in ("user", "gemini")]
    for index, message in enumerate(messages):
        time = unix_time(message.get("timestamp"))
        said = _text_parts(message.get("content"))
        if message["type"] == "user":
            if said:
                contents.append({"role": "user", "parts": said})
        else:
            model = model or text(message.get("model"))
            if len(contents) > (requests[-1] if requests else 0):
                requests.append(len(contents))
                times.append(time if clock is None else clock)
            recorded = rows(message.get("toolCalls"))
            calls = [call for call in recorded if rows(call.get("result"))]
            cut = index == len(messages) - 1 and recorded and not calls
            if (said or calls) and not cut:
                contents.append({"role": "model", "parts": [*said, *map(_call_part, calls)]})
            if calls:
                results = [part for call in calls for part in rows(call["result"])]
                contents.append({"role": "user", "parts": results})
        clock = time if time is not None else clock
    found = Conversation(tuple(contents), tuple(requests), tuple(times))
    yield recording.session(AGENT, "gemini", model, found)


def _text_parts(content: Any) -> list[dict[str, Any]]:
    """The parts of a message: older files have one string, newer a list of parts."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return [part for part in rows(content) if part.get("text") != ""]


def _call_part(call: dict[str, Any]) -> dict[str, Any]:
    wire = {"id": text(call.get("id")), "name": text(call.get("name")), "args": mapping(call.get("args"))}
    return {"functionCall": wire}

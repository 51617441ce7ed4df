"""A call and its answer as messages of each format, and how a body is extended by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from prunus.errors import FormatError
from prunus.providers import Frame, as_json, place_of
from prunus.providers.openai_responses.messages import OpenAIResponses, message_of
from prunus.splice import values
from prunus.surrogates import decode

__all__ = [
    "FIELDS",
    "blocks_of",
    "call_and_result",
    "extended",
    "items_of",
    "messages_of",
    "ordered_like",
    "place_beside",
    "results",
    "rewritten",
    "top_of",
    "with_top",
    "words_of",
]

FIELDS: Final[Mapping[str, str]] = {
    "anthropic_messages": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
}


def call_and_result(format: str, id: str, tool: str, arguments: Mapping[str, Any] | str, text: str) -> list[Any]:
    """The messages that a call and its answer are in a format."""
    given = arguments if isinstance(arguments, str) else as_json(arguments)
    match format:
        case "anthropic_messages":
            value = _object(arguments)
            call = {"type": "tool_use", "id": id, "name": tool, "input": value}
            return [{"role": "assistant", "content": [call]}, *results(format, [(id, tool, text)])]
        case "openai_chat":
            call = {"id": id, "type": "function", "function": {"name": tool, "arguments": given}}
            said = {"role": "assistant", "content": None, "tool_calls": [call]}
            return [said, *results(format, [(id, tool, text)])]
        case "openai_responses":
            call = {"type": "function_call", "call_id": id, "name": tool, "arguments": given}
            return [call, *results(format, [(id, tool, text)])]
        case "gemini":
            call = {"functionCall": {"id": id, "name": tool, "args": _object(arguments)}}
            return [{"role": "model", "parts": [call]}, *results(format, [(id, tool, text)])]
    raise FormatError(f"no tool can be offered in the format {format}")


def results(format: str, told: Sequence[tuple[str, str, str]]) -> list[Any]:
    """The messages that answer some calls of one turn; each is told as id, tool and text."""
    match format:
        case "anthropic_messages":
            content = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, _, text in told]
            return [{"role": "user", "content": content}]
        case "openai_chat":
            return [{"role": "tool", "tool_call_id": id, "content": text} for id, _, text in told]
        case "openai_responses":
            return [{"type": "function_call_output", "call_id": id, "output": text} for id, _, text in told]
        case "gemini":
            parts = [
                {"functionResponse": {"id": id, "name": tool, "response": {"output": text}}}
                for id, tool, text in told
            ]
            return [{"role": "user", "parts": parts}]
    raise FormatError(f"no tool can be offered in the format {format}")


def extended(body: bytes, format: str, messages: Sequence[Any]) -> bytes:
    """A body with more messages at its end; those it had keep their bytes."""
    top = top_of(body)
    field, held = messages_of(top, format)
    if not held and items_of(bytes(top.get(field, b""))) is None:
        raise FormatError(f"{field} is not a list")
    more = [msgspec.Raw(msgspec.json.encode(message)) for message in messages]
    return with_top(top, {field: msgspec.json.encode([*held, *more])})


def top_of(body: bytes) -> dict[str, msgspec.Raw]:
    """The values of a body by key, with their bytes."""
    try:
        return msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        decode(body, dict[str, msgspec.Raw])
    return {str(key): msgspec.Raw(value) for key, value in values(body).items()}


def messages_of(top: Mapping[str, msgspec.Raw], format: str) -> tuple[str, list[msgspec.Raw]]:
    """The key under which a body has its messages, and their bytes; one text stands for one message."""
    field = FIELDS[format]
    raw = bytes(top.get(field, b""))
    if format == OpenAIResponses.name and raw[:1] == b'"':
        return field, [msgspec.Raw(message_of(raw))]
    return field, items_of(raw) or []


def items_of(raw: bytes) -> list[msgspec.Raw] | None:
    """The bytes of the elements of a list; None where it is no list."""
    if raw.lstrip()[:1] != b"[":
        return None
    try:
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except msgspec.DecodeError:
        decode(raw, list[msgspec.Raw])
    return [msgspec.Raw(value) for value in values(raw).values()]


def words_of(content: object) -> str:
    """The words of a content: a text, or blocks of which some hold one."""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in blocks_of(content))


def blocks_of(content: object) -> list[dict[str, Any]]:
    """The objects in a list; none where it is no list."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def with_top(top: Mapping[str, msgspec.Raw], changes: Mapping[str, bytes]) -> bytes:
    """The body with other values at some top-level keys; the others keep their bytes and their order."""
    return msgspec.json.encode({**top, **{key: msgspec.Raw(value) for key, value in changes.items()}})


def ordered_like(item: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """An object with its keys in the order in which another one has them; what only it has comes last."""
    return {key: item[key] for key in other if key in item} | item


def rewritten(cut: Frame, changes: Iterable[tuple[int, int, bytes]]) -> bytes:
    """A body with other bytes at some places (start, end, bytes); the same object where there are none."""
    body = memoryview(cut.body)
    pieces: list[bytes | memoryview] = []
    at = 0
    for start, end, new in sorted(changes):
        pieces += (body[at:start], new)
        at = end
    return b"".join((*pieces, body[at:])) if pieces else cut.body


def place_beside(cut: Frame, key: str, value: bytes) -> tuple[int, int, bytes]:
    """The change that gives a body another value at a key beside its messages; a new key stands at the end."""
    body, text, before = cut.body, cut.body, 0
    if cut.starts and key in cut.ahead:
        text = body[: cut.starts[0] if cut.bare else body.rindex(b"[", 0, cut.starts[0])] + b"0}"
    elif cut.starts:
        opening = b'{"\\u0000":' + (b"0" if cut.bare else b"[0")
        text, before = opening + body[cut.ends[-1] :], cut.ends[-1] - len(opening)
    top = decode(text, dict[str, msgspec.Raw])
    if key not in top:
        end = len(body.rstrip()) - 1
        return end, end, b',"%b":%b' % (key.encode(), value)
    start = before + place_of(text, top, key)
    return start, start + len(top[key]), value


def _object(arguments: Mapping[str, Any] | str) -> Any:
    if not isinstance(arguments, str):
        return dict(arguments)
    try:
        value = decode(arguments)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {"targets": arguments}
    return value if isinstance(value, dict) else {"targets": value}

"""Where each message of a body begins and ends, and in which format it is written."""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from prunus.errors import FormatError
from prunus.formats.anthropic_messages import AnthropicMessages
from prunus.formats.digest import lifetime
from prunus.formats.format import Format, kind_of
from prunus.formats.gemini import Gemini
from prunus.formats.openai_chat import OpenAIChat
from prunus.formats.openai_responses import OpenAIResponses, message_of
from prunus.formats.opencode import OpenCode
from prunus.surrogates import decode

__all__ = ["FORMATS", "PROMPT", "Frame", "format_named", "frame", "resume"]

FORMATS: Final[tuple[Format, ...]] = (
    AnthropicMessages(),
    OpenAIChat(),
    OpenAIResponses(),
    Gemini(),
    OpenCode(),
)
PROMPT: Final = ("model", "system", "instructions", "systemInstruction", "system_instruction", "tools")
_FIELDS: Final = ("messages", "input", "contents")
_LOOK: Final = 64
_CHUNK: Final = 1 << 20
_GLANCE: Final = 64
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_KEY: Final = re.compile(rb'[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_CHAT: Final = frozenset({"tool_calls", "function_call", "reasoning_content", "tool_call_id"})
_ANTHROPIC: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"})
_CHAT_BLOCKS: Final = frozenset({"image_url", "input_audio", "refusal", "tool_call", "tool_output"})


@dataclass(slots=True)
class Frame:
    """A body as bytes, cut into its messages without reading them."""

    body: bytes
    format: Format
    starts: list[int]
    ends: list[int]
    closed: str = ""
    """Why nothing may be pruned, where that is so."""
    model: str = ""
    prompt: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    """What the provider reads before the messages: model, system text, tools."""
    ahead: frozenset[str] = frozenset()
    """The keys that stand before the messages."""
    bare: bool = False
    """The messages are one string, which stands for a message of the user."""

    def __len__(self) -> int:
        return len(self.starts)

    def raw(self, index: int) -> bytes:
        """The bytes of one message."""
        found = self.body[self.starts[index] : self.ends[index]]
        return message_of(found) if self.bare else found

    @property
    def size(self) -> int:
        return len(self.body)

    def lifetime(self) -> str | None:
        """How long the client wants the cache to live, where it says so."""
        return lifetime(self.prompt.get("system", b""), self.raw(-1) if self.starts else b"")

    def around(self) -> bytes:
        """What stands before and behind the messages: system text, tools, options."""
        return self.body[: self.starts[0]] + self.body[self.ends[-1] :] if self.starts else self.body

    def shared(self, body: bytes) -> int:
        """How many messages another body begins with that have the bytes of these."""
        if not self.ends:
            return 0
        first = self.ends[0]
        # Other conversations of the same client differ at the end of the first message, if not before.
        if body[max(0, first - _GLANCE) : first] != self.body[max(0, first - _GLANCE) : first]:
            return 0
        if not body.startswith(self.body[:first]):
            return 0
        end = min(self.ends[-1], len(body))
        at, step = first, _CHUNK
        while at < end and step:
            step = min(step, end - at)
            if body.startswith(self.body[at : at + step], at):
                at += step
            else:
                step //= 2
        return bisect_right(self.ends, at)

    def assemble(self, edited: Sequence[int], rendered: Mapping[int, bytes], changed: Collection[int]) -> bytes:
        """The body with the edited messages in place; bytes are put together anew, whatever `changed`."""
        view = memoryview(self.body)
        pieces: list[bytes | memoryview] = []
        at = 0
        for index in edited:
            message = b"[%b]" % rendered[index] if self.bare else rendered[index]
            pieces += (view[at : self.starts[index]], message)
            # A message that goes takes the comma behind it along; the last message never goes.
            at = self.ends[index] if rendered[index] else self.starts[index + 1]
        pieces.append(view[at:])
        return b"".join(pieces)


def format_named(name: str) -> Format:
    """The format of this name."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise FormatError(f"no format {name!r}; there are {', '.join(known.name for known in FORMATS)}")


def frame(body: bytes, name: str | None = None) -> Frame:
    """Find the messages of a body and the format they are written in."""
    chosen = format_named(name) if name else None
    start = _skip(body, 0)
    opening = body[start : start + 1]
    try:
        if opening == b"[":
            items = decode(body, list[msgspec.Raw])
            known = chosen or _recognise_list(items)
            starts, ends = _spans(body, start, items)
            return Frame(body, known, starts, ends)
        if opening != b"{":
            raise FormatError(f"not JSON: the body starts with {body[start : start + 20]!r}")
        return _frame_object(body, start, chosen)
    except msgspec.MsgspecError as error:
        raise FormatError(f"not JSON: {error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    except RecursionError as error:
        raise FormatError("nested too deeply") from error


def resume(known: Frame, body: bytes, count: int) -> Frame | None:
    """The frame of a body whose first `count` messages have the bytes of `known`: only the rest is scanned.

    None where the rest cannot be read alone; then the whole body has to be.
    """
    end = known.ends[count - 1]
    try:
        if body[_skip(body, 0) : _skip(body, 0) + 1] == b"[":
            items = decode(b"[0" + body[end:], list[msgspec.Raw])[1:]
            rest: dict[str, msgspec.Raw] = {}
        else:
            rest = decode(b'{"\\u0000":[0' + body[end:], dict[str, msgspec.Raw])
            items = decode(rest.pop("\0"), list[msgspec.Raw])[1:]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if known.format.field in rest:
        return None
    starts, ends = known.starts[:count], known.ends[:count]
    if items:
        more_starts, more_ends = _spans(body, _skip(body, end), items)
        starts += more_starts
        ends += more_ends
    closed = known.closed or _closed(rest)
    prompt = {key: value for key, value in known.prompt.items() if key in known.ahead} | _prompt(rest)
    return Frame(body, known.format, starts, ends, closed, _model(rest) or known.model, prompt, known.ahead)


def _frame_object(body: bytes, start: int, chosen: Format | None) -> Frame:
    top = decode(body, dict[str, msgspec.Raw])
    field = chosen.field if chosen else next((key for key in _FIELDS if key in top), "")
    if field not in top:
        keys = ", ".join(list(top)[:8]) or "none"
        wanted = field or ", ".join(_FIELDS)
        raise FormatError(f"no known format: the body has the keys {keys}; expected {wanted}, or a list")
    order = list(top)
    ahead = frozenset(order[: order.index(field)])
    place = _place(body, start, top, field)
    around = _closed(top), _model(top), _prompt(top), ahead
    if bytes(top[field])[:1] == b'"' and field == OpenAIResponses.field:
        known = format_named(OpenAIResponses.name)
        return Frame(body, known, [place], [place + len(top[field])], *around, bare=True)
    try:
        items = decode(top[field], list[msgspec.Raw])
    except msgspec.ValidationError as error:
        raise FormatError(f"no known format: {field} is not a list") from error
    known = chosen or _recognise(field, top, items)
    starts, ends = _spans(body, place, items)
    return Frame(body, known, starts, ends, *around)


def _prompt(top: Mapping[str, msgspec.Raw]) -> dict[str, bytes]:
    return {key: bytes(top[key]) for key in PROMPT if key in top}


def _closed(top: Mapping[str, msgspec.Raw]) -> str:
    held = top.get("previous_response_id")
    return "" if held is None or bytes(held) == b"null" else "the provider holds the history (previous_response_id)"


def _model(top: Mapping[str, msgspec.Raw]) -> str:
    if "model" not in top:
        return ""
    value = decode(top["model"])
    return value if isinstance(value, str) else ""


def _place(body: bytes, start: int, top: Mapping[str, msgspec.Raw], field: str) -> int:
    """Where the list of a top-level key begins."""
    at = start + 1
    place = 0
    passed: set[str] = set()
    while found := _KEY.match(body, at):
        key = decode(b'"' + found[1] + b'"', str)
        if key in passed:
            break
        passed.add(key)
        if key == field:
            place = found.end()
        at = _skip(body, found.end() + len(top[key])) + 1
    if len(passed) < len(top) or len(body[at:].strip()) > 0:
        raise FormatError("a key stands twice at the top of the body")
    return place


def _spans(body: bytes, start: int, items: Sequence[msgspec.Raw]) -> tuple[list[int], list[int]]:
    """Start and end of each item, from the lengths that the JSON reader found."""
    starts: list[int] = []
    ends: list[int] = []
    at = start + 1
    for item in items:
        if body[at] in b" \t\r\n":
            at = _skip(body, at)
        starts.append(at)
        at += len(item)
        ends.append(at)
        if at < len(body) and body[at] in b" \t\r\n":
            at = _skip(body, at)
        at += 1
    return starts, ends


def _skip(body: bytes, at: int) -> int:
    found = _SPACE.match(body, at)
    return found.end() if found else at


def _recognise_list(items: Sequence[msgspec.Raw]) -> Format:
    for item in items[:_LOOK]:
        message = decode(item)
        if not isinstance(message, dict):
            break
        if "info" in message and "parts" in message:
            return format_named("opencode")
        if "parts" in message and "content" not in message:
            return format_named("gemini")
        if message.get("type", "message") != "message" and "role" not in message:
            return format_named("openai_responses")
        if message.get("type") == "message":
            return format_named("openai_responses")
        known = _told_by(message)
        if known:
            return format_named(known)
        if "role" not in message:
            break
    else:
        return format_named("openai_chat")
    raise FormatError("no known format: a list, but not of messages")


def _recognise(field: str, top: Mapping[str, msgspec.Raw], items: Sequence[msgspec.Raw]) -> Format:
    if field == "contents":
        return format_named("gemini")
    if field == "input":
        return format_named("openai_responses")
    tools = bytes(top.get("tools", b""))[:4096]
    if "anthropic_version" in top or b'"input_schema"' in tools:
        return format_named("anthropic_messages")
    for item in items[:_LOOK]:
        message = decode(item)
        if not isinstance(message, dict):
            raise FormatError("no known format: messages holds something that is not an object")
        if "info" in message and "parts" in message:
            return format_named("opencode")
        known = _told_by(message)
        if known:
            return format_named(known)
    claude = "system" in top or ("claude" in _model(top) and b'"function"' not in tools)
    return format_named("anthropic_messages" if claude else "openai_chat")


def _told_by(message: Mapping[str, Any]) -> str:
    """The one of the two formats with `messages` that a message can only belong to, if it shows it."""
    if message.get("role") in ("tool", "function", "developer") or not _CHAT.isdisjoint(message):
        return "openai_chat"
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        kind = kind_of(block)
        if kind in _ANTHROPIC or (kind in ("image", "document") and "source" in block):
            return "anthropic_messages"
        if kind in _CHAT_BLOCKS:
            return "openai_chat"
    return ""

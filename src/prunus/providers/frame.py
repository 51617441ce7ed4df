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
from prunus.providers.digest import lifetime
from prunus.providers.openai_responses.messages import OpenAIResponses, message_of
from prunus.providers.provider import Provider
from prunus.providers.recognition import FIELDS, provider_named, recognise
from prunus.surrogates import decode

__all__ = ["PROMPT", "Frame", "frame", "held_elsewhere", "place_of", "resume"]

PROMPT: Final = ("model", "system", "instructions", "systemInstruction", "system_instruction", "tools")
_HELD: Final = "previous_response_id"
_CHUNK: Final = 1 << 20
_GLANCE: Final = 64
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_KEY: Final = re.compile(rb'[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)


@dataclass(slots=True)
class Frame:
    """A body as bytes, cut into its messages without reading them."""

    body: bytes
    format: Provider
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
        """What stands before and behind the messages, as JSON: system text, tools, options."""
        if not self.starts:
            return self.body
        nothing = b'""' if self.bare else b""
        return self.body[: self.starts[0]] + nothing + self.body[self.ends[-1] :]

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


def frame(body: bytes, name: str | None = None) -> Frame:
    """Find the messages of a body and the format they are written in."""
    chosen = provider_named(name) if name else None
    start = _skip(body, 0)
    opening = body[start : start + 1]
    try:
        if opening == b"[":
            items = decode(body, list[msgspec.Raw])
            known = chosen or recognise(None, map(decode, items))
            starts, ends = _spans(body, start, items)
            return Frame(body, known, starts, ends)
        if opening != b"{":
            begins = body[start : start + 20].decode("utf-8", "replace")
            raise FormatError(f"not JSON: the body starts with {begins!r}" if begins else "not JSON: an empty body")
        return _frame_object(body, chosen)
    except msgspec.MsgspecError as error:
        raise FormatError(f"not JSON: {error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    except RecursionError as error:
        raise FormatError("nested too deeply") from error


def resume(known: Frame, body: bytes, count: int, name: str | None = None) -> Frame | None:
    """The frame of a body whose first `count` messages have the bytes of `known`: only the rest is scanned.

    None where the rest cannot be read alone, or shows another format; then the whole body has to be scanned.
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
    prompt = {key: value for key, value in known.prompt.items() if key in known.ahead} | _prompt(rest)
    held = known.closed if _HELD in known.ahead else held_elsewhere(_value(rest, _HELD))
    made = Frame(body, known.format, starts, ends, held, _model(prompt), prompt, known.ahead)
    if not name:
        keys = known.ahead | rest.keys() | {known.format.field}
        top = None if body[_skip(body, 0)] == ord("[") else _told(keys, prompt)
        if recognise(top, (decode(made.raw(i)) for i in range(len(made)))) is not known.format:
            return None
    return made


def _frame_object(body: bytes, chosen: Provider | None) -> Frame:
    top = decode(body, dict[str, msgspec.Raw])
    field = chosen.field if chosen else next((key for key in FIELDS if key in top), "")
    if field not in top:
        keys = ", ".join(list(top)[:8]) or "none"
        wanted = field or ", ".join(FIELDS)
        raise FormatError(f"no known format: the body has the keys {keys}; expected {wanted}, or a list")
    order = list(top)
    ahead = frozenset(order[: order.index(field)])
    place = place_of(body, top, field)
    prompt = _prompt(top)
    around = held_elsewhere(_value(top, _HELD)), _model(prompt), prompt, ahead
    if bytes(memoryview(top[field])[:1]) == b'"' and field == OpenAIResponses.field:
        known = provider_named(OpenAIResponses.name)
        return Frame(body, known, [place], [place + len(top[field])], *around, bare=True)
    try:
        items = decode(top[field], list[msgspec.Raw])
    except msgspec.ValidationError as error:
        raise FormatError(f"no known format: {field} is not a list") from error
    known = chosen or recognise(_told(top.keys(), prompt), map(decode, items))
    starts, ends = _spans(body, place, items)
    return Frame(body, known, starts, ends, *around)


def _prompt(top: Mapping[str, msgspec.Raw]) -> dict[str, bytes]:
    return {key: bytes(top[key]) for key in PROMPT if key in top}


def held_elsewhere(earlier: Any) -> str:
    """Why nothing may be pruned, given the response that a request continues from."""
    return "" if earlier is None else "the provider holds the history (previous_response_id)"


def _value(top: Mapping[str, msgspec.Raw], key: str) -> Any:
    return decode(top[key]) if key in top else None


def _model(prompt: Mapping[str, bytes]) -> str:
    value = decode(prompt["model"]) if "model" in prompt else ""
    return value if isinstance(value, str) else ""


def _told(keys: Collection[str], prompt: Mapping[str, bytes]) -> dict[str, Any]:
    """What the top of a body tells about its format: its keys, and the values of those that matter."""
    return dict.fromkeys(keys) | {key: decode(prompt[key]) for key in ("model", "tools") if key in prompt}


def place_of(body: bytes, top: Mapping[str, msgspec.Raw], field: str) -> int:
    """Where the value of a top-level key begins."""
    at = _skip(body, 0) + 1
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

"""A body of JSON bytes, cut into its messages: their places, their format, and the values beside them."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from prunus.errors import FormatError
from prunus.json.long_strings import ShortenedJson, join_pieces, stretch
from prunus.json.splice import skip_space
from prunus.json.surrogates import LARGE, decode
from prunus.providers.digest import lifetime
from prunus.providers.provider import Provider
from prunus.providers.recognition import ALL, FIELDS, provider_named, recognise
from prunus.providers.rewriting import message_of, place_of, spans

PROMPT: Final = ("model", *(key for provider in ALL for key in provider.system_keys), "tools")
"""The keys whose values a provider reads before the messages."""
_CHUNK: Final = 1 << 20
"""Bytes that are compared at once."""
_TAIL: Final = 64
"""Bytes at the end of the first message that tell most conversations apart."""


@dataclass(slots=True)
class Frame:
    """A body as bytes, cut into its messages without decoding them."""

    body: bytes
    format: Provider
    starts: list[int]
    ends: list[int]
    closed: str = ""
    """Why the request may not be pruned; empty if it may."""
    model: str = ""
    prompt: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    """The values that the provider reads before the messages: model, system text, tools."""
    ahead: frozenset[str] = frozenset()
    """The keys that stand before the messages."""
    bare: bool = False
    """The messages are one string, which stands for a message of the user."""

    def __len__(self) -> int:
        return len(self.starts)

    def raw(self, index: int) -> bytes:
        """The bytes of one message."""
        found = stretch(self.body, self.starts[index], self.ends[index])
        return message_of(found) if self.bare else found

    @property
    def size(self) -> int:
        return len(self.body)

    def lifetime(self) -> str | None:
        """Return how long the client wants the cache to live, such as `1h`; None if it does not say so."""
        return lifetime(self.prompt.get("system", b""), self.raw(-1) if self.starts else b"")

    def around(self) -> bytes:
        """The body without its messages, as JSON: system text, tools, options."""
        if not self.starts:
            return self.body
        nothing = b'""' if self.bare else b""
        return self.body[: self.starts[0]] + nothing + self.body[self.ends[-1] :]

    @property
    def first_end(self) -> tuple[int, bytes]:
        """The end of the first message, and the bytes right before it; -1 and nothing if there is no message.

        Most other conversations of the same client have other bytes there.
        """
        return (self.ends[0], self.tail(self.body, self.ends[0])) if self.ends else (-1, b"")

    @staticmethod
    def tail(body: bytes, end: int) -> bytes:
        """The bytes of a body before a place in it."""
        return body[max(0, end - _TAIL) : end]

    def shared(self, body: bytes) -> int:
        """How many messages at the start of another body have the bytes of the messages here."""
        if not self.ends:
            return 0
        first = self.ends[0]
        if self.tail(body, first) != self.tail(self.body, first):
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
        """The body with the edited messages in place; `changed` is only used for bodies of objects."""
        view = memoryview(self.body)
        pieces: list[bytes | memoryview] = []
        at = 0
        for index in edited:
            message = b"[%b]" % rendered[index] if self.bare else rendered[index]
            pieces += (view[at : self.starts[index]], message)
            # A removed message takes the comma behind it along; the last message is never removed.
            at = self.ends[index] if rendered[index] else self.starts[index + 1]
        pieces.append(view[at:])
        return join_pieces(pieces)


def frame(body: bytes, name: str | None = None) -> Frame:
    """Find the messages of a body and their format; `name` is the format if the caller knows it."""
    short = ShortenedJson(body)
    cut = _frame(short.text, name)
    if not short:
        return cut
    prompt = {key: short.restored(value) for key, value in cut.prompt.items()}
    return replace(cut, body=body, starts=short.places(cut.starts), ends=short.places(cut.ends), prompt=prompt)


def _frame(body: bytes, name: str | None) -> Frame:
    chosen = provider_named(name) if name else None
    start = skip_space(body, 0)
    opening = body[start : start + 1]
    try:
        if opening == b"[":
            items = decode(body, list[msgspec.Raw])
            known = chosen or recognise(None, map(decode, items))
            starts, ends = spans(body, start, items)
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
    """Return the frame of a body whose first `count` messages have the bytes of `known`; only the rest is scanned.

    Returns None if the rest cannot be read alone or shows another format. Then the whole body has to be scanned.
    """
    end = known.ends[count - 1]
    if len(body) - end > LARGE:
        return None
    is_list = body[skip_space(body, 0)] == ord("[")
    try:
        if is_list:
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
        more_starts, more_ends = spans(body, skip_space(body, end), items)
        starts += more_starts
        ends += more_ends
    prompt = {key: value for key, value in known.prompt.items() if key in known.ahead} | _prompt(rest)
    held_ahead = (key for key in known.format.held_by if key in known.ahead)
    same = any(known.closed == known.format.history_held({key: True}) for key in held_ahead)
    closed = known.closed if same else _why_closed(known.format, rest)
    made = Frame(body, known.format, starts, ends, closed, _model(prompt), prompt, known.ahead)
    if not name:
        keys = known.ahead | rest.keys() | {known.format.field}
        top = None if is_list else _top_values(keys, prompt)
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
    if bytes(memoryview(top[field])[:1]) == b'"':
        for one in ALL if chosen is None else (chosen,):
            if one.takes_text and one.field == field:
                around = _why_closed(one, top), _model(prompt), prompt, ahead
                return Frame(body, one, [place], [place + len(top[field])], *around, bare=True)
    try:
        items = decode(top[field], list[msgspec.Raw])
    except msgspec.ValidationError as error:
        raise FormatError(f"no known format: {field} is not a list") from error
    known = chosen or recognise(_top_values(top.keys(), prompt), map(decode, items))
    starts, ends = spans(body, place, items)
    return Frame(body, known, starts, ends, _why_closed(known, top), _model(prompt), prompt, ahead)


def _prompt(top: Mapping[str, msgspec.Raw]) -> dict[str, bytes]:
    return {key: bytes(top[key]) for key in PROMPT if key in top}


def _why_closed(provider: Provider, top: Mapping[str, msgspec.Raw]) -> str:
    """Return why a body with these values at its top may not be pruned; empty if it may."""
    return provider.history_held({key: decode(top[key]) for key in provider.held_by if key in top})


def _model(prompt: Mapping[str, bytes]) -> str:
    value = decode(prompt["model"]) if "model" in prompt else ""
    return value if isinstance(value, str) else ""


def _top_values(keys: Collection[str], prompt: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the top of a body as `recognise` needs it: all keys, and the values of model and tools."""
    return dict.fromkeys(keys) | {key: decode(prompt[key]) for key in ("model", "tools") if key in prompt}

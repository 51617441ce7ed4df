"""Cache marks of the Messages API, and the request that only reads a cache.

A client marks blocks of tools, system text and messages with `cache_control`; the mark may say how long the cache
lives. Marks of a longer lifetime have to stand before those of a shorter one, so all marks of a request get the
same. The longer lifetime needs no beta header since August 2025.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from prunus.json.splice import Path, splice
from prunus.json.surrogates import decode
from prunus.providers.blocks import dicts
from prunus.providers.rewriting import Change, items_of, place_of, spans, top_of

_KEY: Final = "cache_control"
_SIGN: Final = b'"cache_control"'
_HOLDERS: Final = ("tools", "system", "messages")
_FINISHED: Final = ("end_turn", "stop_sequence")
_FORCED: Final = ("any", "tool")


def with_lifetime(body: bytes, lifetime: str) -> bytes:
    """A request whose cache marks ask for a lifetime; all other bytes stay."""
    if _SIGN not in body:
        return body
    top = top_of(body)
    changes: list[Change] = []
    for key in _HOLDERS:
        items = items_of(bytes(top[key])) if _SIGN in bytes(top.get(key, b"")) else None
        if items is None:
            continue
        for item, start, end in zip(items, *spans(body, place_of(body, top, key), items), strict=True):
            raw = bytes(item)
            marked = {path: _asking(mark, lifetime) for path, mark in _marks(decode(raw))} if _SIGN in raw else {}
            if marked:
                changes.append((start, end, splice(raw, marked)))
    whole = decode(top[_KEY]) if _KEY in top else None
    if isinstance(whole, dict):
        start = place_of(body, top, _KEY)
        changes.append((start, start + len(top[_KEY]), _asking(whole, lifetime)))
    pieces: list[bytes] = []
    at = 0
    for start, end, new in sorted(changes):
        pieces += (body[at:start], new)
        at = end
    return b"".join((*pieces, body[at:]))


def _marks(block: Any, path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The marks of a tool, a block or a message, with their places; an argument of a call is no mark."""
    if not isinstance(block, dict):
        return
    if isinstance(block.get(_KEY), dict):
        yield (*path, _KEY), block[_KEY]
    content = block.get("content")
    for at, inner in enumerate(content if isinstance(content, list) else ()):
        yield from _marks(inner, (*path, "content", at))


def _asking(mark: Mapping[str, Any], lifetime: str) -> bytes:
    return msgspec.json.encode({**mark, "ttl": lifetime})


def cache_reading(body: bytes) -> bytes | None:
    """The same request without an answer, which reads the cache and so keeps it alive; None where there is none.

    The API takes `max_tokens: 0` for this, but not with a fixed thinking budget, a forced tool or an output format.
    Without these, the request would be another one for the cache.
    """
    top = top_of(body)
    thinking, choice, output = (_object(top.get(key)) for key in ("thinking", "tool_choice", "output_config"))
    if _SIGN not in body or "max_tokens" not in top:
        return None
    if thinking.get("type") == "enabled" or choice.get("type") in _FORCED or output.get("format") is not None:
        return None
    changes: dict[Path, bytes | None] = {("max_tokens",): b"0"}
    return splice(body, changes | ({("stream",): None} if "stream" in top else {}))


def _object(raw: msgspec.Raw | None) -> dict[str, Any]:
    value = decode(raw) if raw is not None else None
    return value if isinstance(value, dict) else {}


def finishes_turn(event: Mapping[str, Any]) -> bool:
    """Whether an event of a stream, or a whole answer, says that the model is done and calls no tool."""
    return any(one.get("stop_reason") in _FINISHED for one in dicts([event, event.get("delta")]))

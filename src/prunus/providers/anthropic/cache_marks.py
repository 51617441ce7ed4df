"""The cache marks of an Anthropic request.

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
from prunus.providers.blocks import listed
from prunus.providers.rewriting import Change, items_of, place_of, rewritten, spans, top_of

_MARK: Final = "cache_control"
_SIGN: Final = b'"cache_control"'


def with_lifetime(body: bytes, lifetime: str) -> bytes:
    """A request whose cache marks ask for a lifetime; all other bytes stay."""
    if _SIGN not in body:
        return body
    top = top_of(body)
    changes: list[Change] = []
    for key in ("tools", "system", "messages"):
        items = items_of(bytes(top[key])) if _SIGN in bytes(top.get(key, b"")) else None
        if items is None:
            continue
        for item, start, end in zip(items, *spans(body, place_of(body, top, key), items), strict=True):
            raw = bytes(item)
            marked = {path: _asking(mark, lifetime) for path, mark in _marks(decode(raw))} if _SIGN in raw else {}
            if marked:
                changes.append((start, end, splice(raw, marked)))
    whole = decode(top[_MARK]) if _MARK in top else None
    if isinstance(whole, dict):
        start = place_of(body, top, _MARK)
        changes.append((start, start + len(top[_MARK]), _asking(whole, lifetime)))
    return rewritten(body, changes)


def cache_reading(body: bytes) -> bytes | None:
    """The same request with `max_tokens: 0`, which reads its cache; None if the API would refuse it.

    The API takes that, but not with a fixed thinking budget, a forced tool or an output format. Without these,
    the request would be another one for the cache.
    """
    top = top_of(body)
    beside = (decode(top[key]) if key in top else None for key in ("thinking", "tool_choice", "output_config"))
    thinking, choice, output = (value if isinstance(value, dict) else {} for value in beside)
    if _SIGN not in body or "max_tokens" not in top:
        return None
    forced = choice.get("type") in ("any", "tool")
    if thinking.get("type") == "enabled" or forced or output.get("format") is not None:
        return None
    changes: dict[Path, bytes | None] = {("max_tokens",): b"0"}
    return splice(body, changes | ({("stream",): None} if "stream" in top else {}))


def _marks(block: Any, path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The marks of a tool, a block or a message, with their places; an argument of a call is no mark."""
    if not isinstance(block, dict):
        return
    if isinstance(block.get(_MARK), dict):
        yield (*path, _MARK), block[_MARK]
    for at, inner in enumerate(listed(block.get("content"))):
        yield from _marks(inner, (*path, "content", at))


def _asking(mark: Mapping[str, Any], lifetime: str) -> bytes:
    return msgspec.json.encode({**mark, "ttl": lifetime})

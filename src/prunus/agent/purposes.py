"""The `intent` of edits in requests: offered with the tools, and put back into the calls of earlier turns."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import msgspec

from prunus.agent.calls import Site, calls_of
from prunus.agent.exchange import items_of, messages_of, top_of, with_top
from prunus.agent.expand import Lookup
from prunus.agent.record import call_key
from prunus.agent.spoken import spoken
from prunus.agent.withheld import Withheld, put_back
from prunus.intent import names_offered, offer_intent
from prunus.splice import Path, splice
from prunus.surrogates import decode
from prunus.tools import Toolbox

__all__ = ["offered", "purpose_key", "recalled"]


def offered(tools: bytes, toolbox: Toolbox) -> tuple[bytes, frozenset[str]]:
    """The tools of a request with the argument, and the names of those that got it; others keep their bytes."""
    raws = items_of(tools) or []
    new = list(raws)
    names: set[str] = set()
    for at, raw in enumerate(raws):
        try:
            before = [decode(raw)]
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue
        after = offer_intent(before, toolbox)
        if after is not before:
            new[at] = msgspec.Raw(msgspec.json.encode(after[0]))
            names |= names_offered(before, after)
    return (msgspec.json.encode(new), frozenset(names)) if names else (tools, frozenset())


def recalled(body: bytes, format: str, lookup: Lookup) -> bytes:
    """The body with the intent of each call that is remembered; the same object where there is none."""
    top = top_of(body)
    field, raws = messages_of(top, format)
    sites: list[tuple[str, int, Site]] = []
    for index, place, message in spoken(format, raws):
        sites += (
            (purpose_key(place, site.id, site.tool, site.text), index, site) for site in calls_of(format, message)
        )
    found = lookup([key for key, _, _ in sites]) if sites else {}
    changes: dict[int, dict[Path, bytes]] = {}
    for key, index, site in sites:
        withheld = _loaded(found, key)
        text = site.text
        whole = text if withheld is None else put_back(text, withheld)
        if whole is not text:
            changes.setdefault(index, {})[site.path] = site.written(whole)
    if not changes:
        return body
    for index, values in changes.items():
        raws[index] = msgspec.Raw(splice(bytes(raws[index]), values))
    return with_top(top, {field: msgspec.json.encode(raws)})


def purpose_key(place: int, id: str, tool: str, arguments: str) -> str:
    """By the id of the call; without one by its place, its tool and its arguments."""
    if id:
        return f"intent:{call_key(place, id)}"
    try:
        plain = msgspec.json.encode(msgspec.json.decode(arguments), order="sorted")
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        plain = arguments.encode("utf-8", "surrogatepass")
    return f"intent:{place}:{tool}:{blake2b(plain, digest_size=12).hexdigest()}"


def _loaded(found: Mapping[str, bytes], key: str) -> Withheld | None:
    raw = found.get(key)
    return None if raw is None else Withheld.load(raw)

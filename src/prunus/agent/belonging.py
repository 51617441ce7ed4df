"""Which conversation something belongs to, and the keys under which the layer remembers what belongs to it.

A conversation is the chain of the hashes of its messages, as the client sends them, and the chain begins with the
tenant and the credential of the caller. Link n names the first n messages together, so that a key made from a link
is found again by the same conversation, by a fork of it behind that link, and after an undo, and by no other one:
not by the same words in another conversation, nor by the same conversation of another caller.

The hash of a message covers what all copies of it share. Cache markers move; clients leave reasoning out and trim
words of the model; they take reminders out of a message that was the newest one and put them in again. The messages
before the first one of the model are hashed with their reminders: by them two projects differ in which the user
began with the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

import msgspec

from prunus.clients.system_reminders import without_reminders
from prunus.conversations.memory import chain
from prunus.json.surrogates import encode
from prunus.providers import digest
from prunus.providers.hidden_calls import CallSite
from prunus.providers.provider import Api
from prunus.text.fingerprint import fingerprint

_UNSTABLE: Final = frozenset({"id", "status", "cache_control", "thoughtSignature", "thought_signature"})
"""Keys that a client may leave out or change in its copy of a message of the model."""


def root(tenant: str, caller: str, format: str) -> bytes:
    """The link before the first message of all conversations of one caller in one format."""
    return blake2b(msgspec.json.encode([tenant, caller, format]), digest_size=16).digest()


def link_behind(
    link: bytes, api: Api, message: dict[str, Any] | None, raw: bytes, *, model: bool, first: bool
) -> bytes:
    """The link behind one more message; None is a message that cannot be read.

    `first` says that the model has not spoken yet. A message of nothing but reasoning or reminders adds no link.
    """
    try:
        found = _digest(api, message, raw, model=model, first=first)
    except RecursionError:
        found = fingerprint(raw)
    return link if found is None else chain((found,), link)[0]


def _digest(api: Api, message: dict[str, Any] | None, raw: bytes, *, model: bool, first: bool) -> bytes | None:
    """The hash of what all copies of a message share; None if they share nothing."""
    if message is None:
        return fingerprint(raw)
    if model:
        content = stable_content(api, message)
        return fingerprint(encode(content)) if content else None
    if first:
        return digest(message, raw)
    kept = _without_reminders(message)
    return None if kept.get("role") == "user" and kept.get("content") in ("", []) else digest(kept, raw)


def stable_content(api: Api, message: dict[str, Any]) -> list[Any]:
    """What every copy of a message of the model holds: words, calls, and all else that is no reasoning.

    Clients leave reasoning out, trim words, and spell arguments and ids of items in their own way.
    """
    _, words = api.ids_and_words(message)
    found: list[Any] = ["".join(words.split())]
    found += ([site.id, site.tool, site.canonical] for site in api.calls_of(message))
    found += (
        {key: value for key, value in part.items() if key not in _UNSTABLE} for part in api.other_parts(message)
    )
    return found if any(found) else []


def keys_of(api: Api, link: bytes, message: dict[str, Any]) -> Iterator[str]:
    """The keys of a record for a message of the model, by the link before the model spoke."""
    ids, text = api.ids_and_words(message)
    for id in ids:
        yield call_key(link, id)
    if not ids and text.strip():
        yield text_key(link, text)


def call_key(link: bytes, id: str) -> str:
    """The key of a hidden exchange by the first visible call behind it."""
    return _key(link, "call", id)


def text_key(link: bytes, text: str) -> str:
    """The key of a hidden exchange by the words of a message that makes no call."""
    return _key(link, "text", "".join(text.split()))


def intent_key(link: bytes, site: CallSite) -> str:
    """The key of an intent by the id of its call; if it has none, by tool and arguments."""
    return _key(link, "intent", site.id or f"{site.tool}\0{site.canonical}")


def _key(link: bytes, kind: str, words: str) -> str:
    return f"{kind}:{blake2b(words.encode('utf-8', 'surrogatepass'), key=link, digest_size=20).hexdigest()}"


def _without_reminders(value: Any) -> Any:
    """A message without its reminders, the space around its texts, and the blocks that held nothing else."""
    match value:
        case str():
            return without_reminders(value).strip()
        case dict():
            return {key: _without_reminders(inner) for key, inner in value.items()}
        case list():
            kept = [_without_reminders(inner) for inner in value]
            return [new for new, old in zip(kept, value, strict=True) if new == old or not _blank(new)]
    return value


def _blank(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and not block.get("text")

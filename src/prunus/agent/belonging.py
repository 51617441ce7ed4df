"""Which conversation something belongs to, and the keys under which the layer remembers what belongs to it.

A conversation is the chain of the hashes of its messages, as the client sends them, and the chain begins with the
tenant and the credential of the caller. Link n names the first n messages together, so that a key made from a link
is found again by the same conversation, by a fork of it behind that link, and after an undo, and by no other one:
not by the same words in another conversation, nor by the same conversation of another caller.

The hash of a message is that of what all copies of it share. Cache markers move; clients leave reasoning out and
trim words of the model; they take reminders out of a message that was the newest one and put them in again. The
messages before the first one of the model are hashed with their reminders: by them two projects differ in which
the user began with the same words.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from prunus.agent.calls import Site
from prunus.agent.spoken import canonical, ids_and_words, said
from prunus.clients.reminders import without_reminders
from prunus.fingerprint import fingerprint
from prunus.memory import chain
from prunus.providers import digest
from prunus.surrogates import encode

__all__ = ["behind", "call_key", "keys_of", "purpose_key", "root", "text_key"]


def root(tenant: str, caller: str, format: str) -> bytes:
    """The link before the first message of all conversations of one caller in one format."""
    return blake2b(msgspec.json.encode([tenant, caller, format]), digest_size=16).digest()


def behind(
    link: bytes, format: str, message: dict[str, Any] | None, raw: bytes, *, model: bool, first: bool
) -> bytes:
    """The link behind one more message; None is one that cannot be read.

    `first` says that the model has not spoken yet. Reasoning alone is no message, and nor are reminders alone.
    """
    try:
        found = _digest(format, message, raw, model=model, first=first)
    except RecursionError:
        found = fingerprint(raw)
    return link if found is None else chain((found,), link)[0]


def _digest(format: str, message: dict[str, Any] | None, raw: bytes, *, model: bool, first: bool) -> bytes | None:
    """The hash of what all copies of a message share; None where that is nothing."""
    if message is None:
        return fingerprint(raw)
    if model:
        words = said(format, message)
        return fingerprint(encode(words)) if words else None
    if first:
        return digest(message, raw)
    kept = _lasting(message)
    return None if kept.get("role") == "user" and kept.get("content") in ("", []) else digest(kept, raw)


def keys_of(format: str, link: bytes, message: dict[str, Any]) -> Iterator[str]:
    """The keys of a record for a message of the model, by the link before the model spoke."""
    ids, text = ids_and_words(format, message)
    for id in ids:
        yield call_key(link, id)
    if not ids and text.strip():
        yield text_key(link, text)


def call_key(link: bytes, id: str) -> str:
    """By the first visible call behind a hidden exchange."""
    return _key(link, "call", id)


def text_key(link: bytes, text: str) -> str:
    """By the words of a message that makes no call."""
    return _key(link, "text", "".join(text.split()))


def purpose_key(link: bytes, site: Site) -> str:
    """By the id of a call of which something was withheld; without one by its tool and its arguments."""
    return _key(link, "intent", site.id or f"{site.tool}\0{canonical(site)}")


def _key(link: bytes, kind: str, words: str) -> str:
    return f"{kind}:{blake2b(words.encode('utf-8', 'surrogatepass'), key=link, digest_size=20).hexdigest()}"


def _lasting(value: Any) -> Any:
    """A message without its reminders, the space around its texts, and the blocks that were nothing else."""
    match value:
        case str():
            return without_reminders(value).strip()
        case dict():
            return {key: _lasting(inner) for key, inner in value.items()}
        case list():
            kept = [_lasting(inner) for inner in value]
            return [new for new, old in zip(kept, value, strict=True) if new == old or not _blank(new)]
    return value


def _blank(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and not block.get("text")

"""Cuts a request into steps, and makes the keys under which the layer keeps hidden exchanges and intents.

A step is a run of messages that the model wrote, together with the results that follow. A key is made from the link
before its step, so it finds the records of this step and of no other step. The layer restores a finished step once;
later requests of the conversation reuse the restored bytes.

A conversation is a chain of hashes, one for each message that the client sends. The chain begins with the tenant
and the credential of the caller. Link n names the first n messages together. The same conversation finds a key
again, even after an undo, and so does a fork that begins behind the link. No other conversation finds the key:
neither one with the same words, nor the same conversation of another caller.

The hash of a message covers only what all copies of the message share. Cache markers move. Clients leave out
reasoning and trim the words of the model. They remove reminders from a message that is no longer the newest one,
and may add them again. Messages before the model's first answer are hashed with their reminders, because two
projects in which the user began with the same words differ only in those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final

import msgspec

from prunus.clients.system_reminders import without_reminders
from prunus.conversations.memory import chain
from prunus.json.splice import Path, splice
from prunus.json.surrogates import decode, encode
from prunus.providers import Frame, digest
from prunus.providers.blocks import decode_any
from prunus.providers.filters import RemovedIntent, restore_intent
from prunus.providers.hidden_calls import CallSite, HiddenExchange
from prunus.providers.provider import Api
from prunus.text.fingerprint import fingerprint

_UNSTABLE: Final = frozenset({"id", "status", "cache_control", "thoughtSignature", "thought_signature"})
"""Keys that a client may leave out or change in its copy of a message of the model."""


@dataclass(frozen=True, slots=True)
class StepMessage:
    """One message of a step."""

    raw: bytes
    value: dict[str, Any] | None
    """None if the message cannot be read."""
    model: bool
    """Whether the model wrote it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a request: the messages from index `start` to index `end`, which is not included."""

    start: int
    end: int
    before: bytes
    """The link before the step."""
    after: bytes
    """The link behind the step."""
    answered: bool = True
    """Whether a result or a prompt follows the words of the model, or the model has not spoken at all."""
    written: bytes | None = None
    """The messages with the hidden exchanges and intents put back; None if there are none."""

    @property
    def next(self) -> bytes:
        """The link before the model's next words. Words that continue a message of this step belong to the step."""
        return self.after if self.answered else self.before


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step whose hidden exchanges and intents are not looked up yet."""

    step: Step
    messages: Sequence[StepMessage]
    keys: Mapping[str, int]
    """The keys of hidden exchanges, and the message that each belongs to."""
    sites: Sequence[tuple[int, str, CallSite]]
    """The calls that may have an intent: the index of the message, the key of the intent, and the call."""

    def all_keys(self) -> list[str]:
        return [*self.keys, *(key for _, key, _ in self.sites)]

    def restore(self, api: Api, found: Mapping[str, bytes]) -> Step:
        """Return the step with its hidden exchanges and intents restored; `found` are the records by key."""
        records = {
            index: record
            for key, index in self.keys.items()
            if key in found and (record := HiddenExchange.load(found[key])) and record.format == api.name
        }
        sites = [row for row in self.sites if row[1] in found]
        if not records and not sites:
            return self.step
        messages = [
            _with_intents(message, [(found[key], site) for at, key, site in sites if at == index])
            for index, message in enumerate(self.messages)
        ]
        whole: list[Any] = [msgspec.Raw(message.raw) for message in messages]
        for index in sorted(records, reverse=True):
            api.restore_hidden(whole, index, messages[index].value or {}, records[index])
        written = msgspec.json.encode(whole)[1:-1]
        if written == b",".join(message.raw for message in self.messages):
            return self.step
        return replace(self.step, written=written)


def draft(api: Api, step: Step, messages: Sequence[StepMessage], *, hidden: bool, intents: bool) -> StepDraft:
    """Return a step with the keys of the hidden exchanges and intents that may be kept for it."""
    keys: dict[str, int] = {}
    sites: list[tuple[int, str, CallSite]] = []
    for index, message in enumerate(messages):
        if message.model and message.value is not None:
            for key in keys_of(api, step.before, message.value) if hidden else ():
                keys.setdefault(key, index)
            if intents:
                calls = api.calls_of(message.value)
                sites += ((index, intent_key(step.before, site), site) for site in calls)
    return StepDraft(step, messages, keys, sites)


def steps_from(cut: Frame, api: Api, start: int, link: bytes) -> Iterator[tuple[Step, Sequence[StepMessage]]]:
    """Yield the steps of a body with their messages, from message `start` on; `link` is the link before it."""
    before, first = link, start
    held: list[StepMessage] = []
    spoken = start > 0
    for index in range(start, len(cut)):
        message = _read(api, cut.raw(index))
        if message.model and held and not held[-1].model:
            yield Step(first, index, before, link), held
            before, first, held = link, index, []
        link = link_behind(link, api, message.value, message.raw, model=message.model, first=not spoken)
        spoken = spoken or message.model
        held.append(message)
    if held:
        yield Step(first, len(cut), before, link, not held[-1].model), held


def _read(api: Api, raw: bytes) -> StepMessage:
    value = decode_any(raw)
    if not isinstance(value, dict):
        return StepMessage(raw, None, model=False)
    return StepMessage(raw, value, api.by_model(value))


def _with_intents(message: StepMessage, kept: Sequence[tuple[bytes, CallSite]]) -> StepMessage:
    """Return a message of the model with the intents that were kept for its calls."""
    changes: dict[Path, bytes] = {}
    for raw, site in kept:
        removed = RemovedIntent.load(raw)
        text = site.text
        whole = text if removed is None else restore_intent(text, removed)
        if whole is not text:
            changes[site.path] = site.written(whole)
    if not changes:
        return message
    raw = splice(message.raw, changes)
    return replace(message, raw=raw, value=decode(raw))


def root(tenant: str, caller: str, format: str) -> bytes:
    """Return the link at the start of every conversation of one caller in one format."""
    return blake2b(msgspec.json.encode([tenant, caller, format]), digest_size=16).digest()


def link_behind(
    link: bytes, api: Api, message: dict[str, Any] | None, raw: bytes, *, model: bool, first: bool
) -> bytes:
    """Return the link behind one more message; `message` is None if the message cannot be read.

    With `first`, the model has not spoken yet. A message that holds only reasoning or reminders adds no link.
    """
    try:
        found = _digest(api, message, raw, model=model, first=first)
    except RecursionError:
        found = fingerprint(raw)
    return link if found is None else chain((found,), link)[0]


def _digest(api: Api, message: dict[str, Any] | None, raw: bytes, *, model: bool, first: bool) -> bytes | None:
    """Return the hash of the content that all copies of a message share; None if they share nothing."""
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
    """Return the content that every copy of a message of the model holds: words, calls and other parts.

    Reasoning is not included, because clients leave it out. They also trim words, and write arguments and the ids
    of items in their own way.
    """
    _, words = api.ids_and_words(message)
    found: list[Any] = ["".join(words.split())]
    found += ([site.id, site.tool, site.canonical] for site in api.calls_of(message))
    found += (
        {key: value for key, value in part.items() if key not in _UNSTABLE} for part in api.other_parts(message)
    )
    return found if any(found) else []


def keys_of(api: Api, link: bytes, message: dict[str, Any]) -> Iterator[str]:
    """Yield the keys that a hidden exchange may have for a message of the model; `link` is the link before it."""
    ids, text = api.ids_and_words(message)
    for id in ids:
        yield call_key(link, id)
    if not ids and text.strip():
        yield text_key(link, text)


def call_key(link: bytes, id: str) -> str:
    """Return the key of a hidden exchange that a visible call follows, by the id of the first such call."""
    return _key(link, "call", id)


def text_key(link: bytes, text: str) -> str:
    """Return the key of a hidden exchange in a message without visible calls, by the words of the message."""
    return _key(link, "text", "".join(text.split()))


def intent_key(link: bytes, site: CallSite) -> str:
    """Return the key of an intent, by the id of its call or, without an id, by the tool and its arguments."""
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

"""A request cut into steps: the messages that the model wrote in one go, and the results behind them.

What the client does not know of a step is found by the link before it and concerns no other step. So a step that
is over is put together once, and later requests of its conversation take it over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from prunus.agent.belonging import intent_key, keys_of, link_behind
from prunus.json.splice import Path, splice
from prunus.json.surrogates import decode
from prunus.providers import Frame
from prunus.providers.blocks import decode_any
from prunus.providers.filters import RemovedIntent, restore_intent
from prunus.providers.hidden_calls import CallSite, HiddenExchange
from prunus.providers.provider import Api


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
    """Some messages of a request that follow each other."""

    start: int
    end: int
    before: bytes
    """The link before the step."""
    after: bytes
    """The link behind the step."""
    answered: bool = True
    """Whether something came behind the words of the model, or it has not spoken at all."""
    written: bytes | None = None
    """The messages with the hidden exchanges and intents put back; None if there are none."""

    @property
    def next(self) -> bytes:
        """The link before the model's next words; words that continue a message belong to that message."""
        return self.after if self.answered else self.before


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step before the layer looks up its hidden exchanges and intents."""

    step: Step
    messages: Sequence[StepMessage]
    keys: Mapping[str, int]
    """The keys of hidden exchanges, and the message that each belongs to."""
    sites: Sequence[tuple[int, str, CallSite]]
    """The calls of which an intent may be kept: message, key, and site."""

    def all_keys(self) -> list[str]:
        return [*self.keys, *(key for _, key, _ in self.sites)]

    def restore(self, api: Api, found: Mapping[str, bytes]) -> Step:
        """Return the step with its hidden exchanges and intents."""
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
    """A step with the keys of the hidden exchanges and intents that may be remembered of it."""
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
    """The steps of a body from the first message of one on, given the link before it, and their messages."""
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
    """A message of the model with the intent of each call that is remembered."""
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

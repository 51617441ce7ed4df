"""Recognises the format of a body by the values at its top and by its first messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from prunus.errors import FormatError
from prunus.providers.anthropic import Anthropic
from prunus.providers.blocks import kind_of, listed
from prunus.providers.gemini import Gemini
from prunus.providers.openai_chat import OpenAIChat
from prunus.providers.openai_responses import OpenAIResponses
from prunus.providers.opencode import OpenCode
from prunus.providers.provider import Api, Provider

ALL: Final[tuple[Provider, ...]] = (
    Anthropic(),
    OpenAIChat(),
    OpenAIResponses(),
    Gemini(),
    OpenCode(),
)
APIS: Final[tuple[Api, ...]] = tuple(one for one in ALL if isinstance(one, Api))
"""Those in which a client talks to a model."""
FIELDS: Final = tuple(dict.fromkeys(one.field for one in ALL))
"""The keys that hold the messages, in the order in which they are looked for."""
_DEFAULT: Final = next(one for one in ALL if isinstance(one, OpenAIChat))
_NO_LIST: Final = "no known format: a list, but not of messages"
_NO_OBJECT: Final = "no known format: messages holds something that is not an object"
_LOOK: Final = 64
"""How many messages are looked at."""


def provider_named(name: str) -> Provider:
    """The format of this name."""
    for known in ALL:
        if known.name == name:
            return known
    raise FormatError(f"no format {name!r}; there are {', '.join(known.name for known in ALL)}")


def api_named(name: str) -> Api:
    """The format of this name, in which tools can be offered to a model."""
    found = provider_named(name)
    if not isinstance(found, Api):
        raise FormatError(f"no tool can be offered in the format {name}")
    return found


def recognise(top: Mapping[str, Any] | None, first: Iterable[Any]) -> Provider:
    """The format of a body, by the values at its top and its first messages; a list of messages has no top.

    Only decoded values decide, so white space and escapes make no difference. The first provider that claims the
    request, a message or a block gets it. Chat Completions gets the others, because many servers speak it.
    """
    known = ALL
    if top is not None:
        held = next((field for field in FIELDS if field in top), FIELDS[-1])
        known = tuple(provider for provider in ALL if provider.field == held)
    if len(known) == 1:
        return known[0]
    for provider in known if top is not None else ():
        if provider.claims_request(top or {}):
            return provider
    for message in islice(first, _LOOK):
        if not isinstance(message, dict):
            raise FormatError(_NO_LIST if top is None else _NO_OBJECT)
        found = _claimant(message, known)
        if found is not None:
            return found
        if top is None and "role" not in message:
            raise FormatError(_NO_LIST)
    likely = (provider for provider in known if top is not None and provider.suggested_by(top))
    return next(likely, _DEFAULT)


def _claimant(message: Mapping[str, Any], known: Sequence[Provider]) -> Provider | None:
    """Return the only provider whose clients write such a message; None if the message does not show it."""
    for provider in reversed(known):
        if provider.claims_message(message):
            return provider
    for block in listed(message.get("content")):
        for provider in known:
            if provider.claims_block(kind_of(block), block):
                return provider
    return None

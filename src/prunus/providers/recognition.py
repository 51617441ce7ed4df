"""Which format a body is written in, by the values at its top and its first messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from prunus.errors import FormatError
from prunus.providers.anthropic import Anthropic
from prunus.providers.blocks import kind_of
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
_LOOK: Final = 64
"""Messages that are looked at."""
_CHAT: Final = frozenset({"tool_calls", "function_call", "reasoning_content", "tool_call_id"})
_ANTHROPIC: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"})
_CHAT_BLOCKS: Final = frozenset({"image_url", "input_audio", "refusal", "tool_call", "tool_output"})


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

    Bytes and objects are told apart by the same values, so that white space and escapes play no part.
    """
    return provider_named(_told_by_list(first) if top is None else _told_by_object(top, first))


def _told_by_list(first: Iterable[Any]) -> str:
    for message in islice(first, _LOOK):
        if not isinstance(message, dict):
            break
        if "info" in message and "parts" in message:
            return "opencode"
        if "parts" in message and "content" not in message:
            return "gemini"
        if message.get("type") == "message" or ("type" in message and "role" not in message):
            return "openai_responses"
        if known := _told_by(message):
            return known
        if "role" not in message:
            break
    else:
        return "openai_chat"
    raise FormatError("no known format: a list, but not of messages")


def _told_by_object(top: Mapping[str, Any], first: Iterable[Any]) -> str:
    field = next((key for key in FIELDS if key in top), Gemini.field)
    using = [one.name for one in ALL if one.field == field]
    if len(using) == 1:
        return using[0]
    tools = top.get("tools")
    tools = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list | tuple) else []
    if "anthropic_version" in top or any("input_schema" in tool for tool in tools):
        return "anthropic_messages"
    for message in islice(first, _LOOK):
        if not isinstance(message, dict):
            raise FormatError("no known format: messages holds something that is not an object")
        if "info" in message and "parts" in message:
            return "opencode"
        if known := _told_by(message):
            return known
    model = top.get("model")
    functions = any("function" in tool or tool.get("type") == "function" for tool in tools)
    claude = isinstance(model, str) and "claude" in model and not functions
    return "anthropic_messages" if "system" in top or claude else "openai_chat"


def _told_by(message: Mapping[str, Any]) -> str:
    """The one of the two formats with `messages` that a message can only belong to, if it shows it."""
    if message.get("role") in ("tool", "function", "developer") or not _CHAT.isdisjoint(message):
        return "openai_chat"
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        kind = kind_of(block)
        if kind in _ANTHROPIC or (kind in ("image", "document") and "source" in block):
            return "anthropic_messages"
        if kind in _CHAT_BLOCKS:
            return "openai_chat"
    return ""

"""Bodies as bytes, the way different clients write JSON, and the cache markers that move between requests."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import msgspec
from hypothesis import strategies as st

from tests.validity import FIELDS

__all__ = ["SPELLINGS", "encode", "halved", "marked", "prefixes"]

SPELLINGS = st.sampled_from(("compact", "spaced", "pretty", "escaped"))


def encode(body: Any, spelling: str = "compact") -> bytes:
    """A body as JSON bytes."""
    match spelling:
        case "pretty":
            # The same bytes as with `indent=2`, for which json has no fast path.
            return msgspec.json.format(json.dumps(body, ensure_ascii=False).encode(), indent=2)
        case "halved":
            return json.dumps(halved(body)).encode()
        case "escaped":
            return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode()
        case "spaced":
            return json.dumps(body, ensure_ascii=False).encode()
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def halved(value: Any) -> Any:
    """The value with half of an emoji in every text of several words, as programs leave it that cut texts."""
    match value:
        case dict():
            return {key: halved(inner) for key, inner in value.items()}
        case list():
            return [halved(inner) for inner in value]
        case str() if value[:1] == "{" and value[-1:] == "}":
            try:
                return json.dumps(halved(json.loads(value)))
            except ValueError:
                return value
        case str():
            return value.replace(" ", " \ud83d", 1)
    return value


def marked(body: Any) -> Any:
    """A body with a cache breakpoint on the last block of its last message, as Claude Code sets it."""
    copy = deepcopy(body)
    message = copy["messages"][-1]
    if isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    message["content"][-1]["cache_control"] = {"type": "ephemeral"}
    return copy


def prefixes(body: Any, format: str) -> list[Any]:
    """The requests that led to a body: it, and what stood before each answer of the model."""
    messages = body if isinstance(body, list) else body[FIELDS[format]]
    models = [_by_model(message, format) for message in messages]
    # OpenCode keeps call and result in one message, so each of the model's messages was asked for on its own.
    alone = format == "opencode"
    ends = [i for i in range(1, len(models)) if models[i] and (alone or not models[i - 1])]
    cut = [messages[:end] for end in [*ends, len(messages)]]
    return cut if isinstance(body, list) else [{**body, FIELDS[format]: part} for part in cut]


def _by_model(message: Any, format: str) -> bool:
    match format:
        case "openai_responses":
            kind = message.get("type", "message")
            return bool(kind == "reasoning" or kind.endswith("_call") or message.get("role") == "assistant")
        case "opencode":
            return bool(message["info"]["role"] == "assistant")
    return bool(message.get("role") in ("assistant", "model"))

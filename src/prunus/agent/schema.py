"""The tools as an agent is offered them, in the shape that each provider wants.

The arguments are flat lists of texts: some models cannot fill in tuples, and some servers refuse their schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from prunus.agent.exchange import items_of
from prunus.requested.request import ACTIONS, INFO, PRUNE

__all__ = ["SCHEMA", "TOOLS", "tool_definitions", "with_tools"]

_PRUNE: Final = """\
Take out of the context what you no longer need, so that you can work longer and cheaper. Results that may go end \
in a line such as [id 3fa9c2].
discard: targets [[id], ...]. The result gives way to one line that says what it was.
distill: targets [[id, summary], ...]. The same, and your summary stays visible in its place.
restore: targets [[id], ...]. The original comes back exactly.
replace: targets [[start, end, replacement], ...]. The stretch of a message from start to end, both taken \
literally and together unique, becomes the replacement.
In place of an id, tools, messages, thinking, files or * name all of a kind, and old all results of 5 turns ago or \
more that can be had again. Do this in batches and when it is worth it; never mention ids or pruning to the user."""

_INFO: Final = "How full the context is, what fills it, and what could go: a list with ids for context_prune."

_ARGUMENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    PRUNE: {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": list(ACTIONS), "description": "What to do."},
            "targets": {
                "type": "array",
                "items": {"type": "array", "items": {"type": "string"}},
                "description": "One list of one to three texts for each target.",
            },
        },
        "required": ["action", "targets"],
    },
    INFO: {"type": "object", "properties": {}},
}
_WORDS: Final[Mapping[str, str]] = {PRUNE: _PRUNE, INFO: _INFO}


def tool_definitions(format: str) -> list[dict[str, Any]]:
    """Both tools in the shape of a format, ready to be put into a request's `tools`."""
    rows = [(name, _WORDS[name], dict(_ARGUMENTS[name])) for name in (PRUNE, INFO)]
    match format:
        case "anthropic_messages":
            return [{"name": n, "description": words, "input_schema": schema} for n, words, schema in rows]
        case "openai_responses":
            return [
                {"type": "function", "name": n, "description": words, "parameters": schema, "strict": False}
                for n, words, schema in rows
            ]
        case "gemini":
            declared = [
                {"name": n, "description": words, "parametersJsonSchema": schema} for n, words, schema in rows
            ]
            return [{"functionDeclarations": declared}]
        case "mcp":
            return [{"name": n, "description": words, "inputSchema": schema} for n, words, schema in rows]
    return [
        {"type": "function", "function": {"name": n, "description": words, "parameters": schema}}
        for n, words, schema in rows
    ]


SCHEMA: Final[Mapping[str, list[dict[str, Any]]]] = {
    format: tool_definitions(format)
    for format in ("anthropic_messages", "openai_chat", "openai_responses", "gemini", "mcp")
}
"""The tools by format, for a loop of one's own: `tools=[*mine, *SCHEMA["openai_chat"]]`."""

TOOLS: Final = frozenset({PRUNE, INFO})
"""The names under which the proxy offers them."""


def with_tools(tools: bytes, format: str) -> bytes | None:
    """The tools of a request with the hidden ones behind them.

    None where the client has tools of these names, or its tools are no list.
    """
    raws = items_of(tools)
    if raws is None or any(b'"%b"' % name.encode() in bytes(tool) for tool in raws for name in TOOLS):
        return None
    more = [msgspec.Raw(msgspec.json.encode(tool)) for tool in tool_definitions(format)]
    return msgspec.json.encode([*raws, *more])

"""Defines the tools `context_prune` and `context_info`, and the system text that tells the model how to use them.

The arguments are flat lists of texts, because some models cannot fill in tuples and some servers refuse their
schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from prunus.calls.toolbox import Toolbox
from prunus.intent import offer_intent
from prunus.providers.blocks import decode_any
from prunus.providers.provider import Api, ToolDefinition
from prunus.providers.recognition import APIS, api_named
from prunus.providers.rewriting import items_of
from prunus.requested.request import ACTIONS, INFO, PRUNE, parse
from prunus.requested.targets import ACKNOWLEDGED
from prunus.settings import Settings
from prunus.settings.tables import Agent

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

_PRUNE_WORDS: Final = """\
Take out of the context what you no longer need, so that you can work longer and cheaper. Results that may go end \
in a line such as [id 3fa9c2].
discard: targets [[id], ...]. The result gives way to one line that says what it was.
distill: targets [[id, summary], ...]. The same, and your summary stays visible in its place.
restore: targets [[id], ...]. The original comes back exactly.
replace: targets [[start, end, replacement], ...]. The stretch of a message from start to end, both taken \
literally and together unique, becomes the replacement.
In place of an id, tools, messages, thinking, files or * name all of a kind, and old all results of 5 turns ago or \
more that can be had again. Do this in batches and when it is worth it; never mention ids or pruning to the user."""

_INFO_WORDS: Final = "How full the context is, what fills it, and what could go: a list with ids for context_prune."

_PRUNE_ARGUMENTS: Final[Mapping[str, Any]] = {
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
}
_GUIDANCE: Final = """\
# Looking after your context

`context_prune` takes out of the context what you no longer need; `context_info` shows how full it is and what \
could go. What may go has an id behind it. Superseded reads, old todo lists and old errors go by themselves.

Prune the elaborate, anchor the essential. Elaborate: files you have analysed, output of finished steps, reasoning \
whose conclusion you have written down. Essential: the task and its todo list, what the user demands, recent \
conclusions, files you are editing.

How full the context is decides what to do:
- below {moderate}: nothing.
- from {moderate}: discard old tool results and old messages; distill long reasoning.
- from {high}: anchor in the todo list what must not be lost, then discard all that is disposable.
- from {critical}: if you can finish the task without the history, discard [*] and concentrate on the task; \
otherwise discard single parts and anchor what is critical.

What each kind of content asks for:
- a file you have just read: keep it; one from 5 or more turns ago: discard it, you can read it again. \
[old] names all of these.
- your analysis: distill it to its conclusion.
- an error of the last 3 turns, the newest todo list: keep them.
{kept} cannot be discarded.

Prune in good time and in batches, beside your work. Never mention ids or pruning to the user."""

_TOOLS: Final = (ToolDefinition(PRUNE, _PRUNE_WORDS, _PRUNE_ARGUMENTS), ToolDefinition(INFO, _INFO_WORDS))
TOOLS: Final = frozenset({PRUNE, INFO})
"""The names of the tools."""


def tool_definitions(format: str) -> list[dict[str, Any]]:
    """Return both tools as a format, or `mcp`, declares them, for the `tools` of a request."""
    if format == "mcp":
        return [{"name": tool.name, **tool.described(), "inputSchema": tool.schema} for tool in _TOOLS]
    return api_named(format).define_tools(_TOOLS)


SCHEMA: Final[Mapping[str, list[dict[str, Any]]]] = {
    format: tool_definitions(format) for format in (*(api.name for api in APIS), "mcp")
}
"""The tools by format, for your own agent loop: `tools=[*mine, *SCHEMA["openai_chat"]]`."""


class Offer(NamedTuple):
    """The tools that the model is offered with a request."""

    tools: bytes | None
    """The JSON of the tools; None if the client's own tools stay unchanged."""
    edits: frozenset[str]
    """The names of the tools to which Prunus added the argument `intent`."""
    hides: bool
    """Whether `context_prune` and `context_info` are among the tools."""


def offer(toolbox: Toolbox, agent: Agent, tools: bytes | None, api: Api, *, intent: bool) -> Offer:
    """Return the tools to offer in place of a request's own. With `intent`, edit tools may get that argument."""
    new, edits = tools, frozenset[str]()
    if agent.intent and tools is not None and intent:
        new, edits = _with_intent(tools, toolbox)
    more = None
    if agent.offer == "hidden" and api.hides_tools:
        more = _with_hidden_tools(b"[]" if new is None else new, api)
    final = new if more is None else more
    return Offer(None if final is tools else final, edits, more is not None)


def _with_hidden_tools(tools: bytes, api: Api) -> bytes | None:
    """Return the tools of a request with the hidden tools appended.

    None if the client has tools of the same names, or if its tools are no list.
    """
    raws = items_of(tools)
    if raws is None or any(b'"%b"' % name.encode() in bytes(tool) for tool in raws for name in TOOLS):
        return None
    more = [msgspec.Raw(msgspec.json.encode(tool)) for tool in SCHEMA[api.name]]
    return msgspec.json.encode([*raws, *more])


def _with_intent(tools: bytes, toolbox: Toolbox) -> tuple[bytes, frozenset[str]]:
    """Return the tools with the argument `intent` for each edit tool, and the names of these edit tools.

    All other tools keep their bytes.
    """
    raws = items_of(tools) or []
    new = list(raws)
    names: set[str] = set()
    for at, raw in enumerate(raws):
        offered, edits = offer_intent([decode_any(bytes(raw))], toolbox)
        if edits:
            new[at] = msgspec.Raw(msgspec.json.encode(offered[0]))
            names |= edits
    return (msgspec.json.encode(new), frozenset(names)) if names else (tools, frozenset())


def guidance(settings: Settings | None = None) -> str:
    """Return the system text for an agent that has `context_prune`; empty if `agent.guidance` is off.

    The text depends on the settings alone. So it is the same in every request, and the prompt cache holds.
    """
    settings = settings or Settings()
    if not settings.agent.guidance:
        return ""
    levels = settings.active_pressure()
    kept = (
        "Edits, writes and todo lists" if settings.strategies.asked.errors else "Failed calls, edits and todo lists"
    )
    return _GUIDANCE.format(
        moderate=f"{levels.moderate:.0%}", high=f"{levels.high:.0%}", critical=f"{levels.critical:.0%}", kept=kept
    )


def mcp_server(info: Callable[[], str], version: str = "") -> MCPServer[Any]:
    """Return an MCP server with both tools. `info` returns the answer to `context_info`.

    `context_prune` only confirms the call, because the proxy reads the call from the history.
    """
    from mcp.server.mcpserver import MCPServer

    made: MCPServer[Any] = MCPServer("prunus", version=version, log_level="ERROR")

    @made.tool(description=_PRUNE_WORDS, structured_output=False)
    def context_prune(action: str, targets: list[list[str]] | list[str] | str) -> str:
        problems = parse({"action": action, "targets": targets}).problems
        return f"{ACKNOWLEDGED} Not understood: {'; '.join(problems)}." if problems else ACKNOWLEDGED

    @made.tool(description=_INFO_WORDS, structured_output=False)
    def context_info() -> str:
        return info()

    return made

"""The tools for agents that speak MCP: they answer at once, and the proxy reads the calls from the history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from prunus.agent.tool import SCHEMA
from prunus.requested.request import parse
from prunus.requested.targets import ACKNOWLEDGED

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["server"]


def server(info: Callable[[], str], version: str = "") -> MCPServer[Any]:
    """An MCP server with both tools; `info` tells what is known of the context, `version` is that of Prunus."""
    from mcp.server.mcpserver import MCPServer

    made: MCPServer[Any] = MCPServer("prunus", version=version, log_level="ERROR")
    words = {tool["name"]: tool["description"] for tool in SCHEMA["mcp"]}

    @made.tool(description=words["context_prune"], structured_output=False)
    def context_prune(action: str, targets: list[list[str]] | list[str] | str) -> str:
        problems = parse({"action": action, "targets": targets}).problems
        return f"{ACKNOWLEDGED} Not understood: {'; '.join(problems)}." if problems else ACKNOWLEDGED

    @made.tool(description=words["context_info"], structured_output=False)
    def context_info() -> str:
        return info()

    return made

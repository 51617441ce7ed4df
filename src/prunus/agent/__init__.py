"""The agent's own part in pruning: the tools `context_prune` and `context_info`, and commands in the chat."""

from prunus.agent.answer import answer, execute
from prunus.agent.tool import SCHEMA, guidance, tool_definitions

__all__ = ["SCHEMA", "answer", "execute", "guidance", "tool_definitions"]

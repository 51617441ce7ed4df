"""What the agent itself may do about its context: its tool, reminders, and commands in the chat."""

from prunus.agent.answer import answer, execute
from prunus.agent.tool import SCHEMA, guidance, tool_definitions

__all__ = ["SCHEMA", "answer", "execute", "guidance", "tool_definitions"]

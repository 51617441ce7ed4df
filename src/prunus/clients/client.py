"""The coding agents that Prunus knows. Each has a folder here, and `ALL` is the one list of them.

A folder holds `tools.py`, the table of the agent's tools, and may hold three more modules:

- `dialect.py`: the words that this agent puts around results and prompts,
- `sessions.py`: where the agent keeps its recorded sessions, and how to read them,
- `launch.py`: how `prunus run` starts the agent behind the proxy.

Tables and dialects are loaded with the library. Sessions and launchers are loaded when a command needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal

Module = Literal["tools", "dialect", "sessions", "launch"]


@dataclass(frozen=True, slots=True)
class Client:
    """One coding agent, named after its folder."""

    name: str

    def module(self, name: Module) -> Any:
        """A module from the agent's folder; None if the agent has no such module."""
        path = f"{__package__}.{self.name}.{name}"
        return import_module(path) if find_spec(path) else None


ALL: Final = tuple(
    map(
        Client,
        (
            "claude_code",
            "codex",
            "opencode",
            "gemini_cli",
            "qwen_code",
            "pi",
            "mini_swe_agent",
            "aider",
            "swe_agent",
            "openhands_sdk",
            "openhands",
            "copilot_cli",
        ),
    )
)
"""The order counts twice: if two agents have a tool of the same name and arguments, the earlier table is used;
if two agents record similar files, the earlier agent is asked first."""


@cache
def modules(name: Module) -> tuple[Any, ...]:
    """That module of every agent that has it."""
    found = (client.module(name) for client in ALL)
    return tuple(module for module in found if module is not None)

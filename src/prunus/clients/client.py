"""The coding agents that Prunus knows; `ALL` is the one list of them.

An agent that has tools is a package with `TOOLS`, the table of its tools. The package may also have `DIALECT`, the
words that this agent puts around results and prompts, and two modules:

- `sessions.py`: where the agent keeps its recorded sessions, and how to read them,
- `launch.py`: how `prunus run` starts the agent behind the proxy, if the usual variables are not enough, and what
  `prunus setup` writes into its settings file.

The packages are loaded with the library. Their modules are loaded when a command needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal

Module = Literal["", "sessions", "launch"]
SessionFolder = tuple[Path, tuple[str, ...]]
"""A folder, and the patterns of the session files in it; `**` is any depth."""


@dataclass(frozen=True, slots=True)
class Client:
    """One coding agent."""

    name: str
    """The name of the agent's package."""
    program: str = ""
    """The program that `prunus run` starts; empty if the agent is not started from a terminal."""
    install: str = ""
    """The command that installs the program."""
    provider: str = "openai"
    """The upstream for requests that do not show which provider they are for."""

    def module(self, name: Module = "") -> Any:
        """The agent's package, or a module in it; None if the agent has no such module."""
        path = f"{__package__}.{self.name}.{name}".rstrip(".")
        try:
            return import_module(path)
        except ModuleNotFoundError as error:
            if error.name and path.startswith(error.name):
                return None
            raise


ALL: Final = (
    Client("claude_code", "claude", "npm install -g @anthropic-ai/claude-code", "anthropic"),
    Client("codex", "codex", "npm install -g @openai/codex"),
    Client("opencode", "opencode", "npm install -g opencode-ai"),
    Client("gemini_cli", "gemini", "npm install -g @google/gemini-cli", "gemini"),
    Client("qwen_code", "qwen", "npm install -g @qwen-code/qwen-code"),
    Client("pi", "pi", "npm install -g @earendil-works/pi-coding-agent", "anthropic"),
    Client("mini_swe_agent", "mini", "pip install mini-swe-agent"),
    Client("aider", "aider", "pip install aider-chat"),
    Client("swe_agent"),
    Client("openhands_sdk"),
    Client("openhands"),
    Client("copilot_cli"),
)
"""The order counts twice: if two agents have a tool of the same name and arguments, the earlier table is used;
if two agents record similar files, the earlier agent's reader is tried first."""


@cache
def modules(name: Module = "") -> tuple[Any, ...]:
    """The package of every agent that has one, or the module of this name in each of these packages."""
    found = (client.module(name) for client in ALL)
    return tuple(module for module in found if module is not None)


@dataclass(frozen=True, slots=True)
class Home:
    """A user's home folder and environment, in which agents look for their own folders."""

    path: Path
    env: Mapping[str, str]

    def named(self, variable: str, otherwise: Path) -> Path:
        """The path that a variable gives, or the other one; `~` is the home folder."""
        first, *rest = Path(self.env.get(variable, "").strip() or otherwise).parts
        return self.path.joinpath(*rest) if first == "~" else Path(first, *rest)

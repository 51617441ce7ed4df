"""How each agent is pointed at the proxy, without touching its files; `CLIENTS` is the one list."""

from collections.abc import Mapping
from typing import Final

from prunus.cli.clients.any_program import AnyProgram
from prunus.cli.clients.claude import Claude
from prunus.cli.clients.client import Client, Launch, Place
from prunus.cli.clients.codex import Codex
from prunus.cli.clients.gemini import Gemini
from prunus.cli.clients.opencode import OpenCode
from prunus.cli.clients.pi import Pi

__all__ = ["CLIENTS", "Client", "Launch", "Place", "client_named"]

CLIENTS: Final[Mapping[str, Client]] = {
    client.name: client
    for client in (
        Claude(),
        Codex(),
        OpenCode(),
        Gemini(),
        AnyProgram("qwen", "npm install -g @qwen-code/qwen-code"),
        Pi(),
        AnyProgram("mini", "pip install mini-swe-agent"),
        AnyProgram("aider", "pip install aider-chat"),
    )
}


def client_named(program: str) -> Client:
    """The client of a program, by the name of its file; any other one gets the usual variables."""
    name = program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    return CLIENTS.get(name) or AnyProgram(name)

"""Drivers of real clients, one file each."""

import os

from tests.e2e.clients.claude import Claude
from tests.e2e.clients.client import Client, Start
from tests.e2e.clients.codex import Codex
from tests.e2e.clients.gemini import GeminiCli
from tests.e2e.clients.mini import Mini
from tests.e2e.clients.opencode import OpenCode
from tests.e2e.clients.pi import Pi

__all__ = ["CLIENTS", "Client", "Start", "asked_for"]

ALL: tuple[Client, ...] = (
    Claude(),
    Claude("claude-opus", model=""),
    Codex(),
    Codex("codex-built-in", built_in=True),
    OpenCode("anthropic"),
    OpenCode("chat"),
    OpenCode("responses"),
    GeminiCli(),
    Pi("anthropic"),
    Pi("chat"),
    Mini(),
)
CLIENTS = {client.name: client for client in ALL}


def asked_for() -> list[str]:
    """The clients that `PRUNUS_E2E_CLIENTS` names, such as `claude,codex`; all of them when it is not set."""
    named = os.environ.get("PRUNUS_E2E_CLIENTS", "").replace(",", " ").split()
    if unknown := sorted(set(named) - set(CLIENTS)):
        raise ValueError(f"PRUNUS_E2E_CLIENTS names {', '.join(unknown)}; known: {', '.join(CLIENTS)}")
    return named or list(CLIENTS)

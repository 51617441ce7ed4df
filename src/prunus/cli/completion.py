"""What the shell offers where a command takes the name of an agent."""

from __future__ import annotations

import click


def agent_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the agents whose name begins with what was typed."""
    from prunus.clients.launcher import launchers

    return [name for name in launchers() if name.startswith(start)]

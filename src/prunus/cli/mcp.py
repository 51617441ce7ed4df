"""`prunus mcp`: offer context_prune and context_info to agents by MCP."""

from __future__ import annotations

import click

from prunus.cli.options import Failure, own_settings, own_version
from prunus.cli.store import existing_store, store_option, tenant_of

_UNKNOWN = "Nothing is known of the context yet. Results that may be pruned end in a line with their id."


@click.command("mcp")
@store_option
def command(url: str | None) -> None:
    """Offer context_prune to an agent over MCP.

    Speaks MCP on standard input and output. The agent must also run behind the proxy (`prunus run`, `prunus
    proxy`, with agent.offer = "mcp"): the proxy shows the ids, and reads the agent's decisions from its calls.

    \b
    Examples:
      claude mcp add prunus -- prunus mcp
      codex -c 'mcp_servers.prunus={command="prunus",args=["mcp"],required=true}'
      prunus run --set agent.offer=mcp claude
    """
    try:
        from prunus.agent.tool import mcp_server

        made = mcp_server(lambda: _info(url), own_version())
    except ImportError as error:
        raise Failure("MCP is not installed: pip install 'prunus[mcp]'") from error
    made.run()


def _info(url: str | None) -> str:
    """Return a text about the newest request that the proxy sent."""

    with existing_store(url) as store:
        known = store is not None and store.keeps_receipts
        newest = store.sessions(tenant_of(store, None), 1) if store is not None and known else []
    if not newest:
        return _UNKNOWN
    settings = own_settings()
    [session] = newest
    window = settings.window_of(session.model)
    used = session.tokens_before if session.shadow else session.tokens_after
    level = settings.active_pressure().level(used, window)
    share = used / window if window else 0.0
    lines = [f"Context: {used:,} of {window:,} tokens, {share:.0%} full; pressure is {level}."]
    if not session.shadow and session.tokens_before > used:
        lines.append(f"Prunus keeps {session.tokens_before - used:,} tokens out of it.")
    lines.append("Results that may be pruned end in a line with their id.")
    return "\n".join(lines)

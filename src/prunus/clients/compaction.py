"""When an agent compacts its history by itself. Pruning under pressure has to come before that."""

from __future__ import annotations

from functools import cache
from typing import Final

from prunus.clients.client import modules

_BEFORE: Final = 1.2
"""A window of so many times the tokens at which the agent compacts is three quarters full a tenth before that."""


def window_before_compaction(client: str, window: int) -> int:
    """Return the tokens of a model's window that count for pressure with this agent.

    Pressure is high from three quarters of the window on. Most agents compact later than that, so the whole window
    counts. `client` is the name that the agent sends with its requests.
    """
    share = next((share for name, share in _shares() if client.startswith(name)), 1.0)
    return min(window, round(_BEFORE * share * window))


@cache
def _shares() -> tuple[tuple[str, float], ...]:
    dialects = (module.DIALECT for module in modules("dialect"))
    return tuple((one.user_agent, one.compacts_at) for one in dialects if one.user_agent)

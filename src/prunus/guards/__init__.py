"""What must stay: every guard is asked once for every edit, in this order."""

from __future__ import annotations

from typing import Final

from prunus.guards.guard import Guard, Hold, Mutes
from prunus.guards.integrity import AlreadyCompacted, BoundReasoning, Definitions, OpenCalls, OpenLoop, SameTurn
from prunus.guards.protection import (
    Critical,
    MinimumGain,
    ProtectedPaths,
    ProtectedTools,
    RecentTurns,
    UnresolvedErrors,
)

__all__ = ["ALL", "Guard", "Hold", "Mutes"]

ALL: Final[tuple[type[Guard], ...]] = (
    OpenCalls,
    Definitions,
    AlreadyCompacted,
    Critical,
    ProtectedTools,
    ProtectedPaths,
    MinimumGain,
    SameTurn,
    RecentTurns,
    UnresolvedErrors,
    OpenLoop,
    BoundReasoning,
)

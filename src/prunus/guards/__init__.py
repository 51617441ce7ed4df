"""The guards protect content that must stay. Every guard checks every proposed edit, in this order."""

from __future__ import annotations

from typing import Final

from prunus.guards.feasible import AlreadyCompacted, BoundReasoning, MinimumGain, OpenCalls
from prunus.guards.guard import Guard
from prunus.guards.protected import Critical, Definitions, ProtectedPaths, ProtectedTools
from prunus.guards.recent import OpenLoop, RecentTurns, SameTurn, UnresolvedErrors

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

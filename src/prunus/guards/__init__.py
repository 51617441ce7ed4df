"""The guards protect content that must stay. Every guard checks every proposed edit, in this order."""

from __future__ import annotations

from typing import Final

from prunus.guards.already_compacted import AlreadyCompacted
from prunus.guards.bound_reasoning import BoundReasoning
from prunus.guards.critical import Critical
from prunus.guards.definitions import Definitions
from prunus.guards.guard import Guard, Hold, Mutes
from prunus.guards.minimum_gain import MinimumGain
from prunus.guards.open_calls import OpenCalls
from prunus.guards.open_loop import OpenLoop
from prunus.guards.protected_paths import ProtectedPaths
from prunus.guards.protected_tools import ProtectedTools
from prunus.guards.recent_turns import RecentTurns
from prunus.guards.same_turn import SameTurn
from prunus.guards.unresolved_errors import UnresolvedErrors

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

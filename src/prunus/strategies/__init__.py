"""The strategies: one file each, and `ALL`, the one ordered list of them.

If several strategies want the same part, the first one in `ALL` whose edit every guard allows gets it. Strategies
that know why a part is dispensable come before those that only know that the part is old or long.
"""

from __future__ import annotations

from typing import Final

from prunus.strategies.asked import Requested
from prunus.strategies.duplicate_calls import DuplicateCalls
from prunus.strategies.finished_inputs import FinishedInputs
from prunus.strategies.finished_results import FinishedResults
from prunus.strategies.folded_views import FoldedViews
from prunus.strategies.long_outputs import LongOutputs
from prunus.strategies.middle_reads import MiddleReads
from prunus.strategies.old_attachments import OldAttachments
from prunus.strategies.old_code_blocks import OldCodeBlocks
from prunus.strategies.old_edits import OldEdits
from prunus.strategies.old_errors import OldErrors
from prunus.strategies.old_results import OldResults
from prunus.strategies.old_snapshots import OldSnapshots
from prunus.strategies.old_thinking import OldThinking
from prunus.strategies.old_todos import OldTodos
from prunus.strategies.old_writes import OldWrites
from prunus.strategies.past_tasks import PastTasks
from prunus.strategies.repeated_fetches import RepeatedFetches
from prunus.strategies.repeated_queries import RepeatedQueries
from prunus.strategies.repeated_views import RepeatedViews
from prunus.strategies.retried_errors import RetriedErrors
from prunus.strategies.shown_lines import ShownLines
from prunus.strategies.spent_inputs import SpentInputs
from prunus.strategies.stale_reads import StaleReads
from prunus.strategies.step_markers import StepMarkers
from prunus.strategies.strategy import Strategy
from prunus.strategies.under_pressure import UnderPressure
from prunus.strategies.unlikely_reads import UnlikelyReads

ALL: Final[tuple[type[Strategy], ...]] = (
    Requested,
    DuplicateCalls,
    ShownLines,
    StaleReads,
    RepeatedViews,
    OldWrites,
    FoldedViews,
    OldEdits,
    MiddleReads,
    RepeatedFetches,
    RepeatedQueries,
    OldTodos,
    OldSnapshots,
    RetriedErrors,
    OldErrors,
    OldResults,
    FinishedResults,
    PastTasks,
    UnlikelyReads,
    LongOutputs,
    OldThinking,
    OldAttachments,
    OldCodeBlocks,
    StepMarkers,
    SpentInputs,
    FinishedInputs,
    UnderPressure,
)


def strategy_named(name: str) -> type[Strategy] | None:
    """Return the strategy of this name, or None."""
    return next((strategy for strategy in ALL if strategy.name == name), None)

"""What every law is tried on: five formats, the presets, and one where everything is on and impatient."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from tests.generate.build import sessions
from tests.generate.encode import SPELLINGS, encode
from tests.generate.render import FORMATS, render
from tests.generate.session import Session

__all__ = ["PRESETS", "bodies", "every_case", "every_format", "every_preset", "fewer", "one_shot"]

_IMPATIENT: Final[dict[str, dict[str, Any]]] = {
    "duplicate_calls": {"point_back": True, "over": 100},
    "shown_lines": {"over": 20},
    "stale_reads": {"after_edits": True},
    "repeated_views": {},
    "old_writes": {"over": 20},
    "folded_views": {"share": 0.0, "least": 1, "idle": 2, "gone": 4},
    "old_edits": {"turns": 1, "run": 2},
    "middle_reads": {"samples": 1},
    "repeated_fetches": {},
    "repeated_queries": {},
    "old_todos": {},
    "old_snapshots": {},
    "retried_errors": {},
    "old_errors": {"turns": 1, "inputs": 1},
    "old_results": {"keep": 1},
    "long_outputs": {"over": 2500, "head": 300, "tail": 300},
    "old_thinking": {"turns": 1},
    "old_attachments": {"turns": 1},
    "old_code_blocks": {"turns": 1},
    "step_markers": {},
    "spent_inputs": {"over": 20},
    "finished_results": {"shell": 1, "search": 1, "idle": 1, "over": 200},
    "finished_inputs": {"idle": 1, "over": 20},
    "past_tasks": {"risk": 1.0, "idle": 1, "over": 100},
    "under_pressure": {"over": 100},
}

PRESETS: Final[dict[str, Settings]] = {
    "auto": Settings(preset="auto", schedule="eager"),
    "acp": Settings(preset="acp", schedule="eager"),
    "smart": Settings(preset="smart", schedule="eager"),
    "everything": Settings(
        schedule="eager",
        strategies={name: {"enabled": True, **fields} for name, fields in _IMPATIENT.items()},
        guards={"unresolved_errors": {"turns": 1}},
    ),
    # The same where the context runs short, so that every level and every trigger of pressure is met.
    "acp, full": Settings(
        preset="acp", window=2_000, pressure={"historical": 400, "aggressive": 800, "thinking": 100}
    ),
    "smart, full": Settings(preset="smart", window=1_500, strategies={"old_edits": {"turns": 0, "run": 2}}),
    "everything, full": Settings(
        schedule="eager",
        strategies={
            **{name: {"enabled": True, **fields} for name, fields in _IMPATIENT.items()},
            "old_edits": {"enabled": True, "run": 2},
            "old_thinking": {"enabled": False},
            "under_pressure": {"enabled": True, "over": 100, "thinking": True},
        },
        guards={"unresolved_errors": {"turns": 1}},
        window=2_500,
        pressure={"relief": 0.02},
    ),
}

every_format = pytest.mark.parametrize("format", list(FORMATS))
every_preset = pytest.mark.parametrize("preset", list(PRESETS))


fewer = settings(max_examples=max(3, (settings.default or settings()).max_examples // 6))
"""For tests that run for each format and preset, or that prune many requests in each example."""


def every_case(test: Any) -> Any:
    """Run a test for each format with each preset."""
    return every_format(every_preset(fewer(test)))


def bodies(format: str) -> st.SearchStrategy[bytes]:
    """Requests of a format, in the different ways that clients write JSON."""
    return st.builds(_body, sessions(), st.just(format), SPELLINGS | st.just("halved"))


def _body(session: Session, format: str, spelling: str) -> bytes:
    return encode(render(session, format), spelling)


def one_shot(body: Any, preset: str) -> Outcome:
    """What a pruner that knows nothing makes of a request; it must not fail."""
    out = Pruner(PRESETS[preset]).prune(body, now=0.0)
    assert out.error is None
    return out

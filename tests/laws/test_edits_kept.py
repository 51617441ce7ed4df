"""Edits kept: what the agent changed stays to be seen in `smart` and `auto`, however long ago it was.

`smart` sums up long runs of old edits on purpose (`old_edits`), so that strategy is off here.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prunus import Pruner, Settings
from tests.files.agents import AGENTS
from tests.laws.test_folds import STEPS, told

LONG_AFTER: Final = [("shell", "ls", None)] * 60
WRITTEN: Final = [("write", 25, None), ("edit", (3, 2, 4), None), ("read", None, None), ("edit", (9, 0, 1), None)]
IN_DOUBT: Final = [
    ("write", 21, None),
    ("edit", (11, 4, 3), None),
    ("shell", "python3 change.py", None),
    ("read", None, None),
    ("edit", (7, 3, 0), None),
]
PRESETS: Final = {
    "smart": Settings(preset="smart", schedule="eager", strategies={"old_edits": {"enabled": False}}),
    "auto": Settings(preset="auto", schedule="eager"),
}
RUN: Final = [("edit", (0, 0, 0), None), ("edit", (1, 0, 1), None), ("edit", (0, 0, 1), None)]


def long_after(start: int, steps: list[Any], name: str) -> tuple[dict[str, Any], list[str]]:
    """A session of which these steps are long past, the user having spoken often, and the file as it is then."""
    *_, (body, truth) = told(start, [*steps, *LONG_AFTER], AGENTS[name])
    for message in body["messages"][2 * len(steps) + 2 :: 10]:
        assert message["role"] == "user"
        message["content"].append({"type": "text", "text": "Now the next one."})
    return body, truth


def calls(body: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls of a request: id and arguments."""
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "tool_use":
                yield part["id"], part["input"]


def outlined(body: Any, id: str) -> bool:
    """Whether an outline of what a call wrote stands behind its result."""
    blocks = (part for message in body["messages"] for part in message["content"] if isinstance(part, dict))
    return any(part.get("tool_use_id") == id and "[Prunus: outline of" in part["content"] for part in blocks)


def missing(body: dict[str, Any], truth: list[str], chosen: Settings) -> list[str]:
    """What was changed, is still so in the file, and cannot be seen any more."""
    outcome = Pruner(chosen).prune(json.loads(json.dumps(body)), now=0.0)
    assert outcome.error is None
    after, shown = dict(calls(outcome.body)), json.dumps(outcome.body)
    lines = {line for line in truth if "value_" in line}
    lost = []
    for id, asked in calls(body):
        if "old_string" in asked:
            brought = [line for line in asked["new_string"].split("\n") if line in lines]
            lost += [line for line in brought if json.dumps(line)[1:-1] not in shown]
        elif "content" in asked and not lines.isdisjoint(asked["content"].split("\n")):
            lost += [] if "content" in after[id] or outlined(outcome.body, id) else [id]
    return lost


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(start=st.integers(5, 40), steps=st.lists(STEPS, min_size=3, max_size=10))
def test_edited_lines_stay_visible(preset: Any, start: int, steps: list[Any]) -> None:
    body, truth = long_after(start, steps, "claude")
    assert missing(body, truth, PRESETS[preset]) == []


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("steps", [WRITTEN, IN_DOUBT, RUN], ids=["followed", "in doubt and read again", "in a row"])
def test_written_and_edited_lines_stay_visible(preset: Any, steps: list[Any]) -> None:
    body, truth = long_after(30, steps, "claude")
    assert missing(body, truth, PRESETS[preset]) == []


@pytest.mark.parametrize(
    "change",
    [
        {strategy: {"written": 0} for strategy in ("folded_views", "finished_inputs", "past_tasks")},
        {"folded_views": {"gone": 20}},
        {"finished_inputs": {"edits": True, "over": 100}, "folded_views": {"enabled": False}},
    ],
)
def test_the_law_is_not_kept_by_doing_nothing(change: Any) -> None:
    body, truth = long_after(30, WRITTEN, "claude")
    assert missing(body, truth, Settings(schedule="eager", strategies=change)) != []

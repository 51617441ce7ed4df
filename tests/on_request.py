"""Tests that run only when their marker is asked for: `-m NAME`. They take minutes, and install real programs."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["is_requested", "leave_out"]


def is_requested(config: pytest.Config, marker: str) -> bool:
    """Whether the command line asks for tests with this marker."""
    return marker in (config.getoption("markexpr") or "")


def leave_out(config: pytest.Config, items: list[pytest.Item], folder: Path, marker: str) -> list[pytest.Item]:
    """Deselect the tests of a folder with this marker, unless they are asked for; returns those that will run."""
    found = [item for item in items if item.get_closest_marker(marker) and folder in item.path.parents]
    if is_requested(config, marker):
        return found
    items[:] = [item for item in items if item not in found]
    config.hook.pytest_deselected(items=found)
    return []

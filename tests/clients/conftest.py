"""Recordings are written to a file and loaded like a user's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prunus.clients.sessions import Session, load

Loaded = Callable[..., tuple[Session, ...]]


@pytest.fixture
def lines(tmp_path: Path) -> Loaded:
    """Load JSON lines; a string among them is written as it is."""

    def loaded(*records: dict[str, Any] | str) -> tuple[Session, ...]:
        path = tmp_path / "talk.jsonl"
        path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
        return load(path)

    return loaded


@pytest.fixture
def document(tmp_path: Path) -> Loaded:
    """Load one JSON document, with text before it if given."""

    def loaded(value: Any, before: str = "") -> tuple[Session, ...]:
        path = tmp_path / "talk.json"
        path.write_text(before + json.dumps(value))
        return load(path)

    return loaded

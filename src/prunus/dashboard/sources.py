"""What the pages are made from."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from prunus.files.state import KnownFile
from prunus.settings import Settings
from prunus.store.store import Store


def _not_held(tenant: str, conversation: str) -> tuple[KnownFile, ...] | None:
    return None


@dataclass(frozen=True, slots=True)
class Sources:
    """The settings and the store, and what only the running proxy knows."""

    settings: Settings
    store: Store
    origins: Mapping[str, str] = field(default_factory=dict)
    """Where each setting comes from, by its key; a setting that is not in here has its built-in value."""
    files: Callable[[str, str], tuple[KnownFile, ...] | None] = _not_held
    """The files that a conversation of a tenant knows; None if this process does not hold the conversation."""
    clock: Callable[[], float] = time.time

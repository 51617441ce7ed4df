"""Faults of Prunus itself: each is counted, and each kind is logged once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final

from prunus.proxy.log import with_fields
from prunus.store.store import StoreError
from prunus.text.printable import printable_logger

LOGGER: Final = printable_logger("prunus.proxy")
_KINDS: Final = 1000


class Faults:
    """Tells of what went wrong in here, while requests go on."""

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._said: set[str] = set()
        self._lock = Lock()

    def report(self, where: str, error: BaseException | str) -> None:
        """Count a fault; one of the same kind is logged only the first time."""
        kind = error.partition(":")[0] if isinstance(error, str) else type(error).__name__
        with self._lock:
            self._count(where)
            key = f"{where}: {kind[:200]}"
            new = key not in self._said and len(self._said) < _KINDS
            if new:
                self._said.add(key)
        if new:
            detail = error if isinstance(error, str) else f"{kind}: {error}"
            # The text of an exception may quote a conversation; that of the system or of the store does not.
            shown = detail if isinstance(error, OSError | StoreError) else kind
            fields = {"event": "fault", "where": where, "error": shown}
            LOGGER.warning(
                "%s failed, requests go on without it (said once): %s",
                where,
                detail,
                extra=with_fields(lambda: fields),
            )

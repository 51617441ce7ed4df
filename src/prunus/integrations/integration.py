"""The base of every integration: a pruner that the whole process shares, and the newest outcome."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeVar

from prunus.errors import SettingsError
from prunus.outcome import Outcome
from prunus.pruner import Pruner
from prunus.settings import Settings

T = TypeVar("T")

_LOG: Final = logging.getLogger("prunus.integrations")
_LOCK: Final = Lock()
_SHARED: Final[list[Pruner]] = []
"""The pruners of this process, one for each value of the settings."""


def shared_pruner(settings: Settings | None = None) -> Pruner:
    """The pruner of this process with these settings.

    A pruner has to see every request of a conversation: a new one for each call would think that nothing is cached.
    """
    wanted = settings or Settings()
    with _LOCK:
        found = next((pruner for pruner in _SHARED if pruner.settings == wanted), None)
        if found is None:
            found = Pruner(wanted)
            _SHARED.append(found)
        return found


class Integration:
    """The base of an integration. It never raises: a history that cannot be pruned is sent as it was."""

    def __init__(
        self, *args: Any, pruner: Pruner | None = None, settings: Settings | None = None, **options: Any
    ) -> None:
        """Without a pruner or settings, the pruner of this process with default settings does the work.

        All other arguments are for the class of the framework that a subclass extends beside this one.
        """
        if pruner is not None and settings is not None:
            raise SettingsError("pruner= and settings= exclude each other: a pruner has settings of its own")
        self.pruner = pruner if pruner is not None else shared_pruner(settings)
        self.last: Outcome[Any] | None = None
        """The newest outcome; None before the first request."""
        self.unmapped = 0
        """Parts of the newest request that Prunus did not see, and that were sent as they were."""
        super().__init__(*args, **options)

    def prune(
        self, body: T, *, format: str | None = None, model: str = "", key: str = "", hold: bool = False
    ) -> Outcome[T]:
        """Prune one body, and keep the outcome as the newest one; see `Pruner.prune` for the arguments."""
        try:
            outcome = self.pruner.prune(body, format=format, model=model, key=key, hold=hold)
        except Exception as error:  # a pruner of the user's own may raise
            return self.failed(body, error)
        return self._keep(outcome)

    def safely(self, given: T, work: Callable[[], T]) -> T:
        """Return the result of the work; if the work raises, the given history or request."""
        try:
            return work()
        except Exception as error:  # whatever fails in here, the request has to go out as it was
            return self.failed(given, error).body

    async def safely_aside(self, given: T, work: Callable[[], T]) -> T:
        """The same beside the event loop, which goes on meanwhile."""
        return await asyncio.to_thread(self.safely, given, work)

    def failed(self, body: T, error: Exception) -> Outcome[T]:
        """The outcome of a request that is sent as it is, because Prunus failed."""
        return self._keep(Outcome(body, fault=error))

    def _keep(self, outcome: Outcome[T]) -> Outcome[T]:
        before = self.last.error if self.last is not None else None
        if outcome.error and outcome.error != before:
            _LOG.warning("a request is sent as it is: %s", outcome.error)
        self.last = outcome
        return outcome

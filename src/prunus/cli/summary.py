"""The summary that `prunus run` prints after the client has ended."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from prunus.history import Ref
from prunus.outcome import Report
from prunus.report.status import Savings, status_line
from prunus.schedule.dollars import Money
from prunus.tally import Notification, Tally

if TYPE_CHECKING:
    from prunus.proxy.exchange import Event

_SAID: Final = 5


class RunSummary:
    """Collects results and warnings while the client uses the terminal."""

    def __init__(self, notification: Notification, money: Money | None = None) -> None:
        self._notification: Notification = notification
        self._money = money or Money(shown=False)
        self._reports: dict[str, Report] = {}
        self._items: dict[tuple[str, Ref | None], str] = {}
        """The tool of each cut call, by conversation and call."""
        self._sums = {False: Savings(), True: Savings()}
        """The savings of pruned requests, and those of shadow requests."""
        self._warnings: list[str] = []

    def add(self, event: Event) -> None:
        """Add a finished request."""
        exchange, report = event.exchange, event.report
        if exchange is None or report is None:
            return
        self._sums[exchange.shadow] = self._sums[exchange.shadow].add(exchange, self._money.of(exchange.model))
        if not exchange.shadow:
            self._reports[exchange.conversation] = report
            for receipt in event.receipts:
                if receipt.tool and not receipt.passed:
                    self._items[exchange.conversation, receipt.item] = receipt.tool

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Collect warnings instead of printing them inside the block."""
        logger = logging.getLogger("prunus")
        handler = _Held(self._warnings)
        propagate = logger.propagate
        logger.addHandler(handler)
        logger.propagate = False
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.propagate = propagate

    def lines(self) -> Iterator[str]:
        """Yield the status line, the savings, and the warnings."""
        if self._notification != "off":
            tallies: dict[str, Tally] = {}
            for report in self._reports.values():
                for name, tally in report.categories.items():
                    tallies[name] = tallies.get(name, Tally()).add(tally.count, tally.tokens)
            line = status_line(Report(categories=tallies), self._notification, [*self._items.values()])
            if line:
                yield line
            yield from (sums.line(shadow=shadow) for shadow, sums in self._sums.items() if sums.requests)
        yield from (f"prunus: {warning}" for warning in self._warnings[:_SAID])


class _Held(logging.Handler):
    def __init__(self, held: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._held = held

    def emit(self, record: logging.LogRecord) -> None:
        if len(self._held) < _SAID:
            self._held.append(record.getMessage())

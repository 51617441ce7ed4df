"""What `prunus proxy` shows in a terminal while it runs, and what `prunus run` says after the client has ended."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from prunus.cli.table import fitting_table
from prunus.history import Ref
from prunus.outcome import Report
from prunus.report.status import Savings, status_line
from prunus.schedule.dollars import Money
from prunus.tally import Notification, Tally
from prunus.text.numbers import short

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

    from prunus.proxy.exchange import Event

_SHOWN: Final = 15
_HEADINGS: Final = ("time", "client", "model", "tokens", "sent", "cached", "status", "s", "")
_SPARE: Final = (7, 5, 1, 0, 8)
"""The columns that a narrow screen omits, in this order."""
_SAID: Final = 5


class LiveTable:
    """A live table of the newest requests, with the sums of all requests."""

    def __init__(self, url: str, notes: tuple[str, ...] = (), money: Money | None = None) -> None:
        self._url = url
        self._money = money or Money(shown=False)
        self._notes = notes
        self._events: deque[Event] = deque(maxlen=_SHOWN)
        self._requests = 0
        self._sums = {False: Savings(), True: Savings()}
        """The savings of pruned requests, and those of shadow requests."""

    def add(self, event: Event) -> None:
        """Add a finished request."""
        self._events.append(event)
        self._requests += 1
        if event.exchange is not None:
            shadow = event.exchange.shadow
            self._sums[shadow] = self._sums[shadow].add(event.exchange, self._money)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the table on the screen inside the block."""
        from rich.live import Live

        with Live(get_renderable=self.draw, refresh_per_second=4):
            yield

    def draw(self) -> RenderableType:
        """Return the current table."""
        from rich.console import Group
        from rich.text import Text

        newest = next((event for event in reversed(self._events) if event.status_line), None)
        lines = [] if newest is None else [f"{_clock(newest)} {newest.status_line}"]
        lines += (sums.line(shadow=shadow) for shadow, sums in self._sums.items() if sums.requests)
        head = f"Prunus on {self._url}, {self._requests:,} requests"
        return Group(
            Text(head), *map(Text, self._notes), _Requests(tuple(map(_row, self._events))), *map(Text, lines)
        )


class _Requests:
    """The table of requests, with as many columns as fit on the screen."""

    def __init__(self, rows: Sequence[tuple[str, ...]]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        lines = fitting_table(
            _HEADINGS, self._rows, options.max_width, right=(3, 4, 5, 6, 7), flexible=(2, 8), spare=_SPARE
        )
        yield from (Text.from_ansi(line) for line in ("", *lines, ""))


def _row(event: Event) -> tuple[str, ...]:
    what = f"{event.what}: {event.why}" if event.why else event.what
    exchange = event.exchange
    clock = _clock(event)
    status, seconds = str(event.status or "gone"), f"{event.seconds:.1f}"
    if exchange is None:
        return clock, event.client, event.path[-28:], "", "", "", status, seconds, what
    cached = short(exchange.usage.cache_read) if exchange.usage is not None else ""
    # A request without an answer has no tokens, because the provider did not count them.
    before, after = (short(tokens) if tokens else "" for tokens in (exchange.tokens_before, exchange.tokens_after))
    return clock, event.client, exchange.model, before, after, cached, status, seconds, what


def _clock(event: Event) -> str:
    return time.strftime("%H:%M:%S", time.localtime(event.time))


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
        self._sums[exchange.shadow] = self._sums[exchange.shadow].add(exchange, self._money)
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

"""The output of a running proxy: a table of requests in a terminal, log lines elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from prunus.cli.table import fitting_table
from prunus.report.status import Savings
from prunus.schedule.dollars import Money
from prunus.text.numbers import short

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

    from prunus.proxy.exchange import Event

_SHOWN: Final = 15
_HEADINGS: Final = ("time", "client", "model", "tokens", "sent", "cached", "status", "s", "")
_SPARE: Final = (7, 5, 1, 0, 8)
"""The columns that a narrow screen omits, in this order."""


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
            self._sums[shadow] = self._sums[shadow].add(event.exchange, self._money.of(event.exchange.model))

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

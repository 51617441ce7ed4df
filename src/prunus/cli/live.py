"""What the proxy shows while it runs: a table of requests in a terminal, log lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

from prunus.cli.table import printable
from prunus.report.numbers import percent, short

if TYPE_CHECKING:
    from rich.console import RenderableType

    from prunus.proxy.exchange import Event

__all__ = ["Board", "log_to_stderr"]

_SHOWN: Final = 15


class Board:
    """The newest requests and the sums of all."""

    def __init__(self, url: str, notes: tuple[str, ...] = ()) -> None:
        self._url = url
        self._notes = notes
        self._events: deque[Event] = deque(maxlen=_SHOWN)
        self._requests = self._before = self._after = 0
        self._cost = self._unpruned = 0.0

    def add(self, event: Event) -> None:
        """Take in a request that is over."""
        self._events.append(event)
        self._requests += 1
        if event.exchange is not None:
            self._before += event.exchange.tokens_before
            self._after += event.exchange.tokens_after
            self._cost += event.exchange.cost
            self._unpruned += event.exchange.cost_unpruned

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Keep the board on the screen."""
        from rich.live import Live

        with Live(get_renderable=self.draw, refresh_per_second=4):
            yield

    def draw(self) -> RenderableType:
        """The board as it stands."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        columns: tuple[tuple[str, Literal["left", "right"]], ...] = (
            ("time", "left"), ("client", "left"), ("model", "left"), ("tokens", "right"), ("sent", "right"),
            ("cached", "right"), ("status", "right"), ("s", "right"), ("", "left"),
        )  # fmt: skip
        for name, side in columns:
            table.add_column(name, justify=side, no_wrap=True, overflow="ellipsis")
        for event in self._events:
            table.add_row(*(Text(printable(cell)) for cell in _row(event)))
        saved = self._before - self._after
        change = f"{short(saved)} of" if saved >= 0 else f"-{short(-saved)} of"
        line = f"{self._requests} requests, {change} {short(self._before)} tokens left out"
        if self._unpruned:
            part = round(self._unpruned - self._cost)
            less = percent(abs(part), round(self._unpruned))
            line += f", cost {less} {'below' if part >= 0 else 'above'} that of not pruning"
        return Group(Text(f"Prunus on {self._url}"), *map(Text, self._notes), table, Text(line))


def _row(event: Event) -> tuple[str, ...]:
    what = f"{event.what}: {event.why}" if event.why else event.what
    exchange = event.exchange
    clock = time.strftime("%H:%M:%S", time.localtime(event.time))
    status, seconds = str(event.status or "gone"), f"{event.seconds:.1f}"
    if exchange is None:
        return clock, event.client, event.path[-28:], "", "", "", status, seconds, what
    cached = short(exchange.usage.cache_read) if exchange.usage is not None else ""
    before, after = short(exchange.tokens_before), short(exchange.tokens_after)
    return clock, event.client, exchange.model, before, after, cached, status, seconds, what


def log_to_stderr(*, verbose: bool, quiet: bool = False) -> None:
    """Write what the proxy says to standard error, one line each."""
    logger = logging.getLogger("prunus")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO)

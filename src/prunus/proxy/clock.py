"""The clock of the proxy, which tests replace."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Tells the time, and waits."""

    def time(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait, and let others run."""
        await asyncio.sleep(seconds)

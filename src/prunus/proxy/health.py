"""The state of the proxy: `/livez`, `/readyz` and `/healthz`.

The proxy is ready even if its store cannot be reached, because requests pass without the store.
"""

from __future__ import annotations

import time
from typing import Final

PATHS: Final = ("/livez", "/readyz", "/healthz")


class Health:
    """Whether the proxy lives, and whether a load balancer should send requests to it."""

    def __init__(self) -> None:
        self._begun = time.time()
        self.draining = False
        """Whether the proxy is ending."""

    def state(self, path: str) -> tuple[int, dict[str, object]]:
        """The status and the JSON of an answer for one of `PATHS`."""
        status = "draining" if self.draining else "ok"
        code = 503 if self.draining and path == "/readyz" else 200
        return code, {"status": status, "uptime": round(time.time() - self._begun, 1)}

"""What can go wrong at the upstream, on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["HEADER", "STATUS", "Fault"]

HEADER: Final = "x-fault"
STATUS: Final = {
    "401": "invalid x-api-key",
    "429": "rate limited",
    "500": "Internal server error",
    "529": "Overloaded",
}
_KINDS: Final = frozenset({*STATUS, "drop", "reset", "stall", "malformed", "cut"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    `401`, `429`, `500`, `529`: that status, in the provider's words. `drop`: the connection closes without an
    answer. `reset`: a TCP reset in mid-stream. `cut`: the stream ends early, as if it were whole. `stall`: nothing
    comes any more. `malformed`: one event that is no JSON and lines that are no events, then the rest. A refused
    connection is not a fault of one request: see `Upstream.refuse`.
    """

    kind: str
    after: int = 3
    """Events that are sent before it, where a stream has begun."""
    seconds: float = 3600.0
    """How long a stall lasts."""
    retry_after: int = 1

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"unknown fault {self.kind!r}; known: {', '.join(sorted(_KINDS))}")

    @classmethod
    def parse(cls, text: str) -> Fault:
        """A fault from a header, such as `reset;after=5`."""
        kind, *rest = text.split(";")
        values = dict(part.split("=", 1) for part in rest)
        return cls(
            kind.strip(),
            after=int(values.get("after", 3)),
            seconds=float(values.get("seconds", 3600.0)),
            retry_after=int(values.get("retry_after", 1)),
        )

"""Sorts strategies and guards by the protocols that they implement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeGuard, TypeVar

K = TypeVar("K")

_IMPLEMENTED: Final[dict[tuple[type, type], bool]] = {}
"""Whether a class implements a protocol.

Each `isinstance` with a protocol looks at all of its names again. That took a fifth of the time of a short request.
"""


def of_kind(ones: Iterable[object], kind: type[K]) -> tuple[K, ...]:
    """Return the strategies or guards that implement a protocol."""
    return tuple(one for one in ones if is_kind(one, kind))


def is_kind(one: object, kind: type[K]) -> TypeGuard[K]:
    """Whether a strategy or a guard implements a protocol."""
    known = _IMPLEMENTED.get((type(one), kind))
    if known is None:
        known = _IMPLEMENTED[type(one), kind] = isinstance(one, kind)
    return known

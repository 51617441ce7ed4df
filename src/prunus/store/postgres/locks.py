"""The locks of a write: advisory locks of Postgres, which all replicas share and which end with the transaction."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b


def lock_statement(names: Sequence[str]) -> tuple[bytes, list[int]]:
    """Return a statement that takes the locks of a write, always in the same order, and its values.

    A write with names shares the lock of the whole store with others. A write without names has it alone.
    """
    keys = sorted({_key(name) for name in names})
    whole = b"pg_advisory_xact_lock_shared(%s)" if names else b"pg_advisory_xact_lock(%s)"
    return b"SELECT " + b", ".join([whole, *[b"pg_advisory_xact_lock(%s)"] * len(keys)]), [_key(""), *keys]


def _key(name: str) -> int:
    digest = blake2b(f"prunus {name}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)

"""A released migration never changes, or stores that were made with it would differ from new ones."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import pytest

from prunus.store.postgres.schema import POSTGRES_MIGRATIONS
from prunus.store.sql.migrations import MIGRATIONS, Migration

SQLITE = [
    "be4816a5",
    "543be820",
    "76040cd9",
    "78b0018f",
    "9b1648e3",
    "5f191aaa",
    "fc576f6e",
    "2e867ba9",
    "e82ab705",
]
POSTGRES = ["5155ca32", "e82ab705"]


def digests(migrations: Sequence[Migration]) -> list[str]:
    """A digest of each migration, whatever its white space."""
    texts = (" ".join(";".join(migration).split()) for migration in migrations)
    return [blake2b(text.encode(), digest_size=4).hexdigest() for text in texts]


@pytest.mark.parametrize(
    ("migrations", "released"), [(MIGRATIONS, SQLITE), (POSTGRES_MIGRATIONS, POSTGRES)], ids=["sqlite", "postgres"]
)
def test_released_migrations_stay_as_they_are(migrations: Sequence[Migration], released: list[str]) -> None:
    assert digests(migrations)[: len(released)] == released

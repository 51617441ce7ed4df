"""The URL of a store, and how it is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from prunus.errors import SettingsError
from prunus.settings import Settings
from prunus.settings.layers import without_secrets
from prunus.settings.tables import StoreSettings
from prunus.store.cipher import Cipher, read_keys
from prunus.store.sql.database import SqlDatabase
from prunus.store.store import Store
from prunus.text.printable import printable_logger

_SCHEME: Final = "sqlite:///"
_POSTGRES: Final = "postgresql://"
_REDIS: Final = ("redis://", "rediss://")


def is_server(url: str) -> bool:
    """Return whether a store is on a server, and not in a file."""
    return url.startswith((_POSTGRES, *_REDIS))


def without_password(url: str) -> str:
    """Return an address as people may see it, without password and options. Other URLs come back unchanged."""
    if not is_server(url):
        return url
    scheme, separator, rest = url.partition("://")
    credentials, at, place = rest.partition("?")[0].rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}{separator}{user}{at if user else ''}{place}"


def default_path() -> Path:
    """Return the path of the store in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("prunus", appauthor=False) / "prunus.db"


def open_store(
    url: str = "",
    settings: Settings | None = None,
    *,
    wait: float = 0.25,
    existing: bool = False,
    say: Callable[[str], None] | None = None,
) -> Store:
    """Return the store of a URL: `sqlite:///PATH`, `postgresql://USER@HOST/DATABASE`, `redis://HOST`, or `off`.

    An empty URL means the file in the user's data directory. This does not open the store yet. While the store is
    unusable every call raises StoreError; later calls work once the problem is gone. A call waits up to `wait`
    seconds for other processes. With `existing` the store creates nothing and leaves a damaged file in place. `say`
    receives a message about a damaged file; by default this goes to the log. Raises StoreError at once if the
    path names a file that is not a database, because then the URL is wrong and the file belongs to somebody else.
    """
    limits = (settings or Settings()).store
    if url == "off":
        from prunus.store.in_memory import InMemoryStore

        return InMemoryStore()
    if url.startswith(_POSTGRES):
        return _open_postgres(url, limits, wait, existing)
    if url.startswith(_REDIS):
        return _open_redis(url, limits, wait, existing)
    if url and (not url.startswith(_SCHEME) or url == _SCHEME):
        shown = without_secrets("store.url", url)
        raise SettingsError(
            f"store.url: {shown!r}: expected {_SCHEME}PATH, {_POSTGRES}HOST/DATABASE, {_REDIS[0]}HOST, off, or "
            "nothing for the default"
        )
    from prunus.store.sqlite.database import Database
    from prunus.store.sqlite.file import check_file

    path = Path(url.removeprefix(_SCHEME)).expanduser() if url else default_path()
    if url:
        check_file(path)
    tell = say or printable_logger("prunus.store").warning
    database = Database(path, wait=wait, existing=existing, own_path=not url, say=tell)
    return _in_database(database, limits)


def _in_database(database: SqlDatabase, limits: StoreSettings) -> Store:
    from prunus.store.sql.store import SqlLedgers, SqlStore

    return (SqlStore if limits.receipts else SqlLedgers)(database, limits, Cipher(read_keys(limits.key)))


def _open_postgres(url: str, limits: StoreSettings, wait: float, existing: bool) -> Store:
    try:
        from prunus.store.postgres.database import PostgresDatabase
    except ImportError as error:
        raise _missing("Postgres", "postgres", error) from error
    return _in_database(PostgresDatabase(url, wait=wait, existing=existing), limits)


def _open_redis(url: str, limits: StoreSettings, wait: float, existing: bool) -> Store:
    try:
        from prunus.store.redis.connections import RedisConnections
        from prunus.store.redis.store import RedisStore
    except ImportError as error:
        raise _missing("Redis", "redis", error) from error
    return RedisStore(RedisConnections(url, wait), limits, Cipher(read_keys(limits.key)), existing=existing)


def _missing(server: str, extra: str, error: ImportError) -> SettingsError:
    return SettingsError(
        f"store.url: a {server} store needs another package: pip install 'prunus[{extra}]' ({error})"
    )

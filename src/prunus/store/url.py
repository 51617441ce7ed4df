"""The URL of a store, and how it is opened."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from prunus.errors import SettingsError
from prunus.settings import Settings
from prunus.settings.layers import without_secrets
from prunus.settings.tables import StoreSettings
from prunus.store.cipher import Cipher, read_keys
from prunus.store.sql.database import SqlDatabase
from prunus.store.store import Store

_SCHEME: Final = "sqlite:///"
_POSTGRES: Final = "postgresql://"
_REDIS: Final = ("redis://", "rediss://")
_HOST: Final = re.compile(r"(\[[^]]*\]|[^]:@\[]*)(:[0-9]*)?")


def is_server(url: str) -> bool:
    """Return whether a store is on a server, and not in a file."""
    return url.startswith((_POSTGRES, *_REDIS))


def without_password(url: str) -> str:
    """Return an address as people may see it, without password and options. Other URLs come back unchanged."""
    if not is_server(url):
        return url
    scheme, separator, rest = url.partition("://")
    # The options begin behind the password, because Postgres takes a question mark before the @ as part of it.
    options = rest.find("?", rest.partition("/")[0].rfind("@") + 1)
    credentials, at, place = (rest if options < 0 else rest[:options]).rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}{separator}{user}{at if user else ''}{place}"


def default_path() -> Path:
    """Return the path of the store in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("prunus", appauthor=False) / "prunus.db"


def open_store(
    url: str = "", settings: Settings | None = None, *, wait: float = 0.25, existing: bool = False
) -> Store:
    """Return the store of a URL: `sqlite:///PATH`, `postgresql://USER@HOST/DATABASE`, `redis://HOST`, or `off`.

    An empty URL means the file in the user's data directory. This does not open the store yet. While the store is
    unusable every call raises StoreError; later calls work once the problem is gone. A call waits up to `wait`
    seconds for other processes. With `existing` the store creates nothing and leaves a damaged file in place.
    Raises StoreError at once if the path names a file that is not a database, because then the URL is wrong and the
    file belongs to somebody else.
    """
    settings = settings or Settings()
    limits = settings.store
    if url == "off":
        from prunus.store.in_memory import InMemoryStore

        return InMemoryStore()
    if is_server(url):
        return _open_server(url, limits, wait, existing)
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
    # The workers of a proxy share the file: what one of them cuts while it is locked, the others do not know.
    shared = settings.proxy.workers > 1
    return _in_database(Database(path, wait=wait, existing=existing, own_path=not url, shared=shared), limits)


def _open_server(url: str, limits: StoreSettings, wait: float, existing: bool) -> Store:
    name = "Postgres" if url.startswith(_POSTGRES) else "Redis"
    try:
        if name == "Postgres":
            _check_hosts(url)
            from prunus.store.postgres.database import PostgresDatabase

            return _in_database(PostgresDatabase(url, wait=wait, existing=existing), limits)
        from prunus.store.redis.connections import RedisConnections
        from prunus.store.redis.store import RedisStore

        return RedisStore(RedisConnections(url, wait), limits, Cipher(read_keys(limits.key)), existing=existing)
    except ImportError as error:
        raise SettingsError(
            f"store.url: a {name} store needs another package: pip install 'prunus[{name.lower()}]' ({error})"
        ) from error


def _check_hosts(url: str) -> None:
    """Raise SettingsError if a part of the password would be taken as a host or port, which messages show."""
    authority = url.removeprefix(_POSTGRES).partition("/")[0]
    # As the driver reads it: the password ends at the first @.
    hosts = authority.partition("@")[2] if "@" in authority else authority
    if not all(map(_HOST.fullmatch, hosts.partition("?")[0].split(","))):
        raise SettingsError(
            "store.url: this is not a valid address of a Postgres database; in a password, write @ as %40, "
            ": as %3A, / as %2F and ? as %3F"
        )


def _in_database(database: SqlDatabase, limits: StoreSettings) -> Store:
    from prunus.store.sql.ledgers import SqlLedgers
    from prunus.store.sql.store import SqlStore

    return (SqlStore if limits.receipts else SqlLedgers)(database, limits, Cipher(read_keys(limits.key)))

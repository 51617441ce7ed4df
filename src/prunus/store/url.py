"""Open the store of a URL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from prunus.errors import SettingsError
from prunus.printable import printable_logger
from prunus.settings import Settings
from prunus.store.store import Store

_SCHEME: Final = "sqlite:///"


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
    """Return the store of a URL: `sqlite:///PATH`, `off`, or empty for the file in the user's data directory.

    This does not open the file yet. While the store is unusable every call raises StoreError; later calls work once
    the problem is gone. A call waits up to `wait` seconds for other processes. With `existing` the store creates no
    file and leaves a damaged file in place. `say` receives a message about a damaged file; by default the message
    goes to the log. Raises StoreError at once if the path names a file that is not a database, because then the URL
    is wrong and the file belongs to somebody else.
    """
    limits = (settings or Settings()).store
    if url == "off":
        from prunus.store.in_memory import InMemoryStore

        return InMemoryStore()
    if url and (not url.startswith(_SCHEME) or url == _SCHEME):
        raise SettingsError(f"store.url: {url!r}: expected {_SCHEME}PATH, off, or nothing for the default")
    from prunus.store.database import Database
    from prunus.store.file import check_file
    from prunus.store.sql_store import SqlStore

    path = Path(url.removeprefix(_SCHEME)).expanduser() if url else default_path()
    if url:
        check_file(path)
    tell = say or printable_logger("prunus.store").warning
    return SqlStore(Database(path, wait=wait, existing=existing, own_path=not url, say=tell), limits)

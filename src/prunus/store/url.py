"""Which store is meant by a URL."""

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
    """The file in the user's data directory."""
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
    """The store of a URL: `sqlite:///PATH`, `off`, or empty for the file in the user's data directory.

    Nothing is opened yet: a store that cannot be used says so at each call, and works once it can be. `wait` is
    for how many seconds a call may wait for others; with `existing` nothing is created, and a damaged file stays
    where it is; `say` is told in words what happened to a damaged one, instead of the log. A file that is no
    database at all raises StoreError here: it is somebody's file, and a wrong URL.
    """
    limits = (settings or Settings()).store
    if url == "off":
        from prunus.store.nothing import Nothing

        return Nothing()
    if url and (not url.startswith(_SCHEME) or url == _SCHEME):
        raise SettingsError(f"store.url: {url!r}: expected {_SCHEME}PATH, off, or nothing for the default")
    from prunus.store.database import Database
    from prunus.store.file import check_file
    from prunus.store.sqlite import Sqlite

    path = Path(url.removeprefix(_SCHEME)).expanduser() if url else default_path()
    if url:
        check_file(path)
    tell = say or printable_logger("prunus.store").warning
    return Sqlite(Database(path, wait=wait, existing=existing, own_path=not url, say=tell), limits)

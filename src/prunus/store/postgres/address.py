"""The address of a Postgres store, `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS`."""

from __future__ import annotations

from prunus.errors import SettingsError


def without_password(url: str) -> str:
    """Return an address as people may see it, without password and options. Other URLs come back unchanged."""
    scheme, separator, rest = url.partition("://")
    if scheme != "postgresql":
        return url
    credentials, at, place = rest.partition("?")[0].rpartition("@")
    return f"{scheme}{separator}{credentials.partition(':')[0]}{at}{place}"


def check_address(url: str) -> None:
    """Raise SettingsError if Postgres does not understand an address."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except psycopg.Error:
        # The error may quote the password.
        raise SettingsError("store.url: this is not a valid address of a Postgres database") from None

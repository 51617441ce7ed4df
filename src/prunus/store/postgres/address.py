"""Check the address of a Postgres store."""

from __future__ import annotations

from prunus.errors import SettingsError


def check_address(url: str) -> None:
    """Raise SettingsError if Postgres does not understand an address."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except psycopg.Error:
        # The error may quote the password.
        raise SettingsError("store.url: this is not a valid address of a Postgres database") from None

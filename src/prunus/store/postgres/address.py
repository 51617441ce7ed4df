"""The address of a Postgres store."""

from __future__ import annotations

import psycopg
from psycopg.conninfo import conninfo_to_dict

from prunus.errors import SettingsError


def without_password(url: str) -> str:
    """Return the address of a store as people may see it."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        # The error may quote the password.
        raise SettingsError("store.url: this is not a valid address of a Postgres database") from None
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host') or ''}{port}/{parts.get('dbname') or ''}"

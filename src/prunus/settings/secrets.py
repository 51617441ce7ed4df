"""Settings that nobody may read on a screen, in a log or in an error."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlsplit

_SECRET: Final = re.compile(r"(?:proxy\.token|store\.key)(?:\[\d+\])?")


def without_secrets(key: str, value: Any) -> Any:
    """Return a value that may be shown on a screen: no token, no key, no user or password of an address."""
    if _SECRET.fullmatch(key):
        return "(set)" if value else ""
    if isinstance(value, list | tuple):
        return [without_secrets(key, one) for one in value]
    if isinstance(value, str) and "://" in value and ("@" in value or "password" in value):
        name, equals, address = value.partition("=") if "=" in value.partition("://")[0] else ("", "", value)
        try:
            parts = urlsplit(address)
            host = parts.netloc.rpartition("@")[2]
        except ValueError:
            return "(not shown)"
        query = "" if "password" in parts.query else parts.query
        return f"{name}{equals}{parts._replace(netloc=host, query=query).geturl()}"
    return value

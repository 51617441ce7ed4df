"""Where the keys of `store.key` are: in a file, in a variable of the environment, or in the setting itself."""

from __future__ import annotations

import os
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from prunus.errors import SettingsError

_SIZE: Final = 32


def read_keys(given: str | Sequence[str]) -> tuple[bytes, ...]:
    """Return the keys, the one that encrypts first. Raises SettingsError, which never quotes a key."""
    return tuple(_read(one) for one in ((given,) if isinstance(given, str) else given) if one)


def _read(given: str) -> bytes:
    kind, separator, name = given.partition(":")
    if not separator:
        return _decode(given, "store.key")
    if kind == "env":
        text = os.environ.get(name, "")
        if not text:
            raise SettingsError(f"store.key: {given}: this variable is not set")
    else:
        try:
            text = Path(name).expanduser().read_text("ascii", "replace")
        except OSError as error:
            raise SettingsError(f"store.key: {given}: {error.strerror}") from error
    return _decode(text, f"store.key: {given}")


def _decode(text: str, where: str) -> bytes:
    standard = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
    try:
        key = b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (Base64Error, ValueError):
        key = b""
    if len(key) != _SIZE:
        raise SettingsError(
            f"{where}: expected {_SIZE} random bytes in base64, such as `openssl rand -base64 {_SIZE}` prints"
        )
    return key

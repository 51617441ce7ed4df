"""Encrypt what the store keeps of the words of a conversation, with AES-GCM and the keys of `store.key`.

An encrypted value is a mark, the first bytes of a hash of its key, a random nonce, and the ciphertext. The context
of the value, such as its tenant and digest, is authenticated: a value that was moved elsewhere does not decrypt.
Values that were written without a key stay readable.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prunus.errors import SettingsError
from prunus.store.store import StoreError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_MARK: Final = b"\0p1"
"""Values without encryption are JSON, or compressed by zlib: they never begin so."""
_NAME: Final = 4
"""Bytes of the hash that tells which key a value needs."""
ABOUT_KEY: Final = len(_MARK) + _NAME
"""The first bytes of a value that tell whether and by which key it is encrypted."""
_KEY_SIZE: Final = 32
"""Bytes of a key."""
_NONCE: Final = 12
_TEXT: Final = "encrypted:"
"""The beginning of an encrypted text; the rest is base64."""
_UNREADABLE: Final = "(encrypted)"
"""Stands for a text that no key decrypts."""


class WrongKey(StoreError):
    """A value is encrypted, and `store.key` does not decrypt it."""


class Cipher:
    """Encrypts with the first key and decrypts with all; without keys it encrypts nothing."""

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        self._keys: dict[bytes, AESGCM] = {}
        self._first = b""
        self._secret = keys[0] if keys else b""
        if not keys:
            return
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise SettingsError(
                f"store.key: encryption needs another package: pip install 'prunus[encrypted]' ({error})"
            ) from error
        self._first = _name(keys[0])
        self._keys = {_name(key): AESGCM(key) for key in keys}

    def encrypt(self, data: bytes, *context: str) -> bytes:
        """Return a value as it is stored. Empty values stay empty."""
        return self._encrypt(os.urandom(_NONCE), data, context) if self._keys and data else data

    def encrypt_text(self, text: str, *context: str) -> str:
        """Return a text as it is stored in a column for texts; equal texts look equal, for grouping."""
        if not self._keys or not text:
            return text
        data = text.encode("utf-8", "surrogatepass")
        # A nonce that follows from the text is used twice only for the same text.
        told = _authenticated(context) + b"\0" + data
        nonce = blake2b(told, digest_size=_NONCE, key=self._secret, person=b"prunus nonce").digest()
        return _TEXT + b64encode(self._encrypt(nonce, data, context)).decode()

    def decrypt_text(self, text: str, *context: str) -> str:
        """Return a stored text as it was, or a mark if no key fits: numbers beside it are worth showing anyway."""
        if not text.startswith(_TEXT):
            return text
        try:
            data = self.decrypt(b64decode(text.removeprefix(_TEXT)), *context)
        except (WrongKey, Base64Error):
            return _UNREADABLE
        return data.decode("utf-8", "surrogatepass")

    def _encrypt(self, nonce: bytes, data: bytes, context: Sequence[str]) -> bytes:
        hidden = self._keys[self._first].encrypt(nonce, data, _authenticated(context))
        return b"".join((_MARK, self._first, nonce, hidden))

    def decrypt(self, data: bytes, *context: str) -> bytes:
        """Return a stored value as it was. Raises WrongKey if no key fits."""
        if not data.startswith(_MARK):
            return data
        name, rest = data[len(_MARK) : ABOUT_KEY], data[ABOUT_KEY:]
        if not self._keys:
            raise WrongKey("the store is encrypted, and no store.key is set")
        if name not in self._keys:
            raise WrongKey("the store is encrypted with another key than store.key has")
        from cryptography.exceptions import InvalidTag

        try:
            return self._keys[name].decrypt(rest[:_NONCE], rest[_NONCE:], _authenticated(context))
        except (InvalidTag, ValueError) as error:
            raise WrongKey("an encrypted value of the store is damaged, or was moved from elsewhere") from error


def _name(key: bytes) -> bytes:
    return blake2b(key, digest_size=_NAME, person=b"prunus key name").digest()


def _authenticated(context: Sequence[str]) -> bytes:
    return json.dumps(context).encode()


def read_keys(given: str | Sequence[str]) -> tuple[bytes, ...]:
    """Return the keys, the one that encrypts first. Raises SettingsError, which never quotes a key."""
    return tuple(_read_key(one) for one in ((given,) if isinstance(given, str) else given) if one)


def _read_key(given: str) -> bytes:
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
    if len(key) != _KEY_SIZE:
        raise SettingsError(
            f"{where}: expected {_KEY_SIZE} random bytes in base64, "
            f"such as `openssl rand -base64 {_KEY_SIZE}` prints"
        )
    return key

"""The types in which a body may be given, and comes back."""

from __future__ import annotations

from typing import Any

from prunus.errors import FormatError


def as_read(body: Any) -> Any:
    """The body as bytes or as parsed objects."""
    match body:
        case bytes() | dict() | list():
            return body
        case bytearray() | memoryview():
            return bytes(body)
        case str():
            try:
                return body.encode()
            except UnicodeEncodeError as error:
                raise FormatError(f"text that is not valid Unicode: {error.reason}") from error
    raise FormatError(f"a body of type {type(body).__name__}; expected dict, list, str or bytes")


def as_given(body: Any, pruned: Any) -> Any:
    """A pruned body in the type in which the body was given."""
    match body:
        case str():
            return pruned.decode()
        case bytearray():
            return bytearray(pruned)
        case memoryview():
            return memoryview(pruned)
    return pruned


def admit(size: int, limit: int) -> None:
    """Raise for a body over the limit; bytes before they are looked at, objects once their size is known."""
    if size > limit:
        raise FormatError(f"a body of {size:,} bytes; the limit is {limit:,}")

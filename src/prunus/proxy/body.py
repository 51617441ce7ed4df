"""Request bodies: read up to a limit, and freed of their content encoding."""

from __future__ import annotations

import zlib
from typing import Final

from prunus.errors import FormatError

_STEP: Final = 1 << 20


def decoded(raw: bytes, encoding: str, limit: int) -> bytes:
    """The JSON of a body; refuses an encoding that is not known, and what grows beyond the limit."""
    match encoding.strip().lower():
        case "" | "identity":
            return raw
        case "gzip" | "x-gzip":
            return _inflated(raw, zlib.MAX_WBITS | 16, limit)
        case "deflate":
            return _inflated(raw, zlib.MAX_WBITS, limit)
        case "zstd":
            return _unpacked(raw, limit)
    raise FormatError(f"content encoding {encoding!r} is not known")


def _inflated(raw: bytes, bits: int, limit: int) -> bytes:
    decoder = zlib.decompressobj(bits)
    try:
        body = decoder.decompress(raw, limit + 1)
    except zlib.error as error:
        raise FormatError(f"a body that cannot be decompressed: {error}") from error
    if len(body) > limit:
        raise FormatError(f"a body of more than {limit:,} bytes when decompressed")
    if not decoder.eof or decoder.unused_data:
        raise FormatError("a body whose compressed data does not end where it should")
    return body


def _unpacked(raw: bytes, limit: int) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise FormatError("content encoding zstd needs the package zstandard") from error
    pieces = bytearray()
    try:
        with zstandard.ZstdDecompressor().stream_reader(raw) as reader:
            while piece := reader.read(_STEP):
                pieces += piece
                if len(pieces) > limit:
                    raise FormatError(f"a body of more than {limit:,} bytes when decompressed")
    except zstandard.ZstdError as error:
        raise FormatError(f"a body that cannot be decompressed: {error}") from error
    return bytes(pieces)

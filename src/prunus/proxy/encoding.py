"""Content encodings: of whole request bodies, and of answers as they stream.

If Prunus has to read an answer, it asks the provider for one without an encoding. Some providers encode it anyway.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import brotli  # type: ignore[import-untyped]
import zstandard

from prunus.errors import FormatError


class Decoder(Protocol):
    """Takes one encoding from the bytes of an answer."""

    def feed(self, chunk: bytes) -> bytes:
        """What is readable with this chunk; raises what its library raises for bytes that are not so encoded."""


def can_decode(encoding: str) -> bool:
    """Whether answers in a content encoding can be read."""
    return all(coding in _DECODERS for coding in _codings(encoding))


def decoder_of(encoding: str) -> Decoder:
    """The decoder of a content encoding that can be read; several are undone from the last one on."""
    return _Chain([_DECODERS[coding]() for coding in reversed(_codings(encoding))])


def _codings(encoding: str) -> list[str]:
    named = (coding.strip().lower() for coding in encoding.split(","))
    return [coding for coding in named if coding not in ("", "identity")]


class _Chain:
    def __init__(self, decoders: Sequence[Decoder]) -> None:
        self._decoders = decoders

    def feed(self, chunk: bytes) -> bytes:
        for decoder in self._decoders:
            chunk = decoder.feed(chunk)
        return chunk


class _Gzip:
    """A stream may be made of several members."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def feed(self, chunk: bytes) -> bytes:
        pieces = []
        while chunk:
            if self._member.eof:
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            pieces.append(self._member.decompress(chunk))
            chunk = self._member.unused_data
        return b"".join(pieces)


class _Deflate:
    """Zlib by its name (RFC 9110, 8.4.1.2); some servers send the bare data instead."""

    def __init__(self) -> None:
        self._head = b""
        self._data: zlib._Decompress | None = None

    def feed(self, chunk: bytes) -> bytes:
        if self._data is None:
            chunk = self._head = self._head + chunk
            if len(chunk) < 2:
                return b""
            wrapped = chunk[0] & 0x0F == 8 and int.from_bytes(chunk[:2], "big") % 31 == 0
            self._data = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        return self._data.decompress(chunk)


class _Brotli:
    def __init__(self) -> None:
        self._data = brotli.Decompressor()

    def feed(self, chunk: bytes) -> bytes:
        found: bytes = self._data.process(chunk)
        return found


class _Zstd:
    """A stream may be made of several frames."""

    def __init__(self) -> None:
        self._data = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)

    def feed(self, chunk: bytes) -> bytes:
        return self._data.decompress(chunk)


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


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

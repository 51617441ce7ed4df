"""Packed files: gzip, zstd, xz and bzip2, recognised by their first bytes.

A small packed file can unpack to any size, so nothing here reads more than a limit into memory.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from typing import IO, Final, cast

import zstandard

from prunus.errors import FormatError

LARGEST: Final = 1 << 30
"""The most bytes of one unpacked recording."""
MAGIC: Final = 6
"""As many first bytes tell how a file is packed."""
DAMAGED: Final = (EOFError, OSError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
"""What a damaged packed file raises."""


def opened(file: IO[bytes], first: bytes) -> IO[bytes]:
    """Return a file that reads the unpacked bytes; `first` are the first bytes of the packed file."""
    if first.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    if first.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(file)
    if first.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return file


def unpack(data: bytes, name: str, largest: int = LARGEST) -> bytes:
    """Return the unpacked content of a file; a file that is not packed stays as it is.

    Raises FormatError if the file is damaged, or unpacks to more than `largest` bytes.
    """
    file = opened(io.BytesIO(data), data[:MAGIC])
    if isinstance(file, io.BytesIO):
        return data
    try:
        found = file.read(largest + 1)
    except DAMAGED as error:
        raise FormatError(f"{name}: cannot be unpacked: {error}") from error
    if len(found) > largest:
        raise FormatError(f"{name}: unpacks to more than {largest:,} bytes")
    return found

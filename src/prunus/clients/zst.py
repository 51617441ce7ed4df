"""Reads zstd, and notices a cut file: the reader of the package ends there as if the file were whole."""

from __future__ import annotations

import io
from typing import IO, Any, Final

import zstandard

_STEP: Final = 1 << 10
"""The packed bytes that are unpacked at once; even zeros do not unpack to more than 32 MiB then."""


class ZstdFile(io.RawIOBase):
    """The unpacked bytes of a file of zstd frames. Reading raises EOFError if the last frame is cut."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False
        self._packed = b""
        self._unpacked = io.BytesIO()

    def readable(self) -> bool:
        """Return whether the file can be read, as a file of Python has to."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, or a part of it; return 0 at the end of the file."""
        while not (count := self._unpacked.readinto(buffer)):
            packed = self._packed or self._file.read(_STEP)
            if not packed and self._begun:
                raise EOFError("the file is cut")
            if not packed:
                return 0
            self._unpacked = io.BytesIO(self._frame.decompress(packed))
            self._begun, self._packed = not self._frame.eof, self._frame.unused_data
            if self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
        return count

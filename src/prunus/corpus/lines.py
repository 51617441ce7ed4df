"""JSON lines of an organisation's traces, divided into sessions without holding the file in memory.

The first pass writes down to which session each line belongs, in 16 bytes; the second one reads the lines of one
session after the other. Files of other kinds, such as the sessions of a coding agent, stay whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import IO, Final

from prunus.clients.api_trace import conversation_of
from prunus.clients.api_trace import recognise as is_exchange
from prunus.clients.client import modules
from prunus.clients.recorded_file import JsonObject, Recording, decode_object
from prunus.clients.saved_requests import saved_body
from prunus.clients.trace_rows import recognise as is_trace_row
from prunus.clients.trace_rows import session_of
from prunus.corpus.source import Source, Wanted, name_of

_SUFFIXES: Final = (".jsonl", ".ndjson")
_LONGEST: Final = 1 << 28
"""The most bytes of a first line."""


def line_sources(path: Path, wanted: Wanted) -> Iterator[Source] | None:
    """Return one source for each session of a file of traces; None for a file of another kind."""
    if path.suffix not in _SUFFIXES:
        return None
    with path.open("rb") as file:
        first = decode_object(file.readline(_LONGEST))
    return _divided(path, wanted) if first and _is_trace(first) else None


def _is_trace(row: JsonObject) -> bool:
    """Whether a line is a request, or a row that holds one; the lines of an agent's own recordings are not."""
    recording = Recording("", None, (row, row))
    if any(module.recognise(recording) for module in modules("sessions")):
        return False
    return is_exchange(recording) or is_trace_row(recording) or saved_body(row) is not None


def _divided(path: Path, wanted: Wanted) -> Iterator[Source]:
    keys, offsets = array("Q"), array("Q")
    with path.open("rb") as file:
        key = offset = 0
        for line in file:
            if line.strip():
                row = decode_object(line)
                # A damaged line goes with the line before it, whose session then says that it was skipped.
                key = key if row is None else _key(row, offset)
                keys.append(key)
                offsets.append(offset)
            offset += len(line)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        for key, group in groupby(order, keys.__getitem__):
            name = name_of(path, f"#{key:016x}")
            if wanted(name):
                data = b"".join(_line(file, offsets[index]) for index in group)
                yield Source(name, path, data, len(data), f"{path.stem}#{key:016x}")


def _key(row: JsonObject, offset: int) -> int:
    """A number for the session of a row: by its name or its beginning, else by its place in the file."""
    named = session_of(row)
    if named is not None:
        said = b"session " + named.encode(errors="surrogatepass")
    else:
        exchange = is_exchange(Recording("", None, (row,)))
        said = (conversation_of(row) if exchange else None) or b"line %d" % offset
    return int.from_bytes(blake2b(said, digest_size=8).digest(), "big")


def _line(file: IO[bytes], offset: int) -> bytes:
    file.seek(offset)
    return file.readline().rstrip(b"\n") + b"\n"

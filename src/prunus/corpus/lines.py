"""JSON lines of an organisation's traces, divided into sessions without holding the file in memory.

The first pass writes down to which session each line belongs, in 24 bytes; the second one reads the lines of one
session after the other. Files of other kinds, such as the sessions of a coding agent, stay whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, groupby
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
_FIRST: Final = 14
"""The first bits of a number, by which numbers are distributed; the others are compared."""
_REST: Final = 64 - _FIRST


def line_sources(path: Path, wanted: Wanted) -> Iterator[Source] | None:
    """Return one source for each session of a file of traces; None for a file of another kind."""
    if path.suffix.lower() not in _SUFFIXES:
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
        for key, group in groupby(in_order(keys), keys.__getitem__):
            name = name_of(path, f"#{key:016x}")
            if wanted(name):
                data = b"".join(_line(file, offsets[index]) for index in group)
                yield Source(name, path, data, len(data), f"{path.stem}#{key:016x}")


def in_order(keys: Sequence[int]) -> Iterator[int]:
    """Yield the indexes of numbers of 64 bits in the order of the numbers; equal numbers keep theirs.

    `sorted` would take a hundred bytes for each of them. So they are first distributed by their first bits.
    """
    ends = list(accumulate(_counts(keys)))
    starts = [0, *ends[:-1]]
    order, free = array("Q", bytes(8 * len(keys))), starts.copy()
    for index, key in enumerate(keys):
        part = key >> _REST
        order[free[part]] = index
        free[part] += 1
    for start, end in zip(starts, ends, strict=True):
        yield from sorted(order[start:end], key=keys.__getitem__)


def _counts(keys: Iterable[int]) -> list[int]:
    """Return how many numbers begin with each of the possible first bits."""
    counts = [0] * (1 << _FIRST)
    for key in keys:
        counts[key >> _REST] += 1
    return counts


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

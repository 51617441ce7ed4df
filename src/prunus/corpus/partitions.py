"""Lines of many sessions in any order, brought together on disk.

A line goes to one of several packed files, by the hash of its session. Then each file, which holds all lines of its
sessions, is small enough to be sorted in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import zstandard

from prunus.corpus.shard import stable_hash

_EACH: Final = 128_000_000
"""The bytes of lines that one file shall hold."""
_MOST: Final = 256
"""The most files."""


def together(lines: Iterable[tuple[str, bytes]], size: int, folder: Path) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each session with its lines in their order; `size` are the bytes of all lines, about."""
    count = min(_MOST, 1 + size // _EACH)
    paths = [folder / f"{number}.zst" for number in range(count)]
    with ExitStack() as stack:
        files = [
            stack.enter_context(
                zstandard.ZstdCompressor(level=1).stream_writer(stack.enter_context(path.open("wb")))
            )
            for path in paths
        ]
        for session, line in lines:
            name = session.encode(errors="surrogatepass")
            files[stable_hash(session) % count].write(b"%d %d\n%s%s" % (len(name), len(line), name, line))
    for path in paths:
        sessions: dict[str, list[bytes]] = {}
        for session, line in _read(path):
            sessions.setdefault(session, []).append(line)
        path.unlink()
        while sessions:
            session = next(iter(sessions))
            yield session, sessions.pop(session)


def _read(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as file:
        data = file.read()
    place = 0
    while place < len(data):
        end = data.index(b"\n", place)
        name, line = map(int, data[place:end].split())
        start = end + 1
        yield data[start : start + name].decode(errors="surrogatepass"), data[start + name : start + name + line]
        place = start + name + line

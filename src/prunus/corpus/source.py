"""One recording of a corpus: a file, a member of an archive, or the rows of one session in a table.

A shard is one part of a corpus, chosen by the names of its recordings, so that many machines can share the work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from prunus.clients.recorded_file import Session, decode_recording, unpack
from prunus.clients.sessions import sessions_in, stream
from prunus.errors import FormatError, SettingsError
from prunus.text.printable import whole_text

Wanted = Callable[[str], bool]
"""Whether the source of this name shall be read; asked before the content is."""


@dataclass(frozen=True, slots=True)
class Source:
    """One recording; small, so that it can be sent to a worker."""

    name: str
    """The path as it was given; behind it `!member` of an archive or `#session` of a table."""
    path: Path
    """The file that holds the recording."""
    data: bytes | None = None
    """The content, if it is only a part of the file."""
    size: int = 0
    """The bytes of the file that this recording takes up."""
    title: str = ""
    """The name of the recording's sessions; that of the file if empty."""
    problem: str = ""
    """Why the content cannot be read; empty if it can."""

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions. Raises FormatError or OSError if there are none, or none any more."""
        self._check()
        if self.data is None:
            yield from stream(self.path)
        else:
            content = unpack(self.data, self.name)
            yield from sessions_in(decode_recording(self.title or self.path.name, content), self.name)

    def content(self) -> bytes:
        """Return the unpacked bytes of the recording. Raises FormatError or OSError if it cannot be read."""
        self._check()
        return unpack(self.path.read_bytes() if self.data is None else self.data, self.name)

    def _check(self) -> None:
        if self.problem:
            raise FormatError(f"{self.name}: {self.problem}")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` of `count` parts, counted from 1."""

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def holds(self, name: str) -> bool:
        """Return whether a recording belongs to this part: a question of its name alone, on any machine."""
        return stable_hash(name) % self.count == self.number - 1


def name_of(path: Path, part: str = "") -> str:
    """Return the name of a recording; it goes into JSON, so it is text even if the name of the file is not."""
    return whole_text(f"{path}{part}")


def shard_named(text: str) -> Shard:
    """Return the shard of `K/N`. Raises SettingsError."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise SettingsError(f"no shard {text!r}; give K/N with K from 1 to N, such as 3/16")
    return Shard(int(found[1]), int(found[2]))


def stable_hash(name: str) -> int:
    """Return a number of 64 bits that is the same for a name in every process."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest(), "big")

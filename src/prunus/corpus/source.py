"""One recording of a corpus: a file, a member of an archive, or the rows of one session in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from prunus.clients.recorded_file import Session, decode_recording, unpack
from prunus.clients.sessions import sessions_in, stream
from prunus.errors import FormatError

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
        if self.problem:
            raise FormatError(f"{self.name}: {self.problem}")
        if self.data is None:
            yield from stream(self.path)
        else:
            content = unpack(self.data, self.name)
            yield from sessions_in(decode_recording(self.title or self.path.name, content), self.name)

    def content(self) -> bytes:
        """Return the unpacked bytes of the recording. Raises FormatError or OSError if it cannot be read."""
        return unpack(self.path.read_bytes() if self.data is None else self.data, self.name)

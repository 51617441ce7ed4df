"""What a run over a corpus has measured so far, in a file that survives a kill.

`rows.parquet.part` has one JSON line for the question that was asked, then one for each recording that is done. A
line that was cut by a kill is dropped, and its recording is measured again; all others are never measured twice.
When all recordings are done, the rows are written to the file itself, and the journal goes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from prunus.corpus.shard import stable_hash
from prunus.errors import PrunusError
from prunus.lab.corpus_rows import CorpusRow


class JournalError(PrunusError):
    """The journal belongs to another question, or is damaged; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DoneRecording:
    """One line of a journal."""

    name: str
    size: int
    rows: tuple[CorpusRow, ...]


class RunJournal:
    """Remembers which recordings are done, and appends to them."""

    def __init__(self, out: Path, question: Mapping[str, Any]) -> None:
        """Open the journal of an output file, which may have been begun before. Raises JournalError."""
        self.path = out.with_name(out.name + ".part")
        self.recordings = 0
        """The number of recordings that are done."""
        self.size = 0
        """The bytes that they take up."""
        self.failed = 0
        """Those of them that could not be read, or not to their end."""
        self._question = msgspec.json.encode(question)
        self._known = array("Q")
        end = self._read_again() if self.path.exists() else 0
        self._file = self.path.open("r+b" if end else "wb")
        self._file.seek(end)
        self._file.truncate()
        if not end:
            self._append(self._question)

    def __enter__(self) -> RunJournal:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()

    def has(self, name: str) -> bool:
        """Return whether a recording was done when the journal was opened."""
        number = stable_hash(name)
        place = bisect_left(self._known, number)
        return place < len(self._known) and self._known[place] == number

    def add(self, done: DoneRecording) -> None:
        """Append a recording."""
        self._append(msgspec.json.encode(done))
        self._count(done)

    def all(self) -> Iterator[DoneRecording]:
        """Yield all recordings that are done."""
        for line in self._whole_lines():
            yield msgspec.json.decode(line, type=DoneRecording)

    def _count(self, done: DoneRecording) -> None:
        self.recordings += 1
        self.size += done.size
        self.failed += any(row.failure for row in done.rows)

    def _append(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    def _whole_lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            next(file, None)
            yield from (line for line in file if line.endswith(b"\n"))

    def _read_again(self) -> int:
        """Take over what an earlier run has done, and return the end of its last whole line."""
        with self.path.open("rb") as file:
            first = file.readline()
        if not first.endswith(b"\n"):
            return 0
        if first.rstrip(b"\n") != self._question:
            raise JournalError(
                f"{self.path} was begun with other options; give the same ones to go on, or delete it to begin anew"
            )
        end = len(first)
        numbers = []
        try:
            for line in self._whole_lines():
                done = msgspec.json.decode(line, type=DoneRecording)
                numbers.append(stable_hash(done.name))
                end += len(line)
                self._count(done)
        except msgspec.MsgspecError as error:
            raise JournalError(f"{self.path} is damaged ({error}); delete it to begin anew") from error
        self._known = array("Q", sorted(numbers))
        return end

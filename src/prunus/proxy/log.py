"""The log of a running proxy on standard error: lines for people, or JSON objects for machines.

A JSON object never contains text of a conversation. A record with `fields` becomes an object of these fields alone,
so code that logs a quotation puts only safe values into `fields`.
"""

from __future__ import annotations

import json
import logging
import os
import select
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

LogFormat = Literal["text", "json"]
Fields = Callable[[], Mapping[str, Any]]


def with_fields(fields: Fields) -> dict[str, Any]:
    """What to give a logger as `extra`, so that a JSON log shows these fields."""
    return {"fields": fields}


def log_to_stderr(level: int, shape: LogFormat = "text") -> None:
    """Write the log messages of Prunus to standard error, one line each."""
    logger = logging.getLogger("prunus")
    handler = PatientLines(sys.stderr)
    handler.setFormatter(
        JsonLines() if shape == "json" else logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S")
    )
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(level)


class PatientLines(logging.StreamHandler[TextIO]):
    """Writes lines to a stream, and leaves out those that the stream does not take at once.

    A pipe that nobody reads, or a terminal that was stopped, would keep every request waiting. Before the next line
    that the stream takes, another line says how many were left out.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        if not _takes_a_line(self.stream):
            self._left_out += 1
            return
        if self._left_out:
            said = "%d lines of this log were left out, because nobody read them"
            args, self._left_out = (self._left_out,), 0
            super().emit(logging.LogRecord(record.name, logging.WARNING, "", 0, said, args, None))
        super().emit(record)


def _takes_a_line(stream: TextIO) -> bool:
    """Whether writing a line to a stream does not wait."""
    if os.name != "posix":
        return True
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
        return bool(poll.poll(0))
    except (OSError, ValueError):  # the stream is no file, or is closed
        return True


class JsonLines(logging.Formatter):
    """Writes each record as a JSON object on a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        fields: Fields | None = getattr(record, "fields", None)
        said = {"event": "message", "message": record.getMessage()} if fields is None else fields()
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = {"time": time, "level": record.levelname.lower(), "process": record.process}
        return json.dumps({**head, **said}, ensure_ascii=False)

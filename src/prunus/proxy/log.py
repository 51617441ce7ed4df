"""The log of a running proxy on standard error: lines for people, or JSON objects for machines.

A JSON object never contains text of a conversation. A record with `fields` becomes an object of these fields alone,
so code that logs a quotation puts only safe values into `fields`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

LogFormat = Literal["text", "json"]
Fields = Callable[[], Mapping[str, Any]]


def with_fields(fields: Fields) -> dict[str, Any]:
    """What to give a logger as `extra`, so that a JSON log shows these fields."""
    return {"fields": fields}


def log_to_stderr(level: int, shape: LogFormat = "text") -> None:
    """Write the log messages of Prunus to standard error, one line each."""
    logger = logging.getLogger("prunus")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonLines() if shape == "json" else logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S")
    )
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(level)


class JsonLines(logging.Formatter):
    """Writes each record as a JSON object on a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        fields: Fields | None = getattr(record, "fields", None)
        said = {"event": "message", "message": record.getMessage()} if fields is None else fields()
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = {"time": time, "level": record.levelname.lower(), "process": record.process}
        return json.dumps({**head, **said}, ensure_ascii=False)

"""A recorded file, unpacked and decoded, before anyone knows whose it is."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from prunus.clients.fields import Json, mapping
from prunus.clients.session import Dialogue, Session
from prunus.surrogates import decode

_GZIP_MAGIC = b"\x1f\x8b"
_SUFFIXES = {".gz", ".json", ".jsonl", ".traj", ".ndjson"}


@dataclass(frozen=True, slots=True)
class Recording:
    """Either one JSON document, or the objects of a file of JSON lines.

    A file of a single object is both.
    """

    name: str
    document: Any = None
    lines: tuple[Json, ...] = ()
    skipped: int = 0
    """Lines that are no JSON object: damaged, or cut at the end of the file."""

    def session(
        self,
        agent: str,
        format: str,
        model: str,
        conversation: Dialogue,
        *,
        envelope: Mapping[str, Any] | None = None,
        unusable: int = 0,
    ) -> Session:
        """A session of this recording."""
        return Session(
            self.name,
            agent,
            format,
            model,
            conversation.messages,
            conversation.requests,
            conversation.times,
            self.skipped + unusable,
            envelope or {},
        )


def read(path: Path) -> Recording:
    """Decode a file, gzipped or plain, by its content."""
    data = path.read_bytes()
    if data.startswith(_GZIP_MAGIC):
        data = gzip.decompress(data)
    data = data.removeprefix(b"\xef\xbb\xbf").strip()
    name = path.name
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    # `opencode export` can print a line of text before the document.
    for start in dict.fromkeys((0, max(data.find(b"{"), 0))):
        try:
            document = decode(data[start:])
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        return Recording(name, document, (document,) if isinstance(document, dict) else ())
    lines = [_decode(line) for line in data.splitlines() if line.strip()]
    objects = tuple(line for line in lines if isinstance(line, dict))
    return Recording(name, None, objects, len(lines) - len(objects))


def _decode(line: bytes) -> Any:
    try:
        return decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def read_object(path: Path) -> Json:
    """The object in a file; empty if the file is damaged or has gone away."""
    try:
        return mapping(msgspec.json.decode(path.read_bytes()))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}

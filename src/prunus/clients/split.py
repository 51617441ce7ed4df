"""Sessions that an agent splits into many small files, gathered into the document that its loader reads.

OpenCode before its database: `storage/session/<project>/<session>.json`, beside it the folders of messages,
`storage/message/<session>`, and of their parts, `storage/part/<message>`. OpenHands: a file for each event in
`<conversation>/events`. The file of the session, or of the first event, stands for all of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from prunus.clients.fields import mapping, text
from prunus.clients.recording import Recording
from prunus.numbers import as_number

FIRST_EVENTS = ("0.json", "event-00000-*.json")
"""Names of the first event: of OpenHands up to version 0, and of its agent SDK."""

_EVENT = re.compile(r"(?:event-)?(\d+)(?:-.*)?\.json")


def gather(path: Path) -> Recording | None:
    """The whole session that a file stands for; None if it stands for itself."""
    if path.parent.name == "events" and any(path.match(first) for first in FIRST_EVENTS):
        return _events(path.parent)
    storage = path.parent.parent.parent
    if path.suffix == ".json" and path.parent.parent.name == "session" and (storage / "message").is_dir():
        return _opencode(path, storage)
    return None


def _events(folder: Path) -> Recording:
    """The events of OpenHands, in the order of their numbers; the conversation has the name of the folder above."""
    numbered = [(found, path) for path in folder.iterdir() if (found := _EVENT.fullmatch(path.name))]
    read = [_read(path) for _, path in sorted(numbered, key=lambda pair: (as_number(pair[0][1]), pair[1]))]
    events = [event for event in read if event]
    return Recording(folder.parent.name, events, (), len(read) - len(events))


def _opencode(path: Path, storage: Path) -> Recording:
    """A session of OpenCode as the document of an export."""
    info = _read(path)
    session = text(info.get("id")) or path.stem
    messages: list[dict[str, Any]] = []
    skipped = 0
    for file in _files(storage / "message" / session):
        message = _read(file)
        parts = [_read(part) for part in _files(storage / "part" / file.stem)]
        whole = [part for part in parts if part]
        skipped += len(parts) - len(whole) if message else 1
        if message:
            messages.append({"info": {"id": file.stem} | message, "parts": whole})
    messages.sort(key=lambda message: (_created(message["info"]), text(message["info"]["id"])))
    document = {"info": {"id": session} | info, "messages": messages}
    return Recording(session, document, (document,), skipped)


def _created(info: dict[str, Any]) -> float:
    created = mapping(info.get("time")).get("created")
    return created if isinstance(created, (int, float)) else 0.0


def _files(folder: Path) -> list[Path]:
    """The JSON files of a folder in the order of their names, which for ids is that of time."""
    return sorted(folder.glob("*.json")) if folder.is_dir() else []


def _read(path: Path) -> dict[str, Any]:
    """The object in a file; empty if it is damaged or went away."""
    try:
        return mapping(msgspec.json.decode(path.read_bytes()))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}

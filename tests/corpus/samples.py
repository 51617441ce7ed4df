"""Small conversations as an organisation may keep them."""

import json
from pathlib import Path
from typing import Any

from prunus.corpus.find import sources
from prunus.corpus.source import Source
from tests.lab.talk import chat_messages, reads


def conversation(calls: int = 4) -> bytes:
    """A recorded conversation as a JSON list of messages."""
    return json.dumps(chat_messages(reads(calls))).encode()


def growing(session: str, calls: int = 4, **more: Any) -> list[dict[str, Any]]:
    """The requests of one conversation, one row for each."""
    messages = chat_messages(reads(calls))
    return [
        {"session_id": session, "created_at": 1_000 + end, "model": "gpt-5.6", **more, "messages": messages[:end]}
        for end in range(2, len(messages) + 1, 2)
    ]


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def every(*paths: Path) -> list[Source]:
    """All sources of these paths."""
    return list(sources(paths, lambda _: True))


def requests(source: Source) -> list[int]:
    """The number of requests of each session of a source."""
    return [len(session.requests) for session in source.sessions()]

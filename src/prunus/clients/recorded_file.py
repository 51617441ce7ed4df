"""A recorded file, decoded before anyone knows which agent wrote it, and the sessions that are read from it.

The file may be packed by gzip, zstd, xz or bzip2. A small packed file can unpack to any size, so nothing here reads
more than a limit into memory. A recording may be cut or edited by hand. So `mapping`, `rows` and `text`
read a field of the wrong type as empty.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final, cast

import msgspec
import zstandard

from prunus.clients.zst import ZstdFile
from prunus.errors import FormatError
from prunus.json.surrogates import decode
from prunus.providers import Provider, provider_named
from prunus.providers.provider import ToolDefinition

JsonObject = dict[str, Any]

LARGEST: Final = 1 << 30
"""The most bytes of one unpacked recording."""
MAGIC: Final = 6
"""As many first bytes tell how a file is packed."""
_SKIPPED: Final = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
"""The first bytes of a frame of zstd that holds no content; pzstd puts one before each frame."""
DAMAGED: Final = (EOFError, OSError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
"""What a damaged packed file raises."""
_SUFFIXES = {".bz2", ".gz", ".json", ".jsonl", ".ndjson", ".traj", ".xz", ".zst"}
_NOT_JSON: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a text that is no JSON raises, or one that is nested too deeply to be read."""
_MILLISECONDS = 1e11  # as seconds this would be the year 5138


@dataclass(frozen=True, slots=True)
class Session:
    """The requests of one context window of a recorded agent.

    A native compaction ends a session and starts another; so does a sub-agent. A reader leaves the name of the file
    and of the agent empty, because the loader knows them.
    """

    name: str
    """File stem; further sessions of the same file end in `#2`, `#3`, ..."""
    agent: str
    """The agent that recorded it: the name of its reader."""
    format: str
    """Wire format of the messages."""
    model: str
    """Model of the first answer, empty if unknown."""
    messages: tuple[JsonObject, ...]
    """The whole conversation; what follows the last request is its answer."""
    requests: tuple[int, ...]
    """How many messages each request carried, strictly growing."""
    times: tuple[float | None, ...]
    """Unix time of each request, where recorded."""
    skipped: int = 0
    """Damaged or unusable records; a file's count stands in its first session."""
    envelope: Mapping[str, Any] = field(default_factory=dict)
    """Recorded fields around the messages: system prompt, tool definitions."""
    billed: tuple[int, ...] = ()
    """The tokens of each request by the provider's count, where recorded; 0 for a request without a count."""

    def body(self, request: int = -1) -> Any:
        """The body of one request, the last by default.

        Tool definitions that were not recorded are replaced by minimal ones for
        all tools of the session, so that they are the same in each request.
        """
        carried = list(self.messages[: self.requests[request]])
        provider = provider_named(self.format)
        if provider.bare_list:
            return carried
        body: JsonObject = {"model": self.model} if self.model and provider.names_model else {}
        body |= provider.required
        kinds = dict.fromkeys(called for message in self.messages for called in provider.called_tools(message))
        tools = provider.define_tools([ToolDefinition(name, kind=kind) for name, kind in kinds])
        if tools:
            body["tools"] = tools
        return body | dict(self.envelope) | {provider.field: carried}

    def keys(self) -> tuple[str, ...]:
        """A key for each request, the same wherever the same messages got the same answer.

        A resumed or forked session begins with a copy of another one. Requests with a key that was met before
        were sent once and recorded again; two people who begin with the same words still differ by the answer.
        """
        chain = blake2b(self.format.encode(), digest_size=16)
        found: list[str] = []
        provider = provider_named(self.format)
        done = 0
        for end in self.requests:
            for message in self.messages[done:end]:
                chain.update(_written(provider, message))
            done = end
            key = chain.copy()
            for answer in self.messages[end : end + 1]:
                key.update(b"answered" + _written(provider, answer))
            found.append(key.hexdigest())
        return tuple(found)


def unnamed_session(
    format: str,
    model: str,
    messages: Sequence[JsonObject],
    requests: Sequence[tuple[int, float | None, int]],
    skipped: int = 0,
) -> Session:
    """A session as a reader yields it. Each request is its number of messages, its time, and the tokens billed."""
    lengths, times, billed = tuple(zip(*requests, strict=True)) or ((), (), ())
    return Session("", "", format, model, tuple(messages), lengths, times, skipped, billed=billed)


@dataclass(frozen=True, slots=True)
class Recording:
    """Either one JSON document, or the objects of a file of JSON lines.

    A file of a single object is both.
    """

    name: str
    document: Any = None
    lines: tuple[JsonObject, ...] = ()
    skipped: int = 0
    """Lines that are no JSON object: damaged, or cut at the end of the file."""

    @property
    def is_empty(self) -> bool:
        """Whether the file held nothing at all."""
        return self.document is None and not self.lines and not self.skipped


def opened(file: IO[bytes], first: bytes) -> IO[bytes]:
    """Return a file that reads the unpacked bytes; `first` are the first bytes of the packed file."""
    if first.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if first.startswith(b"\x28\xb5\x2f\xfd") or _SKIPPED.match(first):
        return io.BufferedReader(ZstdFile(file))
    if first.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(file)
    if first.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return file


def unpack(data: bytes, name: str, largest: int = LARGEST) -> bytes:
    """Return the unpacked content of a file; a file that is not packed stays as it is.

    Raises FormatError if the file is damaged, or unpacks to more than `largest` bytes.
    """
    file = opened(io.BytesIO(data), data[:MAGIC])
    if isinstance(file, io.BytesIO):
        return data
    try:
        found = file.read(largest + 1)
    except DAMAGED as error:
        raise FormatError(f"{name}: cannot be unpacked: {error}") from error
    if len(found) > largest:
        raise FormatError(f"{name}: unpacks to more than {largest:,} bytes")
    return found


def read(path: Path) -> Recording:
    """Unpack and decode a file; its content says how."""
    return decode_recording(path.name, unpack(path.read_bytes(), str(path)))


def decode_recording(name: str, data: bytes) -> Recording:
    """Decode the content of a file; its name loses the suffixes of recordings."""
    data = data.removeprefix(b"\xef\xbb\xbf").strip()
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    # `opencode export` can print a line of text before the document.
    for start in dict.fromkeys((0, max(data.find(b"{"), 0))):
        try:
            document = decode(data[start:])
        except _NOT_JSON:
            continue
        return Recording(name, document, (document,) if isinstance(document, dict) else ())
    lines = [decode_object(line) for line in data.splitlines() if line.strip()]
    objects = tuple(line for line in lines if line is not None)
    return Recording(name, None, objects, len(lines) - len(objects))


def decode_object(data: bytes) -> JsonObject | None:
    """The object of a JSON text; None if the text is damaged, or the value is no object."""
    try:
        value = decode(data)
    except _NOT_JSON:
        return None
    return value if isinstance(value, dict) else None


def read_object(path: Path) -> JsonObject:
    """The object in a file; empty if the file is damaged or has gone away."""
    try:
        return decode_object(path.read_bytes()) or {}
    except OSError:
        return {}


def mapping(value: Any) -> JsonObject:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[JsonObject]:
    """The objects of a list, leaving out whatever else is in it."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def total(counts: Any, fields: Sequence[str]) -> int:
    """The sum of some fields of an object; a field that is no number counts nothing."""
    return sum(count for field in fields if isinstance(count := mapping(counts).get(field), int))


def unix_time(value: Any) -> float | None:
    """Seconds since 1970 from an ISO date (UTC if it names no zone), seconds or milliseconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value / 1000 if value > _MILLISECONDS else float(value)
    try:
        moment = datetime.fromisoformat(text(value))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _written(provider: Provider, message: JsonObject) -> bytes:
    """A message as bytes that do not depend on the order of its fields."""
    return msgspec.json.encode(provider.identity(message), order="deterministic")

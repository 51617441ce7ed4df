"""Facts that the proxy needs about a request before pruning it, read without parsing its messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import msgspec

from prunus.clients.dialect import project_of, words
from prunus.conversations.conversation import Body
from prunus.errors import FormatError
from prunus.json.long_strings import ShortenedJson
from prunus.json.surrogates import decode
from prunus.providers import Provider, provider_named
from prunus.providers.digest import lifetime, unmarked
from prunus.providers.frame import PROMPT, Frame

NO_TOOLS: Final = "no tools"
"""A request without tools: a title, a summary, a question on the side."""
SUBAGENT: Final = "a sub-agent's request"
"""Why a request of a sub-agent is left alone if the settings say so."""

_TAIL: Final = 32_768
"""Bytes at the end of the messages in which an instruction to summarise would stand."""
_TASKS: Final = tuple((one.encode(), other.encode()) for one, other in words("summary_task"))
_COMPACTION_ITEMS: Final = words("compaction_item")


@dataclass(frozen=True, slots=True)
class Envelope:
    """The values at the top of a request."""

    streaming: bool
    prompt: bytes
    """Hash of model, system text and tools, cache markers aside."""
    lifetime: str | None
    """How long the client wants the cache to live, where it says so."""
    skip: str
    """Why the request is not pruned; empty where it is."""
    hold: str = ""
    """Why nothing new is cut in the request; empty where something may be."""
    system: bytes = b""
    """The system text of the Messages API, as JSON."""
    project: str = ""
    """The folder that the agent works in; empty if the request does not say."""


def from_subagent(headers: Mapping[str, str], system: bytes) -> bool:
    """Whether a sub-agent sent a request with these headers, in lower case, and this system text as JSON."""
    return any(is_subagent(headers, system) for is_subagent in words("from_subagent"))


def read_envelope(body: bytes, format: str, cut: Body | None = None) -> Envelope:
    """Read the top of a request; if the body was cut into its messages before, they are not scanned again."""
    try:
        if isinstance(cut, Frame) and cut.starts and not cut.bare:
            top = decode(cut.around(), dict[str, msgspec.Raw])
            messages = memoryview(body)[cut.starts[0] : cut.ends[-1]]
            return _read(top, provider_named(format), messages, cut.raw(-1))
        short = ShortenedJson(body)
        top = decode(short.text, dict[str, msgspec.Raw])
        if short:
            top = {key: msgspec.Raw(short.restored(bytes(value))) for key, value in top.items()}
        provider = provider_named(format)
        return _read(top, provider, memoryview(top.get(provider.field, b"")))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"not a JSON object: {error}") from error


def _read(
    top: Mapping[str, msgspec.Raw], provider: Provider, messages: memoryview, newest: bytes = b""
) -> Envelope:
    tail = bytes(messages[-_TAIL:])
    return Envelope(
        bytes(top.get("stream", b"")) == b"true",
        _prompt(top),
        lifetime(bytes(top.get("system", b"")), tail[-4096:]),
        provider.history_held({key: decode(top[key]) for key in provider.held_by if key in top}),
        _hold(top, messages, tail, newest),
        bytes(top.get("system", b"")),
        project_of(*(bytes(top[key]) for key in provider.system_keys if key in top), bytes(messages[:_TAIL])),
    )


def _hold(top: Mapping[str, msgspec.Raw], messages: memoryview, tail: bytes, last: bytes) -> str:
    if len(top.get("tools", b"")) <= 4 and b'"additional_tools"' not in bytes(messages[:_TAIL]):
        return NO_TOOLS
    # A text of the user holds no object with a role, so the newest message lies behind the last one that begins so.
    newest = tail[max(0, tail.rfind(b'{"role":')) :]
    told = any(item.encode() in newest for item in _COMPACTION_ITEMS) or any(
        word in newest and more in newest for word, more in _TASKS
    )
    if told and _is_task(messages, last):
        return "a summary of the history is asked for"
    return ""


def _is_task(messages: memoryview, newest: bytes) -> bool:
    """Whether the newest message is a summary task, in the words of the user or as an item of its own."""
    try:
        last = decode(newest or decode(bytes(messages), list[msgspec.Raw])[-1])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, IndexError):
        return False
    if not isinstance(last, dict) or last.get("role") != "user":
        return isinstance(last, dict) and last.get("type") in _COMPACTION_ITEMS
    content = last.get("content")
    blocks = content if isinstance(content, list) else [content]
    text = _words(blocks[-1]).encode("utf-8", "replace") if blocks else b""
    return any(word in text and more in text for word, more in _TASKS)


def _words(block: Any) -> str:
    if isinstance(block, dict) and block.get("type") in ("text", "input_text"):
        block = block.get("text")
    return block if isinstance(block, str) else ""


def _prompt(top: Mapping[str, msgspec.Raw]) -> bytes:
    raws = {key: bytes(top[key]) for key in PROMPT if key in top}
    if any(b'"cache_control"' in raw for raw in raws.values()):
        return blake2b(msgspec.json.encode(unmarked(raws)), digest_size=16).digest()
    return blake2b(b"\0".join(raws.values()), digest_size=16).digest()

"""Readings that several formats share: JSON values, and lists of content blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from prunus.history import Attachment, Call, Opaque, Part, Result, Text
from prunus.json.splice import Path
from prunus.json.surrogates import decode

MARKS: Final = frozenset({"cache_control", "prompt_cache_breakpoint"})
"""The keys of cache markers: Anthropic's, which other servers take too, and OpenAI's."""
UNREAD: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""The exceptions that decoding raises if the text is no JSON."""


def decode_or(text: str | bytes, otherwise: Any) -> Any:
    """The JSON value in a text; `otherwise` if the text is no JSON."""
    try:
        return msgspec.json.decode(text)
    except UNREAD:
        return otherwise


def as_json(value: object) -> str:
    """A value as compact JSON text."""
    return msgspec.json.encode(value).decode()


def decode_any(text: str | bytes) -> Any:
    """The JSON value in a text; the text itself if it is no JSON."""
    try:
        return decode(text)
    except UNREAD:
        return text


def decode_arguments(arguments: object) -> Mapping[str, Any] | str:
    """Arguments that travel as JSON in a string; a string that is no JSON object stays a string."""
    if isinstance(arguments, Mapping):
        return arguments
    if not isinstance(arguments, str):
        return as_json(arguments)
    value = decode_any(arguments)
    return value if isinstance(value, dict) else arguments


def function_call(id: object, function: Mapping[str, Any], at: Path = (), *, signed: bool = False) -> Call:
    """A call as OpenAI writes it: an object with a name, and with arguments that are JSON in a string."""
    arguments = function.get("arguments", "")
    quoted = isinstance(arguments, str)
    return Call(
        str(id),
        str(function.get("name")),
        decode_arguments(arguments),
        arguments if quoted else as_json(arguments),
        quoted=quoted,
        fixed=signed or "arguments" not in function,
        at=(*at, "arguments"),
    )


def arguments_object(arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """Arguments of our own tools as an object, for formats that know no other arguments."""
    read = arguments if isinstance(arguments, Mapping) else decode_any(arguments)
    return dict(read) if isinstance(read, Mapping) else {"targets": read}


def kind_of(block: object) -> str:
    """The type that a block gives itself, as a text."""
    return str(block.get("type") if isinstance(block, dict) else None)


def marks_of(block: object) -> dict[str, Any]:
    """The cache markers of a block, with their keys."""
    return {key: value for key, value in block.items() if key in MARKS} if isinstance(block, dict) else {}


def _last_mark(blocks: Sequence[object]) -> dict[str, Any]:
    return next(filter(None, map(marks_of, reversed(blocks))), {})


def listed(value: object) -> list[Any]:
    """The list; an empty one if the value is something else."""
    return value if isinstance(value, list) else []


def dicts(items: object) -> list[dict[str, Any]]:
    """The objects in a list; none if the value is no list."""
    return [item for item in listed(items) if isinstance(item, dict)]


def words_of(content: object) -> str:
    """The words of a content: a text, or blocks of which some hold a text."""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in dicts(content))


def data_url(url: object) -> tuple[str, int]:
    """Media type and base64 length of a `data:` URL; a plain reference has length 0."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return "", 0
    head, _, data = url.partition(",")
    return head[5:].partition(";")[0], len(data)


@dataclass(frozen=True, slots=True)
class BlockReader:
    """Reads a content that is a text or a list of blocks."""

    texts: frozenset[str]
    """The types of the blocks that hold text."""
    files: frozenset[str]
    """The types of the blocks that hold a file."""
    attachment: Callable[[Mapping[str, Any], Path, int | None], Attachment]
    """Reads such a block, given its place and the index of the result that carries it."""

    def content(self, content: object, at: Path) -> Iterator[Part]:
        """The parts of a message's content."""
        if isinstance(content, str):
            yield Text(content, at=at)
            return
        for i, block in enumerate(listed(content)):
            if kind_of(block) in self.texts and isinstance(block.get("text"), str):
                yield Text(block["text"], at=(*at, i, "text"))
            else:
                yield self._other(block, (*at, i), None)

    def result(
        self,
        id: str,
        content: object,
        at: Path,
        index: int,
        *,
        block: str = "text",
        error: bool | None = None,
        fixed: bool = False,
    ) -> tuple[Part, ...]:
        """A result with the files inside it, given its index among the parts of the message.

        `block` is the type of the text block that an edit writes; the content of a `fixed` result cannot be edited.
        """
        if isinstance(content, str):
            return (Result(id, content, error=error, block=block, at=() if fixed else at, texts=(at,)),)
        items = listed(content)
        kinds = [kind_of(item) for item in items]
        worded = [i for i, kind in enumerate(kinds) if kind in self.texts and isinstance(items[i].get("text"), str)]
        pieces = tuple(items[i]["text"] for i in worded)
        result = Result(
            id,
            "\n".join(pieces),
            error=error,
            defines="tool_reference" in kinds,
            shape="blocks",
            block=block,
            at=() if fixed else at,
            texts=tuple((*at, i, "text") for i in worded),
            pieces=pieces,
            mark=_last_mark(items),
            later_mark=_last_mark([items[i] for i in worded[1:]]),
        )
        others = (self._other(item, (*at, i), index) for i, item in enumerate(items) if kinds[i] not in self.texts)
        return (result, *others)

    def _other(self, block: Any, at: Path, inside: int | None) -> Part:
        kind = kind_of(block)
        if kind in self.files:
            return self.attachment(block, at, inside)
        return Opaque(kind, as_json(block), inside, at=at)

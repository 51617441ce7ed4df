"""The history that an agent sends: messages made of parts.

The requests of all providers become the same few kinds of part. A part knows its place in the JSON of its message
(`at`), so that Prunus can splice a change into the bytes. Comparisons of parts ignore places. People and agents
name a part by its short id when they restore or discard it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import field
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple

from prunus.json.splice import Path
from prunus.value import value

Role = Literal["system", "user", "assistant", "tool"]
ContentShape = Literal["string", "blocks", "streams", "object"]
"""The shape of a result's content: a text, a list of blocks, texts with fixed places, or a JSON object."""
_ID_LENGTH: Final = 6


class Ref(NamedTuple):
    """The place of a part: the index of its message, and its index in that message."""

    message: int
    part: int


def short_id(ref: Ref, content: bytes, taken: Container[str] = ()) -> str:
    """Return the id of a part: six hex digits of a hash of its place and content, more if that id is taken."""
    name = _whole_id(ref, content)
    length = _ID_LENGTH
    while name[:length] in taken and length < len(name):
        length += 1
    return name[:length]


def is_id_of(id: str, ref: Ref, content: bytes) -> bool:
    """Return whether `id` is an id of this part, of any length."""
    return _whole_id(ref, content).startswith(id)


def _whole_id(ref: Ref, content: bytes) -> str:
    return blake2b(b"%d:%d:" % ref + content, digest_size=16).hexdigest()


@value
class Text:
    """Text of the user, the assistant or the system."""

    text: str
    at: Path = field(default=(), compare=False)


@value
class Thinking:
    """The model's reasoning, readable or encrypted."""

    text: str
    hidden: int = 0
    """Length of the signature or of the encrypted content."""
    required: bool = False
    """The provider requires the field, so Prunus can shorten the reasoning but not remove it."""
    fixed: bool = False
    """The provider ties the reasoning to a neighbouring part, so Prunus cannot remove it."""
    at: Path = field(default=(), compare=False)
    extra: tuple[Path, ...] = field(default=(), compare=False)
    """The paths of further blocks right behind the first one, which stay or go together with it."""


@value
class Call:
    """A tool call of the model."""

    id: str
    tool: str
    input: Mapping[str, Any] | str
    text: str = ""
    """The arguments as sent, for counting tokens."""
    quoted: bool = False
    """The request holds the arguments as JSON inside a string."""
    fixed: bool = False
    """The provider signed the call, so Prunus cannot change its arguments."""
    at: Path = field(default=(), compare=False)
    """The path of the arguments."""


@value
class Result:
    """A tool result."""

    id: str
    text: str
    error: bool | None = None
    """Whether the request marks the result as failed; None if the request does not say."""
    open: bool = False
    """The tool has not answered yet; one format keeps call and result in one part."""
    compacted: bool = False
    """The client has already cut the result."""
    defines: bool = False
    """The result carries tool definitions."""
    shape: ContentShape = field(default="string", compare=False)
    block: str = field(default="text", compare=False)
    """The type of a text block, if the content is a list of blocks."""
    at: Path = field(default=(), compare=False)
    """The path of the content."""
    texts: tuple[Path, ...] = field(default=(), compare=False)
    """The paths of its texts, in order."""
    pieces: tuple[str, ...] = field(default=(), compare=False)
    """Its texts, if the content is a list of blocks."""
    mark: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The cache marker inside the content, as fields of a block; an edit must keep it."""
    later_mark: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The cache marker of a text behind the first one, which must stay if one text replaces all of them."""
    extra: tuple[Path, ...] = field(default=(), compare=False)
    """The paths that an edit removes together with the whole content."""


@value
class Attachment:
    """An image, a document or another file inside the request."""

    name: str
    media_type: str
    size: int
    """The length of its base64 text, or 0 for a reference."""
    inside: int | None = None
    """The index of the result that carries it, among the parts of the message."""
    fixed: bool = False
    """The provider accepts no text in its place."""
    block: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The fields of the text block that can take its place."""
    at: Path = field(default=(), compare=False)


@value
class Marker:
    """A bookkeeping entry of the client that tells the model nothing."""

    type: str
    text: str = ""
    """The whole entry as JSON, for counting tokens."""
    at: Path = field(default=(), compare=False)


@value
class Opaque:
    """A part that Prunus does not know or must not touch."""

    type: str
    text: str = ""
    inside: int | None = None
    """The index of the result that carries it, as in `Attachment`."""
    at: Path = field(default=(), compare=False)


Part = Text | Thinking | Call | Result | Attachment | Marker | Opaque


@value
class Message:
    """One element of the request's list: a message, or an item of the Responses API."""

    role: Role
    parts: tuple[Part, ...]
    raw: bytes = field(default=b"", compare=False, repr=False)
    joins: bool = False
    """One model step spans several such elements."""
    definitions: bool = False
    """The message carries tool definitions, so Prunus never touches it."""
    spoken: bool = False
    """The message contains text that the user wrote, not only tool results."""

    def parts_inside(self, result: int) -> Iterator[tuple[int, Attachment | Opaque]]:
        """Yield the parts that a result carries, each with its index; they stand right behind the result.

        `result` is the index of the result.
        """
        for i in range(result + 1, len(self.parts)):
            part = self.parts[i]
            if not isinstance(part, (Attachment, Opaque)) or part.inside != result:
                return
            yield i, part


MessageAt = Callable[[int], Message]
"""A function that returns a message of a request by its index."""


@value
class History:
    """All messages of one request, with the name of its format."""

    format: str
    messages: tuple[Message, ...]

    def part(self, ref: Ref) -> Part:
        return self.messages[ref.message].parts[ref.part]

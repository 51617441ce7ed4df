"""What an agent sends, as values: messages made of parts.

Every provider's request becomes the same few kinds of part. A part knows where it stands in the JSON of its
message (`at`), so that a change can be spliced into the bytes; places are left out when parts are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from prunus.splice import Path

Role = Literal["system", "user", "assistant", "tool"]
Shape = Literal["string", "blocks", "object"]


class Ref(NamedTuple):
    """The place of a part: message and part, both counted from 0."""

    message: int
    part: int


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the user, the assistant or the system."""

    text: str
    at: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning, readable or not."""

    text: str
    hidden: int = 0
    """Length of the signature or of the encrypted content that comes with it."""
    required: bool = False
    """The provider wants the field to stay, so it can only be shortened."""
    fixed: bool = False
    """The provider binds it to what stands beside it, so it cannot go."""
    at: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """The model asks for a tool."""

    id: str
    tool: str
    input: Mapping[str, Any] | str
    text: str = ""
    """The arguments as they travel, for counting."""
    quoted: bool = False
    """The arguments travel as JSON inside a string."""
    fixed: bool = False
    """The provider signed it, so its arguments cannot change."""
    at: Path = field(default=(), compare=False)
    """Where the arguments stand."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered."""

    id: str
    text: str
    error: bool | None = None
    """What the wire says: failed, not failed, or nothing about it."""
    open: bool = False
    """The tool has not answered yet; one format keeps call and result in one part."""
    compacted: bool = False
    """The host has cut it already."""
    defines: bool = False
    """It carries tool definitions."""
    shape: Shape = field(default="string", compare=False)
    block: str = field(default="text", compare=False)
    """Type of a text block, where the content is a list of blocks."""
    at: Path = field(default=(), compare=False)
    """Where the content stands."""
    texts: tuple[Path, ...] = field(default=(), compare=False)
    """Where each of its texts stands, in order."""
    pieces: tuple[str, ...] = field(default=(), compare=False)
    """Those texts, where the content is a list of blocks."""
    mark: Mapping[str, Any] | None = field(default=None, compare=False)
    """The cache marker inside the content, which an edit must keep."""
    extra: tuple[Path, ...] = field(default=(), compare=False)
    """What goes too when the whole content goes."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image, a document or another file that travels inside the request."""

    name: str
    media_type: str
    size: int
    """Length of its base64 text, or 0 for a reference."""
    inside: int | None = None
    """The result that carries it, as an index among the parts of the message."""
    fixed: bool = False
    """The provider has no place for words instead of it."""
    block: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The fields of the text block that may stand in its place."""
    at: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Marker:
    """Bookkeeping of the host that says nothing to the model."""

    type: str
    text: str = ""
    """All of it as JSON, for counting."""
    at: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything we do not know, or must not touch."""

    type: str
    text: str = ""
    inside: int | None = None
    """The result that carries it, as for attachments."""
    at: Path = field(default=(), compare=False)


Part = Text | Thinking | Call | Result | Attachment | Marker | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One element of the request's list: a message, or an item of the Responses API."""

    role: Role
    parts: tuple[Part, ...]
    raw: bytes = field(default=b"", compare=False, repr=False)
    joins: bool = False
    """One model step is spread over several such elements."""
    definitions: bool = False
    """It carries tool definitions, so it is never touched."""
    spoken: bool = False
    """A user's own words are in it, not only results of tools."""


@dataclass(frozen=True, slots=True)
class History:
    """All messages of one request, in the words of one format."""

    format: str
    messages: tuple[Message, ...]

    def part(self, ref: Ref) -> Part:
        return self.messages[ref.message].parts[ref.part]

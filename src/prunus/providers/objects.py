"""Bodies that come as parsed objects, read without turning them into bytes.

The last body is remembered as a copy of its containers that shares the strings, so that comparing it with the
next one costs little more than following pointers, and notices any change the caller made in place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from prunus.errors import FormatError
from prunus.json import surrogates
from prunus.providers.digest import lifetime
from prunus.providers.frame import PROMPT, Frame, frame
from prunus.providers.provider import Provider
from prunus.providers.recognition import FIELDS, recognise

_TOLD: Final = ("role", "type")
"""Keys of which a message of every format has at least one."""


@dataclass(slots=True)
class Objects:
    """A body of objects: a dict with a list of messages, or the list alone."""

    body: Any
    format: Provider
    closed: str = ""
    model: str = ""
    size: int = 0
    """Length of the body as JSON, roughly."""
    copies: list[Any] = field(default_factory=list)
    """The messages as they were when they were read."""
    raws: dict[int, bytes] = field(default_factory=dict)
    """Messages that were written as JSON so far."""
    given: dict[int, Any] = field(default_factory=dict)
    """The edited messages that the caller got; None for a removed message."""
    pristine: dict[int, Any] = field(default_factory=dict)
    """Copies of them, since the caller may change the messages that it got."""

    @property
    def messages(self) -> list[Any]:
        return _list(self.body, self.format)

    def __len__(self) -> int:
        return len(self.messages)

    def raw(self, index: int) -> bytes:
        """One message as JSON."""
        raw = self.raws.get(index)
        if raw is None:
            raw = self.raws[index] = encode(self.messages[index])
        return raw

    def around(self) -> Any:
        """The body without its messages: system text, tools, options."""
        if not isinstance(self.body, dict):
            return []
        nothing: Any = "" if isinstance(self.body.get(self.format.field), str) else []
        return {key: nothing if key == self.format.field else value for key, value in self.body.items()}

    @property
    def prompt(self) -> dict[str, Any]:
        """The values that the provider reads before the messages: model, system text, tools."""
        return {key: self.body[key] for key in PROMPT if key in self.body} if isinstance(self.body, dict) else {}

    def lifetime(self) -> str | None:
        """Return how long the client wants the cache to live, such as `1h`; None if it does not say so."""
        system = self.prompt.get("system")
        return lifetime(encode(system) if system else b"", self.raw(len(self) - 1) if len(self) else b"")

    def shared(self, body: Any) -> int:
        """How many messages at the start of another body equal the messages here."""
        if isinstance(body, dict) != isinstance(self.body, dict):
            return 0
        messages = _list(body, self.format)
        most = min(len(messages), len(self.copies))
        if messages[:most] == self.copies[:most]:
            return most
        return next(i for i in range(most) if messages[i] != self.copies[i])

    def inherit(self, earlier: Objects) -> None:
        """Hand out the same edited messages as an earlier body of the same conversation."""
        self.given, self.pristine = earlier.given, earlier.pristine

    def assemble(self, edited: Sequence[int], rendered: Mapping[int, bytes], changed: Collection[int]) -> Any:
        """A new body with the edited messages in place; all other messages are the caller's own objects.

        `changed` are the messages that are edited in another way than in the body before.
        """
        if not self.given or self.given != self.pristine:
            changed = *edited, *self.given
        for index in changed:
            raw = rendered.get(index)
            if raw is None:
                self.given.pop(index, None)
                self.pristine.pop(index, None)
            else:
                self.given[index] = surrogates.exact(raw) if raw else None
                self.pristine[index] = surrogates.exact(raw) if raw else None
        kept = list(self.messages)
        gone = False
        for index, message in self.given.items():
            kept[index] = message
            gone = gone or message is None
        if gone:
            kept = [message for i, message in enumerate(kept) if message is not None or i not in self.given]
        return {**self.body, self.format.field: kept} if isinstance(self.body, dict) else kept


def read_objects(body: Any, known: Objects | None, shared: int, name: str | None = None) -> Objects:
    """Read a body of objects whose first `shared` messages equal those of a known body."""
    require_messages(body, shared)
    if known is None or (name is None and _recognise_objects(body) != known.format):
        raw = encode(body)
        cut: Frame = frame(raw, name)
        return Objects(body, cut.format, cut.closed, cut.model, len(raw), copy(_list(body, cut.format)))
    made = Objects(body, known.format, size=known.size)
    if isinstance(body, dict):
        model = body.get("model")
        made.model = model if isinstance(model, str) else ""
        made.closed = made.format.history_held(body)
    fresh = made.messages[shared:]
    made.size += sum(len(made.raw(index)) for index in range(shared, len(made)))
    made.copies = known.copies[:shared] + copy(fresh)
    return made


def _recognise_objects(body: Any) -> Provider | None:
    """Return the format of a body; None if the body has to be read as JSON to find out what is wrong with it."""
    try:
        top = {**body, "tools": _builtin(body.get("tools"))} if isinstance(body, dict) else None
        field = next((key for key in FIELDS if key in body), "") if isinstance(body, dict) else ""
        listed = body[field] if field else body
        return recognise(top, map(_builtin, listed if isinstance(listed, list | tuple) else ()))
    except (FormatError, TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return None


def _builtin(value: Any) -> Any:
    """A value with the objects of a provider's SDK as the dicts that they are sent as."""
    return msgspec.to_builtins(value, enc_hook=_plain)


def encode(value: Any) -> bytes:
    """An object as JSON; raises FormatError for a value that JSON cannot hold."""
    try:
        return surrogates.encode(value, _plain)
    except RecursionError as error:
        raise FormatError("nested too deeply") from error
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise FormatError(f"a value that JSON does not know: {error}") from error


def _plain(value: Any) -> Any:
    """A provider SDK's own object, such as a block of an earlier answer put into the next request."""
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"an object of type {type(value).__name__}")
    return dump(mode="json", exclude_unset=True)


def copy(value: Any) -> Any:
    """A copy of all containers; strings and numbers are shared."""
    if isinstance(value, dict):
        return {key: copy(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [copy(inner) for inner in value]
    return value


def _list(body: Any, format: Provider) -> list[Any]:
    found = body.get(format.field) if isinstance(body, dict) else body
    if isinstance(found, str) and format.takes_text:
        return [{"role": "user", "content": found}]
    return found if isinstance(found, list) else list(found) if isinstance(found, tuple) else []


def require_messages(body: Any, start: int = 0) -> None:
    """Raise FormatError for an object from `start` on that is no message of any format, and say what is expected.

    Any dict is accepted, because Prunus leaves alone what a format does not know.
    """
    listed = next((body[key] for key in FIELDS if key in body), ()) if isinstance(body, dict) else body
    for index, message in enumerate(listed[start:] if isinstance(listed, list | tuple) else (), start):
        dump = getattr(message, "model_dump", None)
        if not isinstance(message, dict) and not (callable(dump) and set(_TOLD) & dump(exclude_unset=True).keys()):
            raise FormatError(
                f"message {index} is a {type(message).__name__}; expected a dict with a role, or an object of the "
                "provider's SDK, as it is sent to the provider (from langchain: convert_to_openai_messages)"
            )

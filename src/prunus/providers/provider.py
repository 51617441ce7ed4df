"""The protocol of providers. A provider is one wire format: its requests, messages and answers.

`Provider` has the methods that pruning needs. `Api` is a format in which a client talks to a model; it adds the
methods that the proxy and the agent's tools need. To add a provider, write one folder with a class of either kind
and list it in `recognition.ALL`. Code outside of `prunus.providers` does not branch on a format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from prunus.history import Message
from prunus.providers.rewriting import Change, place_beside, with_text
from prunus.providers.sse import DONE, event

if TYPE_CHECKING:
    from prunus.providers.answer_stream import AnswerStream
    from prunus.providers.filters import IntentFilter
    from prunus.providers.frame import Frame
    from prunus.providers.hidden_calls import CallSite, HiddenExchange

ANY_OBJECT: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}
"""The schema of a tool of which only the name is known."""


class ToolDefinition(NamedTuple):
    """A tool before it is written in a format."""

    name: str
    description: str = ""
    schema: Mapping[str, Any] = ANY_OBJECT
    kind: str = "function"
    """The type of its calls, if a format has several."""

    def described(self) -> dict[str, str]:
        return {"description": self.description} if self.description else {}


class ToolResult(NamedTuple):
    """The answer to one call."""

    id: str
    tool: str
    text: str


class Endpoint(NamedTuple):
    """The values that the path of a request gives."""

    model: str = ""
    streaming: bool = False


class Provider(ABC):
    """One way of writing a history."""

    name: ClassVar[str]
    field: ClassVar[str]
    """The key of the body that holds the list of messages."""
    system_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of the body that hold system text."""
    takes_text: ClassVar[bool] = False
    """Whether one string may stand in place of the list, as a message of the user."""
    held_by: ClassVar[tuple[str, ...]] = ()
    """Keys with which a request continues a history that the provider holds; such a request is not pruned."""
    binds_reasoning: ClassVar[bool] = False
    """Whether reasoning is a message of its own that has to stay with the call behind it."""
    bare_list: ClassVar[bool] = False
    """Whether a recorded request is the list of messages alone."""
    names_model: ClassVar[bool] = True
    """Whether the body names the model."""
    required: ClassVar[Mapping[str, Any]] = {}
    """Options without which a request is refused."""

    @abstractmethod
    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        """One element of the list, as a message."""

    def claims_request(self, top: Mapping[str, Any]) -> bool:
        """Whether only this format has such keys, model or tools at the top of a request."""
        return False

    def claims_message(self, message: Mapping[str, Any]) -> bool:
        """Whether only this format has such a message; later providers of `ALL` are tried first."""
        return False

    def claims_block(self, kind: str, block: Any) -> bool:
        """Whether only this format has such a block in the content of a message."""
        return False

    def suggested_by(self, top: Mapping[str, Any]) -> bool:
        """Whether the top of a request makes this format likely, if no message decides."""
        return False

    def identity(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message without the values that a client replaces when it copies the message."""
        return message

    def history_held(self, top: Mapping[str, Any]) -> str:
        """Why a request with these values at its top may not be pruned; empty if it may."""
        key = next((key for key in self.held_by if top.get(key) is not None), "")
        return f"the provider holds the history ({key})" if key else ""

    def called_tools(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Name and kind of each tool that a message calls; see `ToolDefinition.kind`."""
        return iter(())

    def define_tools(self, tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
        """Tools as a request declares them; none if the format has no place for them."""
        return []


class Api(Provider):
    """A format in which a client talks to a model."""

    path_end: ClassVar[str] = ""
    """The end of all paths that ask for an answer in this format; empty if `endpoint` decides."""
    upstream: ClassVar[str]
    """The upstream in the settings to which its requests go."""
    version: ClassVar[str] = "/v1"
    """The version that a path gets which has none."""
    own_prefix: ClassVar[str] = ""
    """The beginning of paths that only this upstream has."""
    own_headers: ClassVar[tuple[str, ...]] = ()
    """Headers that only its clients send."""
    own_paths: ClassVar[tuple[str, ...]] = ()
    """The beginnings of further paths of this upstream."""
    schema_keys: ClassVar[tuple[str, ...]] = ("parameters",)
    """The keys under which the definition of a tool has the schema of its arguments."""
    tool_list_keys: ClassVar[tuple[str, ...]] = ()
    """The keys under which one entry of the tools holds several definitions."""
    hides_tools: ClassVar[bool] = True
    """Whether tools can be offered to the model without the client noticing."""
    merges_words: ClassVar[bool] = True
    """Whether a client puts the words of all hops of a turn into one message."""
    operation: ClassVar[str] = "chat"
    """What OpenTelemetry calls a request of this format (`gen_ai.operation.name`)."""
    genai_provider: ClassVar[str]
    """What OpenTelemetry calls the provider at `upstream` (`gen_ai.provider.name`)."""
    lifetimes: ClassVar[tuple[str, ...]] = ()
    """The lifetimes that a request may ask for its cache; none if the provider alone decides."""

    # Requests

    def endpoint(self, path: str) -> Endpoint | None:
        """Return the values in a path that asks for an answer in this format; None for any other path."""
        return Endpoint() if self.path_end and path.endswith(self.path_end) else None

    @abstractmethod
    def call_messages(self, id: str, tool: str, arguments: Mapping[str, Any] | str, text: str) -> list[Any]:
        """The messages of a call and its result."""

    @abstractmethod
    def result_messages(self, results: Sequence[ToolResult]) -> list[Any]:
        """The messages that answer all calls of one message."""

    def place_system_text(self, cut: Frame, text: str) -> list[Change]:
        """The changes that put a text behind the system text of a request.

        There are none if the text stands there already, or if the system text is in no known form.
        """
        (key,) = self.system_keys
        new = with_text(cut.prompt.get(key), text)
        return [] if new is None else [place_beside(cut, key, new)]

    def streams_arguments(self, cut: Frame) -> bool:
        """Whether a request asks for arguments in pieces that this format's stream cannot put together."""
        return False

    def with_lifetime(self, body: bytes, lifetime: str) -> bytes:
        """A request whose cache marks ask for one of `lifetimes`; all other bytes stay."""
        return body

    def cache_reading(self, body: bytes) -> bytes | None:
        """The request that reads the cache of another one for the smallest answer; None if there is none."""
        return None

    # Messages of the model

    def by_model(self, message: Mapping[str, Any]) -> bool:
        """Whether the model wrote this message."""
        return message.get("role") == "assistant"

    @abstractmethod
    def calls_of(self, message: Any) -> Iterator[CallSite]:
        """Yield the calls in a message of the model, except those of the provider's tools or with plain text."""

    @abstractmethod
    def ids_and_words(self, message: Mapping[str, Any]) -> tuple[list[str], str]:
        """The ids of the calls in a message of the model, and its words."""

    @abstractmethod
    def other_parts(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the parts of a model's message that are neither words nor reasoning nor calls of `calls_of`."""

    def thoughts_of(self, messages: Sequence[Any]) -> list[str]:
        """Return texts that identify the reasoning in the messages: signatures, encrypted content, or words."""
        return []

    def sent_back(self, messages: list[Any], sent: bytes, arrived: Frame) -> list[Any]:
        """Messages of an answer as the next request may hold them, given the last request and the client's."""
        return messages

    def restore_hidden(
        self, messages: list[Any], index: int, message: dict[str, Any], record: HiddenExchange
    ) -> None:
        """Put a hidden exchange back around the message at an index of `messages`.

        Where the client's copy of the message has changed too much to tell the hops apart, nothing is done: the
        merged message is a legal request, and costs a cache miss and the decisions of that turn.
        """

    # Answers

    def finishes_turn(self, event: Mapping[str, Any]) -> bool:
        """Whether an event of a stream, or a whole answer, says that the model is done and calls no tool."""
        return False

    @abstractmethod
    def calls_in_answer(self, answer: Any) -> Iterator[CallSite]:
        """The calls in a whole answer, or in a chunk that holds its calls whole."""

    @abstractmethod
    def stream(
        self,
        *,
        streaming: bool,
        ids: Container[str] = (),
        tools: Container[str] = (),
        intents: IntentFilter | None = None,
    ) -> AnswerStream:
        """The reader of one turn's answers.

        `ids` are those that the model may repeat, `tools` those whose calls the client must not see, and `intents`
        takes the intent out of calls.
        """

    @abstractmethod
    def reply(self, text: str, model: str, *, streaming: bool) -> bytes:
        """An answer of the model that says this text."""

    def failure(self, error: Mapping[str, Any]) -> bytes:
        """The end of a stream that cannot be continued."""
        return event({"error": error}) + DONE

    def refusal(self, status: int, kind: str, message: str) -> object:
        """The body of an error, as the SDKs of this provider expect it; most servers write what OpenAI writes."""
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}

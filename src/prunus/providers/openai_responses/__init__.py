"""OpenAI Responses, a flat list of items of which several make one step of the model: `/v1/responses`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from prunus.history import Message
from prunus.json.surrogates import decode
from prunus.providers.blocks import as_json, words_of
from prunus.providers.hidden_calls import (
    CallSite,
    HiddenExchange,
    MixedCall,
    below,
    decoded,
    numbered,
    without_start,
)
from prunus.providers.openai_responses.items import is_served, read_item
from prunus.providers.provider import Api, ToolDefinition, ToolResult
from prunus.providers.rewriting import ordered_like, top_of
from prunus.providers.sse import typed

if TYPE_CHECKING:
    from prunus.providers.answer_stream import AnswerStream
    from prunus.providers.frame import Frame


class OpenAIResponses(Api):
    """The Responses API."""

    name: ClassVar[str] = "openai_responses"
    field: ClassVar[str] = "input"
    system_keys: ClassVar[tuple[str, ...]] = ("instructions",)
    takes_text: ClassVar[bool] = True
    held_by: ClassVar[tuple[str, ...]] = ("previous_response_id", "conversation")
    binds_reasoning: ClassVar[bool] = True
    path_end: ClassVar[str] = "/responses"
    upstream: ClassVar[str] = "openai"
    genai_provider: ClassVar[str] = "openai"
    merges_words: ClassVar[bool] = False

    def claims_message(self, message: Mapping[str, Any]) -> bool:
        return message.get("type") == "message" or ("type" in message and "role" not in message)

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        return read_item(message, raw)

    def called_tools(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        kind = message.get("type")
        if kind in ("function_call", "custom_tool_call"):
            yield str(message.get("name") or ""), str(kind)

    def define_tools(self, tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
        return [_definition(tool) for tool in tools]

    def call_messages(self, id: str, tool: str, arguments: Mapping[str, Any] | str, text: str) -> list[Any]:
        given = arguments if isinstance(arguments, str) else as_json(arguments)
        call = {"type": "function_call", "call_id": id, "name": tool, "arguments": given}
        return [call, *self.result_messages([ToolResult(id, tool, text)])]

    def result_messages(self, results: Sequence[ToolResult]) -> list[Any]:
        return [_output(one.id, one.text) for one in results]

    def by_model(self, message: Mapping[str, Any]) -> bool:
        kind = _kind(message)
        return kind.endswith("_call") or kind == "reasoning" or message.get("role") == "assistant"

    def calls_of(self, message: Any) -> Iterator[CallSite]:
        if not isinstance(message, dict) or message.get("type") != "function_call":
            return
        if isinstance(message.get("arguments"), str):
            yield CallSite.read(("arguments",), message.get("call_id"), message.get("name"), message["arguments"])

    def ids_and_words(self, message: Mapping[str, Any]) -> tuple[list[str], str]:
        kind = _kind(message)
        if kind.endswith("_call") and not is_served(message):
            return [str(message.get("call_id") or message.get("id"))], ""
        return [], words_of(message.get("content")) if kind == "message" else ""

    def other_parts(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [] if _kind(message) in ("message", "reasoning", "function_call") else [dict(message)]

    def thoughts_of(self, messages: Sequence[Any]) -> list[str]:
        thoughts = (item.get("encrypted_content") or item.get("id") for item in messages if _is_reasoning(item))
        return [str(thought) for thought in thoughts if thought]

    def sent_back(self, messages: list[Any], sent: bytes, arrived: Frame) -> list[Any]:
        """Ids of items go back only if the provider keeps the items.

        Keys of reasoning come in the order in which the client writes them, since it will send this item later.
        """
        copy = _newest_reasoning(arrived)
        messages = [ordered_like(item, copy) if _is_reasoning(item) else item for item in messages]
        if bytes(top_of(sent).get("store", b"true")) != b"false":
            return messages
        # Without a store an id names nothing, and reasoning is only understood by its encrypted content.
        kept = [item for item in messages if not _is_reasoning(item) or item.get("encrypted_content")]
        return [{key: value for key, value in item.items() if key != "id"} for item in kept]

    def restore_hidden(
        self, messages: list[Any], index: int, message: dict[str, Any], record: HiddenExchange
    ) -> None:
        start = index
        while start and self.by_model(decoded(messages[start - 1])):
            start -= 1
        if record.messages:
            at = start
            rest, thoughts = record.text, list(record.thoughts)
            served = [_stable(item) for item in record.messages if is_served(item)]
            copies: dict[str, dict[str, Any]] = {}
            while at < index:
                item = decoded(messages[at])
                if _is_reasoning(item) and _reasoning_id(item) in thoughts:
                    thoughts.remove(_reasoning_id(item))
                    copies[_reasoning_id(item)] = item
                elif _stable(item) in served:
                    served.remove(_stable(item))
                elif item.get("role") == "assistant" and rest.strip():
                    shorter = without_start(words_of(item.get("content")), rest)
                    if shorter is None or shorter[0]:
                        return
                    rest = shorter[1]
                else:
                    break
                at += 1
            if rest.strip():
                return
            messages[start:at] = [
                ordered_like(item, copies.get(_reasoning_id(item), {})) if _is_reasoning(item) else item
                for item in record.messages
            ]
            index += len(record.messages) - (at - start)
        for mixed in reversed(record.mixed):
            _restore_mixed(messages, index, mixed)

    def calls_in_answer(self, answer: Any) -> Iterator[CallSite]:
        for at, item in numbered(answer.get("output") if isinstance(answer, dict) else None):
            yield from below(("output", at), self.calls_of(item))

    def stream(self, **given: Any) -> AnswerStream:
        from prunus.providers.openai_responses.stream import ResponsesStream

        return ResponsesStream(self, **given)

    def reply(self, text: str, model: str, *, streaming: bool) -> bytes:
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {
            "id": "msg_prunus",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
        head = {"id": "resp_prunus", "object": "response", "created_at": 0}
        usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
        whole = {**head, "status": "completed", "model": model, "output": [item], "usage": usage}
        if not streaming:
            return msgspec.json.encode(whole)
        begun = {**head, "status": "in_progress", "model": model, "output": [], "usage": None}
        place = {"output_index": 0, "item_id": item["id"], "content_index": 0}
        empty = {**item, "status": "in_progress", "content": []}
        steps: tuple[dict[str, Any], ...] = (
            {"type": "response.created", "response": begun},
            {"type": "response.output_item.added", "output_index": 0, "item": empty},
            {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
            {"type": "response.output_text.delta", **place, "delta": text},
            {"type": "response.output_text.done", **place, "text": text},
            {"type": "response.content_part.done", **place, "part": part},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        )
        return b"".join(typed({**step, "sequence_number": number}) for number, step in enumerate(steps))

    def failure(self, error: Mapping[str, Any]) -> bytes:
        failed = {"code": str(error.get("code") or "server_error"), "message": str(error.get("message", ""))}
        response = {"id": "prunus", "object": "response", "status": "failed", "error": failed}
        return typed({"type": "response.failed", "response": response})


def _definition(tool: ToolDefinition) -> dict[str, Any]:
    if tool.kind == "custom_tool_call":
        return {"type": "custom", "name": tool.name}
    return {"type": "function", "name": tool.name, **tool.described(), "parameters": tool.schema, "strict": False}


def _kind(item: Mapping[str, Any]) -> str:
    return str(item.get("type", "message"))


def _is_reasoning(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "reasoning"


def _output(id: str, text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": text}


def _reasoning_id(item: Mapping[str, Any]) -> str:
    """Return a text that identifies a reasoning item in every copy of it."""
    return str(item.get("encrypted_content") or item.get("id") or as_json(item.get("summary")))


def _stable(item: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an item that every copy of it has."""
    return {key: value for key, value in item.items() if key not in ("id", "status")}


def _newest_reasoning(arrived: Frame) -> dict[str, Any]:
    """The client's copy of the newest reasoning that it sends; empty if it sends none."""
    for index in reversed(range(len(arrived))):
        raw = arrived.raw(index)
        item = decode(raw) if b'"reasoning"' in raw else None
        if isinstance(item, dict) and _is_reasoning(item):
            return item
    return {}


def _restore_mixed(messages: list[Any], first: int, mixed: MixedCall) -> None:
    """Put a hidden call among the calls of its step, and its output among their outputs."""
    calls: list[int] = []
    outputs: list[int] = []
    for at in range(first, len(messages)):
        item = decoded(messages[at])
        kind = _kind(item)
        if is_served(item) and not outputs:
            continue
        if kind.endswith("_call") and not outputs:
            calls.append(at)
        elif kind.endswith("_output"):
            outputs.append(at)
        elif outputs or kind != "reasoning":
            break
    if not outputs:
        return
    at = outputs[mixed.before] if mixed.before < len(outputs) else outputs[-1] + 1
    messages.insert(at, _output(mixed.id, mixed.text))
    at = calls[mixed.before] if mixed.before < len(calls) else calls[-1] + 1
    messages.insert(at, mixed.call)

"""OpenAI Chat Completions, and the many servers that speak it: `/v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from prunus.history import Message
from prunus.json.splice import splice, values
from prunus.providers.blocks import as_json, dicts, words_of
from prunus.providers.hidden_calls import BETWEEN, CallSite, HiddenExchange, below, decoded, numbered, without_start
from prunus.providers.openai_chat.messages import THOUGHTS, read_message
from prunus.providers.provider import Api, ToolDefinition, ToolResult
from prunus.providers.rewriting import Change, with_text
from prunus.providers.sse import DONE, event

if TYPE_CHECKING:
    from prunus.providers.answer_stream import AnswerStream
    from prunus.providers.frame import Frame

_SYSTEM: Final = ("system", "developer")
"""The roles of system text."""
_OWN_KEYS: Final = frozenset({"tool_calls", "function_call", "reasoning_content", "tool_call_id"})
_OWN_BLOCKS: Final = frozenset({"image_url", "input_audio", "refusal", "tool_call", "tool_output"})


class OpenAIChat(Api):
    """The Chat Completions API."""

    name: ClassVar[str] = "openai_chat"
    field: ClassVar[str] = "messages"
    path_end: ClassVar[str] = "/chat/completions"
    upstream: ClassVar[str] = "openai"
    genai_provider: ClassVar[str] = "openai"

    def claims_message(self, message: Mapping[str, Any]) -> bool:
        return message.get("role") in ("tool", "function", "developer") or not _OWN_KEYS.isdisjoint(message)

    def claims_block(self, kind: str, block: Any) -> bool:
        return kind in _OWN_BLOCKS

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        return read_message(message, raw)

    def called_tools(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        functions = (call.get("function") for call in dicts(message.get("tool_calls")))
        return ((str(f.get("name") or "") if isinstance(f, dict) else "", "function") for f in functions)

    def define_tools(self, tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
        functions = ({"name": tool.name, **tool.described(), "parameters": tool.schema} for tool in tools)
        return [{"type": "function", "function": function} for function in functions]

    def call_messages(self, id: str, tool: str, arguments: Mapping[str, Any] | str, text: str) -> list[Any]:
        given = arguments if isinstance(arguments, str) else as_json(arguments)
        call = {"id": id, "type": "function", "function": {"name": tool, "arguments": given}}
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        return [said, *self.result_messages([ToolResult(id, tool, text)])]

    def result_messages(self, results: Sequence[ToolResult]) -> list[Any]:
        return [{"role": "tool", "tool_call_id": one.id, "content": one.text} for one in results]

    def place_system_text(self, cut: Frame, text: str) -> list[Change]:
        """System text is the first message; a request without one gets a new first message."""
        if not cut.starts:
            return []
        start, end, first = cut.starts[0], cut.ends[0], cut.raw(0)
        fields = values(first) if first[:1] == b"{" else {}
        role = fields.get("role", b"").strip(b'"').decode("utf-8", "replace")
        if role not in _SYSTEM:
            return [(start, start, msgspec.json.encode({"role": "system", "content": text}) + b",")]
        new = with_text(fields.get("content"), text)
        return [] if new is None else [(start, end, splice(first, {("content",): new}))]

    def calls_of(self, message: Any) -> Iterator[CallSite]:
        for at, call in numbered(message.get("tool_calls") if isinstance(message, dict) else None):
            made = call.get("function")
            if isinstance(made, dict) and isinstance(made.get("arguments"), str):
                path = ("tool_calls", at, "function", "arguments")
                yield CallSite.read(path, call.get("id"), made.get("name"), made["arguments"])

    def ids_and_words(self, message: Mapping[str, Any]) -> tuple[list[str], str]:
        ids = [str(call.get("id")) for call in dicts(message.get("tool_calls"))]
        return ids, words_of(message.get("content"))

    def other_parts(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [call for call in dicts(message.get("tool_calls")) if "function" not in call]

    def thoughts_of(self, messages: Sequence[Any]) -> list[str]:
        return [message[key] for message in messages for key in THOUGHTS if isinstance(message.get(key), str)]

    def restore_hidden(
        self, messages: list[Any], index: int, message: dict[str, Any], record: HiddenExchange
    ) -> None:
        last = dict(message)
        content = message.get("content")
        if record.text:
            shorter = without_start(content, record.text) if isinstance(content, str) else None
            if shorter is None or shorter[1].strip():
                return
            last["content"] = shorter[0].removeprefix(BETWEEN) or None
        for key in THOUGHTS:
            for thought in record.thoughts:
                if isinstance(last.get(key), str) and thought:
                    last[key] = last[key].removeprefix(thought)
        if record.mixed:
            made = message.get("tool_calls")
            calls = list(made) if isinstance(made, list) else []
            end = index + 1
            while end < len(messages) and decoded(messages[end]).get("role") == "tool":
                end += 1
            results = messages[index + 1 : end]
            if not results:
                return
            for mixed in reversed(record.mixed):
                calls.insert(min(mixed.before, len(calls)), mixed.call)
                answer = {"role": "tool", "tool_call_id": mixed.id, "content": mixed.text}
                results.insert(min(mixed.before, len(results)), answer)
            last["tool_calls"] = calls
            messages[index + 1 : end] = results
        kept = [last] if last.get("content") or last.get("tool_calls") else []
        messages[index : index + 1] = [*record.messages, *kept]

    def calls_in_answer(self, answer: Any) -> Iterator[CallSite]:
        for at, choice in numbered(answer.get("choices") if isinstance(answer, dict) else None):
            yield from below(("choices", at, "message"), self.calls_of(choice.get("message")))

    def stream(self, **given: Any) -> AnswerStream:
        from prunus.providers.openai_chat.stream import ChatStream

        return ChatStream(self, **given)

    def reply(self, text: str, model: str, *, streaming: bool) -> bytes:
        head = {"id": "chatcmpl-prunus", "object": "chat.completion", "created": 0, "model": model}
        said = {"role": "assistant", "content": text}
        if not streaming:
            usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
            choice = {"index": 0, "message": said, "finish_reason": "stop"}
            return msgspec.json.encode({**head, "choices": [choice], "usage": usage})
        head["object"] = "chat.completion.chunk"
        deltas: tuple[tuple[dict[str, Any], str | None], ...] = ((said, None), ({}, "stop"))
        choices = ({"index": 0, "delta": delta, "finish_reason": reason} for delta, reason in deltas)
        return b"".join(event({**head, "choices": [choice]}) for choice in choices) + DONE

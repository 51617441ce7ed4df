"""OpenAI Chat Completions, and the many servers that speak it: `/v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from prunus.history import Attachment, Call, Message, Opaque, Part, Role, Thinking
from prunus.json.splice import Path, splice, values
from prunus.providers.blocks import (
    BlockReader,
    as_json,
    data_url,
    dicts,
    function_call,
    kind_of,
    listed,
    marks_of,
    words_of,
)
from prunus.providers.hidden_calls import BETWEEN, CallSite, HiddenExchange, below, decoded, numbered, without_start
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
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_DETAILS: Final = ("reasoning_details", "thinking_blocks")
"""The keys under which OpenRouter and LiteLLM keep the reasoning as the model's own provider wrote it."""
_GEMINI: Final = '"google-gemini-'
"""In OpenRouter's details, the format of signatures that belong to the calls beside them."""
THOUGHTS = ("reasoning_content", "reasoning")
"""The keys under which servers write the model's reasoning."""


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
        role = _ROLES.get(str(message.get("role")), "user")
        parts: list[Part] = []
        # DeepSeek and Kimi refuse an assistant message with calls whose reasoning_content is missing or empty.
        # A server that takes the details reads the reasoning from them, so a cut of its text would save nothing.
        detailed = any(message.get(key) for key in _DETAILS)
        for key in THOUGHTS:
            if isinstance(message.get(key), str):
                parts.append(Thinking(message[key], required=True, fixed=detailed, at=(key,)))
        if role == "tool":
            parts += _result(message, len(parts))
        else:
            parts += _BLOCKS.content(message.get("content"), ("content",))
        _read_calls(message, parts)
        return Message(role, tuple(parts), raw, spoken=role == "user")

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
            calls = list(listed(message.get("tool_calls")))
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


def _read_calls(message: Mapping[str, Any], parts: list[Part]) -> None:
    signed = _GEMINI in as_json(message.get("reasoning_details"))
    for i, call in enumerate(listed(message.get("tool_calls"))):
        at: Path = ("tool_calls", i)
        function = call.get("function") if isinstance(call, dict) else None
        custom = call.get("custom") if isinstance(call, dict) else None
        if isinstance(function, dict):
            parts.append(function_call(call.get("id"), function, (*at, "function"), signed=signed or _signed(call)))
        elif isinstance(custom, dict) and isinstance(custom.get("input"), str):
            text = custom["input"]
            parts.append(
                Call(str(call.get("id")), str(custom.get("name")), text, text, at=(*at, "custom", "input"))
            )
        else:
            parts.append(Opaque("tool_call", as_json(call), at=at))
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        parts.append(function_call("", legacy, ("function_call",)))


def _signed(call: Mapping[str, Any]) -> bool:
    """Whether Gemini signed a call; Google puts the signature beside the function, LiteLLM also into it."""
    function = call["function"]
    beside = [value for key, value in call.items() if key != "function"]
    within = [value for key, value in function.items() if key != "arguments"]
    return "thought_signature" in as_json([*beside, *within])


def _result(message: Mapping[str, Any], index: int) -> tuple[Part, ...]:
    content, block = message.get("content"), "text"
    if isinstance(content, list):
        # Exports of other agents write their own block types; an edit writes the first of these types.
        kinds = dict.fromkeys(kind_of(item) for item in dicts(content) if "text" in item)
        block = next(iter(kinds), "text") if "text" not in kinds else "text"
    reader = _BLOCKS if block == "text" else replace(_BLOCKS, texts=frozenset({block}))
    id, fixed = str(message.get("tool_call_id") or ""), "content" not in message
    return reader.result(id, content, ("content",), index, block=block, fixed=fixed)


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    kind = kind_of(block)
    value = block.get(kind)
    value = value if isinstance(value, dict) else {}
    media, size = data_url(value.get("url") or value.get("file_data"))
    if kind == "input_audio":
        media, size = f"audio/{value.get('format', '')}", len(str(value.get("data", "")))
    name = value.get("filename") or value.get("file_id") or (kind if size else value.get("url")) or kind
    return Attachment(str(name), media or kind, size, inside, block={"type": "text", **marks_of(block)}, at=at)


_BLOCKS = BlockReader(frozenset({"text"}), frozenset({"image_url", "input_audio", "file"}), _attachment)

"""Anthropic Messages, with content blocks, results inside user messages, and signed thinking: `/v1/messages`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.json.splice import Path
from prunus.providers.anthropic.cache_marks import cache_reading, with_lifetime
from prunus.providers.blocks import (
    BlockReader,
    arguments_object,
    as_json,
    dicts,
    kind_of,
    listed,
    marks_of,
    words_of,
)
from prunus.providers.hidden_calls import CallSite, HiddenExchange, decoded, insert_counted, numbered, without_start
from prunus.providers.provider import Api, Endpoint, ToolDefinition, ToolResult
from prunus.providers.sse import typed
from prunus.value import replace

if TYPE_CHECKING:
    from prunus.providers.answer_stream import AnswerStream

_PATH: Final = re.compile(r"(?!.*/threads/).*/messages")
"""OpenAI has messages too, in threads."""
_THOUGHTS: Final = ("thinking", "redacted_thinking")
_OWN_BLOCKS: Final = frozenset({"tool_use", "tool_result", "redacted_thinking", "server_tool_use"})
_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system"}


class Anthropic(Api):
    """The Messages API."""

    name: ClassVar[str] = "anthropic_messages"
    field: ClassVar[str] = "messages"
    system_keys: ClassVar[tuple[str, ...]] = ("system",)
    upstream: ClassVar[str] = "anthropic"
    genai_provider: ClassVar[str] = "anthropic"
    own_headers: ClassVar[tuple[str, ...]] = ("anthropic-version", "anthropic-beta", "x-api-key")
    own_paths: ClassVar[tuple[str, ...]] = ("/v1/messages", "/messages/", "/v1/complete", "/api/")
    required: ClassVar[Mapping[str, Any]] = {"max_tokens": 32_000}
    schema_keys: ClassVar[tuple[str, ...]] = ("input_schema",)
    lifetimes: ClassVar[tuple[str, ...]] = ("5m", "1h")

    def claims_request(self, top: Mapping[str, Any]) -> bool:
        return "anthropic_version" in top or any("input_schema" in tool for tool in _tools(top))

    def claims_block(self, kind: str, block: Any) -> bool:
        if kind == "thinking":
            # Mistral's thinking, in Chat Completions, is a list.
            return isinstance(block.get("thinking"), str)
        return kind in _OWN_BLOCKS or (kind in ("image", "document") and "source" in block)

    def suggested_by(self, top: Mapping[str, Any]) -> bool:
        model = top.get("model")
        functions = any("function" in tool or tool.get("type") == "function" for tool in _tools(top))
        return "system" in top or (isinstance(model, str) and "claude" in model and not functions)

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        content = message.get("content")
        parts: list[Part] = [Text(content, at=("content",))] if isinstance(content, str) else []
        for i, block in enumerate(listed(content)):
            _read(block, ("content", i), parts)
        role = _ROLES.get(str(message.get("role")), "user")
        spoken = role == "user" and not any(isinstance(part, Result) for part in parts)
        return Message(role, tuple(parts), raw, spoken=spoken)

    def endpoint(self, path: str) -> Endpoint | None:
        return Endpoint() if _PATH.fullmatch(path) else None

    def called_tools(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        return ((str(block.get("name") or ""), "function") for block in _calls(message.get("content")))

    def define_tools(self, tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
        return [{"name": tool.name, **tool.described(), "input_schema": tool.schema} for tool in tools]

    def call_messages(self, id: str, tool: str, arguments: Mapping[str, Any] | str, text: str) -> list[Any]:
        call = {"type": "tool_use", "id": id, "name": tool, "input": arguments_object(arguments)}
        return [{"role": "assistant", "content": [call]}, *self.result_messages([ToolResult(id, tool, text)])]

    def result_messages(self, results: Sequence[ToolResult]) -> list[Any]:
        return [{"role": "user", "content": [_result(one.id, one.text) for one in results]}]

    def calls_of(self, message: Any) -> Iterator[CallSite]:
        for at, block in numbered(message.get("content") if isinstance(message, dict) else None):
            if block.get("type") == "tool_use" and isinstance(block.get("input"), dict):
                yield CallSite.read(("content", at, "input"), block.get("id"), block.get("name"), block["input"])

    def ids_and_words(self, message: Mapping[str, Any]) -> tuple[list[str], str]:
        content = message.get("content")
        words = content if isinstance(content, str) else [b for b in dicts(content) if b.get("type") == "text"]
        return [str(block.get("id")) for block in _calls(content)], words_of(words)

    def other_parts(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [
            block
            for block in dicts(message.get("content"))
            if block.get("type") not in ("text", *_THOUGHTS)
            and not (block.get("type") == "tool_use" and isinstance(block.get("input"), dict))
        ]

    def thoughts_of(self, messages: Sequence[Any]) -> list[str]:
        return [thought for message in messages for b in dicts(message.get("content")) if (thought := _thought(b))]

    def restore_hidden(
        self, messages: list[Any], index: int, message: dict[str, Any], record: HiddenExchange
    ) -> None:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        left = _last_hop(blocks, record) if isinstance(blocks, list) else None
        if left is None:
            return
        following = decoded(messages[index + 1]) if index + 1 < len(messages) else {}
        answers = following.get("content")
        if record.mixed and isinstance(answers, list):
            results = list(answers)
            for mixed in reversed(record.mixed):
                insert_counted(left, mixed.call, mixed.before, lambda block: block.get("type") == "tool_use")
                result = _result(mixed.id, mixed.text)
                insert_counted(results, result, mixed.before, lambda block: block.get("type") == "tool_result")
            messages[index + 1] = {**following, "content": results}
        elif not record.messages:
            return
        messages[index : index + 1] = [*record.messages, *([{**message, "content": left}] if left else [])]

    def with_lifetime(self, body: bytes, lifetime: str) -> bytes:
        return with_lifetime(body, lifetime)

    def cache_reading(self, body: bytes) -> bytes | None:
        return cache_reading(body)

    def finishes_turn(self, event: Mapping[str, Any]) -> bool:
        ended = ("end_turn", "stop_sequence")
        return any(one.get("stop_reason") in ended for one in dicts([event, event.get("delta")]))

    def calls_in_answer(self, answer: Any) -> Iterator[CallSite]:
        return self.calls_of(answer)

    def stream(self, **given: Any) -> AnswerStream:
        from prunus.providers.anthropic.stream import AnthropicStream

        return AnthropicStream(self, **given)

    def reply(self, text: str, model: str, *, streaming: bool) -> bytes:
        if not streaming:
            return msgspec.json.encode(_message(text, model))
        delta = {"type": "text_delta", "text": text}
        ended = {"stop_reason": "end_turn", "stop_sequence": None}
        steps = (
            {"type": "message_start", "message": _message("", model)},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 0}},
            {"type": "message_stop"},
        )
        return b"".join(map(typed, steps))

    def failure(self, error: Mapping[str, Any]) -> bytes:
        return typed({"type": "error", "error": error})

    def refusal(self, status: int, kind: str, message: str) -> object:
        return {"type": "error", "error": {"type": kind, "message": message}}


def _tools(top: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools = top.get("tools")
    return dicts(list(tools) if isinstance(tools, tuple) else tools)


def _calls(content: object) -> list[dict[str, Any]]:
    return [block for block in dicts(content) if block.get("type") == "tool_use"]


def _result(id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def _thought(block: Mapping[str, Any]) -> str:
    if block.get("type") not in _THOUGHTS:
        return ""
    return str(block.get("signature") or block.get("data") or block.get("thinking") or "")


def _last_hop(blocks: list[Any], record: HiddenExchange) -> list[Any] | None:
    """The blocks of the last hop in a merged message; None if they cannot be told from those before."""
    rest, thoughts = record.text, list(record.thoughts)
    served = [_served(block) for message in record.messages for block in dicts(message.get("content"))]
    left: list[Any] = []
    for block in blocks:
        kind = kind_of(block)
        thought = _thought(block) if isinstance(block, dict) else ""
        if thought and thought in thoughts:
            thoughts.remove(thought)
        elif any(_served(block)) and _served(block) in served:
            served.remove(_served(block))
        elif rest.strip() and kind == "text":
            shorter = without_start(str(block.get("text", "")), rest)
            if shorter is None:
                return None
            text, rest = shorter
            if text:
                left.append({**block, "text": text})
        elif rest.strip() and kind == "tool_use":
            return None
        else:
            left.append(block)
    return None if rest.strip() else left


def _served(block: Any) -> tuple[str, str]:
    """The ids of a call that the provider runs, or of its result; empty for any other block."""
    if kind_of(block) in ("tool_use", "tool_result"):
        return "", ""
    return str(block.get("id") or ""), str(block.get("tool_use_id") or "")


def _message(text: str, model: str) -> dict[str, Any]:
    return {
        "id": "msg_prunus",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": "end_turn" if text else None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _read(block: Any, at: Path, parts: list[Part]) -> None:
    kind = kind_of(block)
    match kind:
        case "text" if isinstance(block.get("text"), str):
            parts.append(Text(block["text"], at=(*at, "text")))
        case "thinking":
            signature = str(block.get("signature", ""))
            _add_thinking(Thinking(str(block.get("thinking", "")), len(signature), at=at), parts)
        case "redacted_thinking":
            _add_thinking(Thinking("", len(str(block.get("data", ""))), at=at), parts)
        case "tool_use" | "mcp_tool_use" if isinstance(block.get("input"), dict) and not _by_program(block):
            value, name = block["input"], str(block.get("name"))
            tool = name if kind == "tool_use" else f"mcp__{block.get('server_name')}__{name}"
            parts.append(Call(str(block.get("id")), tool, value, as_json(value), at=(*at, "input")))
        case "tool_result" | "mcp_tool_result":
            id, error = str(block.get("tool_use_id")), block.get("is_error") is True
            fixed = "content" not in block
            content, place = block.get("content"), (*at, "content")
            parts += _BLOCKS.result(id, content, place, len(parts), error=error, fixed=fixed)
        case "image" | "document":
            parts.append(_attachment(block, at, None))
        case _:
            parts.append(Opaque(kind, as_json(block), at=at))


def _by_program(call: Mapping[str, Any]) -> bool:
    """Whether code of the model made a call. Only that code sees the result, so a cut would save no tokens."""
    caller = call.get("caller")
    return isinstance(caller, dict) and caller.get("type") != "direct"


def _add_thinking(thinking: Thinking, parts: list[Part]) -> None:
    """Add a thinking block; blocks side by side become one part, as the provider accepts only the whole run."""
    before = parts[-1] if parts else None
    if not isinstance(before, Thinking):
        parts.append(thinking)
        return
    text = "\n".join(filter(None, (before.text, thinking.text)))
    extra = (*before.extra, thinking.at)
    parts[-1] = replace(before, text=text, hidden=before.hidden + thinking.hidden, extra=extra)


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    source = block.get("source")
    source = source if isinstance(source, dict) else {}
    data = source.get("data")
    return Attachment(
        str(block.get("title") or source.get("url") or source.get("file_id") or block.get("type")),
        str(source.get("media_type") or block.get("type")),
        (len(data) * 4 // 3 if source.get("type") == "text" else len(data)) if isinstance(data, str) else 0,
        inside,
        block={"type": "text", **marks_of(block)},
        at=at,
    )


_BLOCKS = BlockReader(frozenset({"text"}), frozenset({"image", "document"}), _attachment)

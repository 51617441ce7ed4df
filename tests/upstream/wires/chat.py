"""The Chat Completions API of OpenAI."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.upstream.values import Json, Past, Tool, Turn, Usage, pieces, sse

__all__ = ["Chat", "openai_error"]

ERRORS = {401: "invalid_api_key", 404: "not_found", 429: "rate_limit_exceeded"}


class Chat:
    """Chat Completions: `/v1/chat/completions`."""

    format = "openai_chat"

    def tools(self, body: Json) -> tuple[Tool, ...]:
        functions = [tool.get("function") or {} for tool in body.get("tools") or ()]
        return tuple(
            Tool(f.get("name", ""), frozenset((f.get("parameters") or {}).get("properties") or ()))
            for f in functions
        )

    def past(self, body: Json) -> Past:
        messages = body.get("messages") or []
        calls = [call["id"] for m in messages for call in m.get("tool_calls") or ()]
        said = [_text(m.get("content")) for m in messages if m.get("role") == "assistant"]
        heard = [_text(m.get("content")) for m in messages if m.get("role") not in ("assistant", "tool")]
        results = {m["tool_call_id"]: _text(m.get("content")) for m in messages if m.get("role") == "tool"}
        return Past(tuple(calls), tuple(said), tuple(heard), results)

    def head(self, body: Json) -> list[Any]:
        return [body.get("model"), body.get("tools")]

    def messages(self, body: Json) -> list[Json]:
        return list(body["messages"])

    def by_model(self, message: Json) -> bool:
        return message.get("role") == "assistant"

    def thinks(self, body: Json) -> bool:
        return False

    def lifetime(self, body: Json) -> float:
        return 300.0

    def signatures(self, body: Json) -> Iterator[str]:
        return iter(())

    def refusals(self, body: Json) -> Iterator[str]:
        for key in ("model", "messages"):
            if not body.get(key):
                yield f"you must provide a {key} parameter"
        ids = Counter(call.get("id") for m in body.get("messages") or () for call in m.get("tool_calls") or ())
        for id, count in ids.items():
            if count > 1 or not id:
                yield f"tool_calls: id {id!r} is missing or not unique"
        names = Counter((tool.get("function") or {}).get("name") for tool in body.get("tools") or ())
        for name, count in names.items():
            if count > 1 or not name:
                yield f"tools: {name!r} is missing or not unique"
        if body.get("tools") == []:
            yield "[] is too short - 'tools'"

    def answer(self, body: Json, turn: Turn, usage: Usage) -> Json:
        message: Json = {"role": "assistant", "content": turn.text, "refusal": None}
        if turn.calls:
            message["tool_calls"] = list(_calls(turn))
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(turn)}
        return _chunk(body, turn, "chat.completion") | {"choices": [choice], "usage": _usage(usage)}

    def events(self, body: Json, turn: Turn, usage: Usage) -> Iterator[bytes]:
        def chunk(delta: Json, finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return sse(_chunk(body, turn, "chat.completion.chunk") | {"choices": [choice]})

        yield chunk({"role": "assistant", "content": ""})
        for part in pieces(turn.text):
            yield chunk({"content": part})
        for index, call in enumerate(_calls(turn)):
            arguments = call["function"]["arguments"]
            first = call | {"index": index, "function": call["function"] | {"arguments": ""}}
            yield chunk({"tool_calls": [first]})
            for part in pieces(arguments):
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
        yield chunk({}, _finish(turn))
        if (body.get("stream_options") or {}).get("include_usage"):
            yield sse(_chunk(body, turn, "chat.completion.chunk") | {"choices": [], "usage": _usage(usage)})
        yield b"data: [DONE]\n\n"

    def error(self, status: int, message: str) -> Json:
        return openai_error(status, message)


def openai_error(status: int, message: str) -> Json:
    """An error in the shape that both APIs of OpenAI use."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": ERRORS.get(status)}}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _calls(turn: Turn) -> Iterator[Json]:
    for call in turn.calls:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        yield {"id": f"call_{call.id}", "type": "function", "function": function}


def _finish(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "stop"


def _chunk(body: Json, turn: Turn, kind: str) -> Json:
    id = f"chatcmpl-{turn.tag}{turn.step:03d}"
    return {"id": id, "object": kind, "created": 1794700000, "model": body["model"], "service_tier": "default"}


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }

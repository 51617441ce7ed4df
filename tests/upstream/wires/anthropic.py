"""The Messages API of Anthropic."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.upstream.signing import place, sign, signed_step
from tests.upstream.values import Json, Past, Tool, Turn, Usage, pieces, sse

__all__ = ["Anthropic"]

LIVES = {"5m": 300.0, "1h": 3600.0}
THINKING = ("thinking", "redacted_thinking")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
KEYS = {
    "text": {"type", "text", "cache_control", "citations"},
    "thinking": {"type", "thinking", "signature"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Anthropic:
    """The Messages API: `/v1/messages`."""

    format = "anthropic_messages"

    def tools(self, body: Json) -> tuple[Tool, ...]:
        return tuple(
            Tool(tool.get("name", ""), frozenset((tool.get("input_schema") or {}).get("properties") or ()))
            for tool in body.get("tools") or ()
        )

    def past(self, body: Json) -> Past:
        ids: list[str] = []
        said: list[str] = []
        heard: list[str] = []
        results: dict[str, str] = {}
        for message in body.get("messages") or ():
            for block in _blocks(message):
                match block.get("type"):
                    case "tool_use":
                        ids.append(block["id"])
                    case "tool_result":
                        results[block["tool_use_id"]] = _text(block.get("content", ""))
                    case "text":
                        (said if message["role"] == "assistant" else heard).append(block["text"])
        return Past(tuple(ids), tuple(said), tuple(heard), results)

    def head(self, body: Json) -> list[Any]:
        return [_bare(body.get(key)) for key in ("model", "tools", "system")]

    def messages(self, body: Json) -> list[Json]:
        # Clients write the same text as a string or as one block, depending on whether a cache marker is on it.
        return [_bare(message | {"content": _blocks(message)}) for message in body["messages"]]

    def by_model(self, message: Json) -> bool:
        return message.get("role") == "assistant"

    def thinks(self, body: Json) -> bool:
        return (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")

    def lifetime(self, body: Json) -> float:
        lives = [LIVES.get(mark.get("ttl", "5m"), 0.0) for mark in _marks(body)]
        return max(lives, default=0.0)

    def signatures(self, body: Json) -> Iterator[str]:
        messages = body["messages"]
        open_loop = max((i for i, m in enumerate(messages) if _spoken(m)), default=-1)
        for i, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            blocks = _blocks(message)
            steps = {found[1] for b in blocks if b.get("type") == "tool_use" and (found := place(b["id"]))}
            signed = set()
            for block in blocks:
                if block.get("type") != "thinking":
                    continue
                step = signed_step(block.get("signature", ""), block.get("thinking", ""))
                signed.add(step)
                if step is None:
                    yield f"messages.{i}: Invalid `signature` in `thinking` block"
                elif steps and step not in steps:
                    yield f"messages.{i}: `thinking` of step {step} in the message of {sorted(steps)}"
            if i > open_loop and self.thinks(body) and steps and not signed:
                first = blocks[0].get("type")
                yield f"messages.{i}: Expected `thinking` or `redacted_thinking`, but found `{first}`"
            if len(steps) > 1:
                yield f"messages.{i}: the calls of steps {sorted(steps)} in one message"

    def refusals(self, body: Json) -> Iterator[str]:
        for key in ("model", "max_tokens", "messages"):
            if body.get(key) in (None, "", []):
                yield f"{key}: Field required"
        if body.get("max_tokens") == 0 and any(self._answers_anyway(body)):
            yield "max_tokens: 0 is not permitted with streaming, thinking, a forced tool or an output format"
        ttls = [mark.get("ttl", "5m") for mark in _marks(body)]
        if any(ttl not in LIVES for ttl in ttls):
            yield "cache_control.ttl: Input should be '5m' or '1h'"
        if "1h" in ttls[ttls.index("5m") :] if "5m" in ttls else False:
            yield "cache_control: a ttl='1h' block must not come after a ttl='5m' block"
        messages = body.get("messages") or []
        if messages and messages[0].get("role") != "user":
            yield 'messages: first message must use the "user" role'
        blocks = [block for message in messages for block in _blocks(message)]
        ids = Counter(block.get("id") for block in blocks if block.get("type") == "tool_use")
        for id, count in ids.items():
            if count > 1 or not NAME.fullmatch(str(id)):
                yield f"tool_use.id: {id!r} is not unique or not well-formed"
        for block in blocks:
            kind = str(block.get("type"))
            if extra := set(block) - KEYS.get(kind, set(block)):
                yield f"{kind}.{min(extra)}: Extra inputs are not permitted"
        budget = (body.get("thinking") or {}).get("budget_tokens", 0)
        if budget >= body.get("max_tokens", 0) > 0:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`"
        names = Counter(tool.get("name") for tool in body.get("tools") or ())
        for name, count in names.items():
            if count > 1 or not NAME.fullmatch(str(name)):
                yield f"tools: {name!r} is not unique or not well-formed"

    def _answers_anyway(self, body: Json) -> Iterator[bool]:
        yield bool(body.get("stream"))
        yield (body.get("thinking") or {}).get("type") == "enabled"
        yield (body.get("tool_choice") or {}).get("type") in ("any", "tool")
        yield bool((body.get("output_config") or {}).get("format"))

    def answer(self, body: Json, turn: Turn, usage: Usage) -> Json:
        if body["max_tokens"] == 0:
            silent = _usage(usage) | {"output_tokens": 0}
            return _message(body, turn) | {"content": [], "stop_reason": "max_tokens", "usage": silent}
        content = list(_content(body, turn))
        stop = "tool_use" if turn.calls else "end_turn"
        return _message(body, turn) | {"content": content, "stop_reason": stop, "usage": _usage(usage)}

    def events(self, body: Json, turn: Turn, usage: Usage) -> Iterator[bytes]:
        start = _message(body, turn) | {"usage": _usage(usage) | {"output_tokens": 1}}
        yield sse({"type": "message_start", "message": start}, "message_start")
        yield sse({"type": "ping"}, "ping")
        for index, block in enumerate(_content(body, turn)):
            deltas: list[Json]
            match block["type"]:
                case "thinking":
                    empty = block | {"thinking": "", "signature": ""}
                    deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"])]
                    deltas.append({"type": "signature_delta", "signature": block["signature"]})
                case "text":
                    empty = block | {"text": ""}
                    deltas = [{"type": "text_delta", "text": part} for part in pieces(block["text"])]
                case _:
                    empty = block | {"input": {}}
                    written = ["", *pieces(json.dumps(block["input"]))]
                    deltas = [{"type": "input_json_delta", "partial_json": part} for part in written]
            place = {"index": index}
            yield sse({"type": "content_block_start", **place, "content_block": empty}, "content_block_start")
            for delta in deltas:
                yield sse({"type": "content_block_delta", **place, "delta": delta}, "content_block_delta")
            yield sse({"type": "content_block_stop", **place}, "content_block_stop")
        stop = {"stop_reason": "tool_use" if turn.calls else "end_turn", "stop_sequence": None}
        yield sse({"type": "message_delta", "delta": stop, "usage": _usage(usage)}, "message_delta")
        yield sse({"type": "message_stop"}, "message_stop")

    def error(self, status: int, message: str) -> Json:
        kind = ERRORS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_upstream"}


def _blocks(message: Json) -> list[Json]:
    content = message.get("content") or ()
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


def _marks(body: Json) -> Iterator[Json]:
    """The cache marks in the order in which the provider reads what they mark."""
    parts = [*(body.get("tools") or ()), *(_blocks({"content": body.get("system")}))]
    for message in body.get("messages") or ():
        for block in _blocks(message):
            inner = block.get("content")
            parts += [*(inner if isinstance(inner, list) else ()), block]
    yield from (part["cache_control"] for part in (*parts, body) if part.get("cache_control"))


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if key != "cache_control"}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def _spoken(message: Json) -> bool:
    return message.get("role") == "user" and not any(b.get("type") == "tool_result" for b in _blocks(message))


def _content(body: Json, turn: Turn) -> Iterator[Json]:
    if turn.thinking:
        shown = "" if (body.get("thinking") or {}).get("display") == "omitted" else turn.thinking
        yield {"type": "thinking", "thinking": shown, "signature": sign(shown, turn.tag, turn.step)}
    if turn.text:
        yield {"type": "text", "text": turn.text}
    for call in turn.calls:
        yield {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.name, "input": call.arguments}


def _message(body: Json, turn: Turn) -> Json:
    return {
        "id": f"msg_{turn.tag}{turn.step:03d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "output_tokens": usage.output,
    }

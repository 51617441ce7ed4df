"""Words of our own as an answer of the model, in the shape and with the events of each format."""

from __future__ import annotations

from typing import Any

import msgspec

from prunus.agent.sse import event

__all__ = ["failure", "reply"]

_STREAM = "text/event-stream; charset=utf-8"
_WHOLE = "application/json"
_ID = "prunus"


def reply(format: str, text: str, body: bytes, *, streaming: bool) -> tuple[str, bytes]:
    """Content type and bytes of an assistant message that says this."""
    top = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    model = msgspec.json.decode(top["model"]) if "model" in top else ""
    match format:
        case "anthropic_messages":
            return (_STREAM, _anthropic(text, model)) if streaming else (_WHOLE, _json(_message(text, model)))
        case "openai_responses":
            return (_STREAM, _responses(text, model)) if streaming else (_WHOLE, _json(_response(text, model)))
        case "gemini":
            part = {"candidates": [_candidate(text)], "usageMetadata": {"totalTokenCount": 0}}
            return (_STREAM, event(part)) if streaming else (_WHOLE, _json(part))
    return (_STREAM, _chat(text, model)) if streaming else (_WHOLE, _json(_completion(text, model)))


def failure(format: str, status: int, body: bytes, *, streaming: bool) -> bytes:
    """How an answer ends that cannot be continued: the provider's own error, in the middle of a stream."""
    if not streaming:
        return body
    try:
        told = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        told = None
    error = told.get("error") if isinstance(told, dict) else None
    error = (
        error if isinstance(error, dict) else {"type": "api_error", "message": f"the provider answered {status}"}
    )
    match format:
        case "anthropic_messages":
            return event({"type": "error", "error": error}, "error")
        case "openai_responses":
            failed = {"code": str(error.get("code") or "server_error"), "message": str(error.get("message", ""))}
            response = {"id": _ID, "object": "response", "status": "failed", "error": failed}
            return event({"type": "response.failed", "response": response}, "response.failed")
    return event({"error": error}) + b"data: [DONE]\n\n"


def _json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def _message(text: str, model: str) -> dict[str, Any]:
    return {
        "id": f"msg_{_ID}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": "end_turn" if text else None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _anthropic(text: str, model: str) -> bytes:
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
    return b"".join(event(step, str(step["type"])) for step in steps)


def _completion(text: str, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": f"chatcmpl-{_ID}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


def _chat(text: str, model: str) -> bytes:
    head = {"id": f"chatcmpl-{_ID}", "object": "chat.completion.chunk", "created": 0, "model": model}
    deltas: tuple[tuple[dict[str, Any], str | None], ...] = (
        ({"role": "assistant", "content": text}, None),
        ({}, "stop"),
    )
    chunks = (
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]} for delta, reason in deltas
    )
    return b"".join(map(event, chunks)) + b"data: [DONE]\n\n"


def _item(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": f"msg_{_ID}", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def _response(text: str, model: str, *, done: bool = True) -> dict[str, Any]:
    usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    return {
        "id": f"resp_{_ID}",
        "object": "response",
        "created_at": 0,
        "status": "completed" if done else "in_progress",
        "model": model,
        "output": [_item(text)] if done else [],
        "usage": usage if done else None,
    }


def _responses(text: str, model: str) -> bytes:
    item, part = _item(text), {"type": "output_text", "text": text, "annotations": []}
    empty = {**item, "status": "in_progress", "content": []}
    place = {"output_index": 0, "item_id": item["id"], "content_index": 0}
    steps: tuple[dict[str, Any], ...] = (
        {"type": "response.created", "response": _response("", model, done=False)},
        {"type": "response.output_item.added", "output_index": 0, "item": empty},
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **place, "delta": text},
        {"type": "response.output_text.done", **place, "text": text},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": _response(text, model)},
    )
    return b"".join(
        event({**step, "sequence_number": number}, str(step["type"])) for number, step in enumerate(steps)
    )


def _candidate(text: str) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}

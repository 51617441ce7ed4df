"""The Responses API of OpenAI."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.upstream.signing import place, sign, signed_step
from tests.upstream.values import TRIGGER, Call, Json, Past, Tool, Turn, Usage, pieces, sse
from tests.upstream.wires.chat import openai_error

__all__ = ["Responses"]

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")


class Responses:
    """The Responses API: `/v1/responses`, with the whole history in each request."""

    format = "openai_responses"

    def tools(self, body: Json) -> tuple[Tool, ...]:
        return tuple(
            Tool(
                tool.get("name", ""),
                frozenset((tool.get("parameters") or {}).get("properties") or ()),
                tool["type"] == "custom",
            )
            for tool in body.get("tools") or ()
            if tool.get("type") in ("function", "custom")
        )

    def past(self, body: Json) -> Past:
        items = self.messages(body)
        ids = [item["call_id"] for item in items if item.get("type") in CALLS]
        spoken = [(item.get("role"), _text(item.get("content"))) for item in items if _is_message(item)]
        said = [text for role, text in spoken if role == "assistant"]
        said += (item["encrypted_content"] for item in items if item.get("type") == "compaction")
        heard = [text for role, text in spoken if role != "assistant"]
        heard += (item["type"] for item in items[-1:] if item.get("type") == TRIGGER)
        results = {item["call_id"]: _text(item.get("output")) for item in items if "output" in item}
        return Past(tuple(ids), tuple(said), tuple(heard), results)

    def head(self, body: Json) -> list[Any]:
        return [body.get("model"), body.get("tools"), body.get("instructions")]

    def messages(self, body: Json) -> list[Json]:
        given = body["input"]
        return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)

    def by_model(self, message: Json) -> bool:
        return message.get("type") in ("reasoning", *CALLS) or message.get("role") == "assistant"

    def thinks(self, body: Json) -> bool:
        return "reasoning.encrypted_content" in (body.get("include") or ())

    def lifetime(self, body: Json) -> float:
        return 300.0

    def signatures(self, body: Json) -> Iterator[str]:
        items = self.messages(body)
        for i, item in enumerate(items):
            before = items[i - 1] if i else {}
            if item.get("type") == "reasoning":
                step = signed_step(item.get("encrypted_content") or "")
                if step is None:
                    yield f"input[{i}]: The encrypted content could not be verified"
                following = items[i + 1] if i + 1 < len(items) else {}
                found = place(following.get("call_id", ""))
                if found and found[1] != step:
                    yield f"input[{i}]: reasoning of step {step} stands before a call of step {found[1]}"
            # A call that names its id was made by a reasoning model, whose reasoning has to stand before it.
            elif (
                item.get("type") in CALLS
                and item.get("id")
                and self.thinks(body)
                and place(item["call_id"])
                and not self.by_model(before)
            ):
                named = f"Item '{item['id']}' of type '{item['type']}'"
                yield f"{named} was provided without its required 'reasoning' item"

    def refusals(self, body: Json) -> Iterator[str]:
        for key in ("model", "input"):
            if not body.get(key):
                yield f"Missing required parameter: '{key}'"
        items = self.messages(body) if body.get("input") else []
        for field in ("call_id", "id"):
            kinds = (*CALLS,) if field == "call_id" else None
            seen = Counter(i[field] for i in items if i.get(field) and (kinds is None or i.get("type") in kinds))
            for id, count in seen.items():
                if count > 1:
                    yield f"Duplicate item found with {field} {id}"
        for i, item in enumerate(items):
            if _is_message(item) and item.get("role") not in ("user", "assistant", "system", "developer"):
                yield f"Invalid value for input[{i}].role: {item.get('role')!r}"
        names = Counter(tool.name for tool in self.tools(body))
        for name, count in names.items():
            if count > 1 or not name:
                yield f"tools: {name!r} is missing or not unique"

    def answer(self, body: Json, turn: Turn, usage: Usage) -> Json:
        return _response(body, turn) | {
            "status": "completed",
            "output": list(_output(body, turn, self.thinks(body))),
            "usage": _usage(usage),
        }

    def events(self, body: Json, turn: Turn, usage: Usage) -> Iterator[bytes]:
        number = 0

        def event(kind: str, **fields: Any) -> bytes:
            nonlocal number
            number += 1
            return sse({"type": kind, "sequence_number": number - 1, **fields}, kind)

        started = _response(body, turn)
        yield event("response.created", response=started)
        yield event("response.in_progress", response=started)
        for index, item in enumerate(_output(body, turn, self.thinks(body))):
            at = {"output_index": index, "item_id": item["id"]}
            yield event("response.output_item.added", output_index=index, item=_begun(item))
            for kind, fields in _deltas(item):
                yield event(kind, **at, **fields)
            yield event("response.output_item.done", output_index=index, item=item)
        yield event("response.completed", response=self.answer(body, turn, usage))

    def error(self, status: int, message: str) -> Json:
        return openai_error(status, message)


def _is_message(item: Json) -> bool:
    return bool(item.get("type", "message") == "message")


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _output(body: Json, turn: Turn, thinks: bool) -> Iterator[Json]:
    mark = f"{turn.tag}s{turn.step:03d}"
    if body["input"][-1:] == [{"type": TRIGGER}]:
        yield {"type": "compaction", "id": f"cmp_{mark}", "encrypted_content": turn.text}
        return
    if thinks and turn.thinking:
        asked = (body.get("reasoning") or {}).get("summary")
        summary = [{"type": "summary_text", "text": turn.thinking}] if asked else []
        yield {
            "type": "reasoning",
            "id": f"rs_{mark}",
            "summary": summary,
            "encrypted_content": sign("", turn.tag, turn.step),
        }
    if not turn.calls:
        part = {"type": "output_text", "text": turn.text, "annotations": [], "logprobs": []}
        yield {
            "type": "message",
            "id": f"msg_{mark}",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    for call in turn.calls:
        yield _call(call)


def _call(call: Call) -> Json:
    common = {"call_id": f"call_{call.id}", "name": call.name, "status": "completed"}
    if isinstance(call.arguments, str):
        return {"type": "custom_tool_call", "id": f"ctc_{call.id}", "input": call.arguments, **common}
    return {"type": "function_call", "id": f"fc_{call.id}", "arguments": json.dumps(call.arguments), **common}


def _begun(item: Json) -> Json:
    empty = {
        "arguments": "",
        "input": "",
        "content": [],
        "summary": [],
        "encrypted_content": "",
        "status": "in_progress",
    }
    return item | {key: value for key, value in empty.items() if key in item}


def _deltas(item: Json) -> Iterator[tuple[str, Json]]:
    match item["type"]:
        case "reasoning":
            for index, part in enumerate(item["summary"]):
                at = {"summary_index": index}
                base = "response.reasoning_summary"
                yield f"{base}_part.added", {**at, "part": {"type": "summary_text", "text": ""}}
                for piece in pieces(part["text"]):
                    yield f"{base}_text.delta", {**at, "delta": piece}
                yield f"{base}_text.done", {**at, "text": part["text"]}
                yield f"{base}_part.done", {**at, "part": part}
        case "message":
            part = item["content"][0]
            at = {"content_index": 0}
            yield "response.content_part.added", {**at, "part": part | {"text": ""}}
            for piece in pieces(part["text"]):
                yield "response.output_text.delta", {**at, "delta": piece, "logprobs": []}
            yield "response.output_text.done", {**at, "text": part["text"], "logprobs": []}
            yield "response.content_part.done", {**at, "part": part}
        case "function_call":
            for piece in pieces(item["arguments"]):
                yield "response.function_call_arguments.delta", {"delta": piece}
            yield "response.function_call_arguments.done", {"arguments": item["arguments"]}
        case "custom_tool_call":
            for piece in pieces(item["input"]):
                yield "response.custom_tool_call_input.delta", {"delta": piece}
            yield "response.custom_tool_call_input.done", {"input": item["input"]}


def _response(body: Json, turn: Turn) -> Json:
    return {
        "id": f"resp_{turn.tag}{turn.step:03d}",
        "object": "response",
        "created_at": 1794700000,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "model": body["model"],
        "output": [],
        "parallel_tool_calls": bool(body.get("parallel_tool_calls", True)),
        "store": bool(body.get("store", True)),
        "usage": None,
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input + usage.output,
    }

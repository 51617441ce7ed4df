"""A provider and a client on paper: answers in each format, and what a client keeps of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from prunus.providers.answer_stream import AnswerStream

__all__ = [
    "FORMATS",
    "answer",
    "chunks",
    "declared",
    "keep",
    "passed",
    "question",
    "results",
    "understood",
]

FORMATS: Final = ("anthropic_messages", "openai_chat", "openai_responses")
Part = tuple[Any, ...]
"""("text", words), ("think", words), ("call", id, tool, arguments), or ("search", id, words) for the provider."""


def declared(format: str, name: str, properties: dict[str, Any]) -> dict[str, Any]:
    """A tool as a client declares it."""
    schema = {"type": "object", "properties": properties}
    match format:
        case "anthropic_messages":
            return {"name": name, "input_schema": schema}
        case "openai_chat":
            return {"type": "function", "function": {"name": name, "parameters": schema}}
        case "openai_responses":
            return {"type": "function", "name": name, "parameters": schema}
    return {"functionDeclarations": [{"name": name, "parametersJsonSchema": schema}]}


def question(
    format: str, messages: list[Any], streaming: bool = True, more: Sequence[dict[str, Any]] = ()
) -> bytes:
    """A request with one tool, and more of them."""
    head: dict[str, Any] = {"model": "claude-test" if format == "anthropic_messages" else "gpt-5"}
    reading = "Read" if format == "anthropic_messages" else "read"
    tools = [declared(format, reading, {"file_path": {"type": "string"}}), *more]
    match format:
        case "anthropic_messages":
            head |= {"max_tokens": 100, "system": "Be brief.", "tools": tools, "messages": messages}
        case "openai_chat":
            head |= {"tools": tools, "messages": messages}
        case _:
            head |= {"store": False, "tools": tools, "input": messages}
    return json.dumps({**head, "stream": streaming}).encode()


def answer(format: str, parts: list[Part], *, streaming: bool, output: int = 7) -> bytes:
    """What the provider sends for a message of these parts."""
    build = {"anthropic_messages": _anthropic, "openai_chat": _chat, "openai_responses": _responses}[format]
    return build(parts, streaming, output)


def chunks(raw: bytes, size: int) -> list[bytes]:
    return [raw[i : i + size] for i in range(0, len(raw), size)]


def passed(stream: AnswerStream, pieces: Iterable[bytes]) -> bytes:
    """What the client gets of an answer of one hop that comes in these pieces."""
    return b"".join((*map(stream.feed, pieces), stream.finish(), stream.close()))


def _written(arguments: Any) -> str:
    """Arguments as the model writes them; a text stays as it is."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _sse(data: Any, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"


def _anthropic(parts: list[Part], streaming: bool, output: int) -> bytes:
    blocks: list[dict[str, Any]] = []
    for part in parts:
        match part:
            case ("text", words):
                blocks.append({"type": "text", "text": words})
            case ("think", words):
                blocks.append({"type": "thinking", "thinking": words, "signature": f"sig-{words}"})
            case ("call", id, tool, arguments):
                blocks.append({"type": "tool_use", "id": id, "name": tool, "input": arguments})
            case ("search", id, words):
                found = [{"type": "web_search_result", "url": "x", "title": "x", "encrypted_content": "x"}]
                blocks.append(
                    {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": words}}
                )
                blocks.append({"type": "web_search_tool_result", "tool_use_id": id, "content": found})
    reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test"}
    usage = {"input_tokens": 50, "output_tokens": output}
    if not streaming:
        return json.dumps({**head, "content": blocks, "stop_reason": reason, "usage": usage}).encode()
    out = [_sse({"type": "message_start", "message": {**head, "content": [], "usage": usage}}, "message_start")]
    out.append(_sse({"type": "ping"}, "ping"))
    for i, block in enumerate(blocks):
        deltas: list[dict[str, Any]]
        match block["type"]:
            case "text":
                start = {"type": "text", "text": ""}
                half = len(block["text"]) // 2
                deltas = [{"type": "text_delta", "text": t} for t in (block["text"][:half], block["text"][half:])]
            case "thinking":
                start = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": block["thinking"]},
                    {"type": "signature_delta", "signature": block["signature"]},
                ]
            case "web_search_tool_result":
                start, deltas = block, []
            case _:
                start = {**block, "input": {}}
                text = _written(block["input"])
                deltas = [{"type": "input_json_delta", "partial_json": t} for t in (text[:5], text[5:])]
        out.append(_sse({"type": "content_block_start", "index": i, "content_block": start}, "content_block_start"))
        out += (
            _sse({"type": "content_block_delta", "index": i, "delta": d}, "content_block_delta") for d in deltas
        )
        out.append(_sse({"type": "content_block_stop", "index": i}, "content_block_stop"))
    delta = {"stop_reason": reason, "stop_sequence": None}
    out.append(_sse({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}}, "message_delta"))
    out.append(_sse({"type": "message_stop"}, "message_stop"))
    return b"".join(out)


def _chat(parts: list[Part], streaming: bool, output: int) -> bytes:
    text = "".join(part[1] for part in parts if part[0] == "text")
    calls = [
        {"id": p[1], "type": "function", "function": {"name": p[2], "arguments": _written(p[3])}}
        for p in parts
        if p[0] == "call"
    ]
    thought = "".join(part[1] for part in parts if part[0] == "think")
    reason = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 50, "completion_tokens": output, "total_tokens": 50 + output}
    head = {"id": "chatcmpl-1", "created": 1, "model": "gpt-5"}
    if not streaming:
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        message |= {"reasoning_content": thought} if thought else {}
        message |= {"tool_calls": calls} if calls else {}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": thought}] if thought else []
    deltas += [{"content": t} for t in (text[: len(text) // 2], text[len(text) // 2 :]) if t]
    for i, call in enumerate(calls):
        given = call["function"]["arguments"]  # type: ignore[index]
        deltas.append({"tool_calls": [{**call, "index": i, "function": {**call["function"], "arguments": ""}}]})  # type: ignore[dict-item]
        deltas += [{"tool_calls": [{"index": i, "function": {"arguments": t}}]} for t in (given[:4], given[4:])]
    rows = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    rows.append({"index": 0, "delta": {}, "finish_reason": reason})
    out = [_sse({**head, "object": "chat.completion.chunk", "choices": [row]}) for row in rows]
    out.append(_sse({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}))
    return b"".join(out) + b"data: [DONE]\n\n"


def _responses(parts: list[Part], streaming: bool, output: int) -> bytes:
    items: list[dict[str, Any]] = []
    for i, part in enumerate(parts):
        match part:
            case ("text", words):
                content = [{"type": "output_text", "text": words, "annotations": []}]
                items.append({"id": f"msg_{i}", "type": "message", "role": "assistant", "content": content})
            case ("think", words):
                items.append({"id": f"rs_{i}", "type": "reasoning", "summary": [], "encrypted_content": words})
            case ("call", id, tool, arguments):
                items.append(
                    {"id": f"fc_{i}", "type": "function_call", "call_id": id, "name": tool,
                     "arguments": _written(arguments), "status": "completed"}
                )  # fmt: skip
            case ("search", id, words):
                action = {"type": "search", "query": words}
                items.append({"id": id, "type": "web_search_call", "status": "completed", "action": action})
    usage = {"input_tokens": 50, "output_tokens": output, "total_tokens": 50 + output}
    whole = {"id": "resp_1", "object": "response", "status": "completed", "output": items, "usage": usage}
    if not streaming:
        return json.dumps(whole).encode()
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}
    ]
    for i, item in enumerate(items):
        bare = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": i, "item": bare})
        if item["type"] == "message":
            text = item["content"][0]["text"]
            place = {"item_id": item["id"], "output_index": i, "content_index": 0}
            events += [
                {"type": "response.output_text.delta", **place, "delta": t} for t in (text[:4], text[4:]) if t
            ]
            events.append({"type": "response.output_text.done", **place, "text": text})
        elif item["type"] == "function_call":
            place = {"item_id": item["id"], "output_index": i}
            given = item["arguments"]
            events += [
                {"type": "response.function_call_arguments.delta", **place, "delta": t}
                for t in (given[:3], given[3:])
            ]
            events.append({"type": "response.function_call_arguments.done", **place, "arguments": given})
        events.append({"type": "response.output_item.done", "output_index": i, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return b"".join(_sse({**e, "sequence_number": n}, e["type"]) for n, e in enumerate(events))


def understood(format: str, raw: bytes, *, streaming: bool) -> dict[str, Any]:
    """What a client makes of an answer: its parts, how it ended, its usage. Strict about order and numbers."""
    read = {"anthropic_messages": _read_anthropic, "openai_chat": _read_chat, "openai_responses": _read_responses}
    return read[format](raw, streaming)


def _events(raw: bytes) -> list[Any]:
    assert raw.endswith(b"\n\n")
    lines = [line[6:] for line in raw.decode().split("\n") if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def _read_anthropic(raw: bytes, streaming: bool) -> dict[str, Any]:
    if not streaming:
        message = json.loads(raw)
        return {"message": {"role": "assistant", "content": message["content"]}, "end": message["stop_reason"],
                "output": message["usage"]["output_tokens"]}  # fmt: skip
    events = _events(raw)
    assert [e["type"] for e in events].count("message_start") == 1
    assert events[0]["type"] == "message_start" and events[-1]["type"] == "message_stop"
    blocks: list[dict[str, Any]] = []
    inputs: dict[int, str] = {}
    open_: int | None = None
    ended: dict[str, Any] = {}
    for e in events:
        match e["type"]:
            case "content_block_start":
                assert open_ is None and e["index"] == len(blocks)
                open_ = e["index"]
                blocks.append(dict(e["content_block"]))
            case "content_block_delta":
                assert e["index"] == open_
                block, delta = blocks[e["index"]], e["delta"]
                match delta["type"]:
                    case "text_delta":
                        block["text"] += delta["text"]
                    case "thinking_delta":
                        block["thinking"] += delta["thinking"]
                    case "signature_delta":
                        block["signature"] += delta["signature"]
                    case "input_json_delta":
                        inputs[e["index"]] = inputs.get(e["index"], "") + delta["partial_json"]
            case "content_block_stop":
                assert e["index"] == open_
                open_ = None
            case "message_delta":
                assert not ended
                ended = e
    for index, text in inputs.items():
        blocks[index]["input"] = json.loads(text)
    return {"message": {"role": "assistant", "content": blocks}, "end": ended["delta"]["stop_reason"],
            "output": ended["usage"]["output_tokens"]}  # fmt: skip


def _read_chat(raw: bytes, streaming: bool) -> dict[str, Any]:
    if not streaming:
        whole = json.loads(raw)
        choice = whole["choices"][0]
        message = {key: value for key, value in choice["message"].items() if value is not None or key == "content"}
        return {"message": message, "end": choice["finish_reason"], "output": whole["usage"]["completion_tokens"]}
    events = _events(raw)
    assert events[-1] == "[DONE]" and events.count("[DONE]") == 1
    assert len({e["id"] for e in events[:-1]}) == 1
    message = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    end, output, roles = "", 0, 0
    for e in events[:-1]:
        output = e["usage"]["completion_tokens"] if e.get("usage") else output
        for choice in e["choices"]:
            delta = choice["delta"]
            roles += "role" in delta
            assert not end or not delta
            if delta.get("content"):
                message["content"] = (message["content"] or "") + delta["content"]
            if delta.get("reasoning_content"):
                message["reasoning_content"] = message.get("reasoning_content", "") + delta["reasoning_content"]
            for call in delta.get("tool_calls", ()):
                if call["index"] == len(calls):
                    calls.append({**call, "function": dict(call["function"])})
                    del calls[-1]["index"]
                else:
                    assert call["index"] == len(calls) - 1
                    calls[-1]["function"]["arguments"] += call["function"]["arguments"]
            end = choice["finish_reason"] or end
    assert roles == 1
    return {"message": {**message, **({"tool_calls": calls} if calls else {})}, "end": end, "output": output}


def _read_responses(raw: bytes, streaming: bool) -> dict[str, Any]:
    if not streaming:
        whole = json.loads(raw)
        return {"message": whole["output"], "end": whole["status"], "output": whole["usage"]["output_tokens"]}
    events = _events(raw)
    assert [e["sequence_number"] for e in events] == list(range(len(events)))
    assert events[0]["type"] == "response.created" and events[-1]["type"] == "response.completed"
    added = [e["output_index"] for e in events if e["type"] == "response.output_item.added"]
    assert added == list(range(len(added)))
    items = [e["item"] for e in events if e["type"] == "response.output_item.done"]
    final = events[-1]["response"]
    assert final["output"] == items and final["id"] == events[0]["response"]["id"]
    for e in events:
        if e["type"] == "response.function_call_arguments.done":
            pieces = [
                d["delta"]
                for d in events
                if d["type"] == "response.function_call_arguments.delta" and d["output_index"] == e["output_index"]
            ]
            assert "".join(pieces) == e["arguments"] == items[e["output_index"]]["arguments"]
    said = "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")
    assert said == "".join(i["content"][0]["text"] for i in items if i["type"] == "message")
    return {"message": items, "end": final["status"], "output": final["usage"]["output_tokens"]}


def keep(format: str, message: Any) -> list[Any]:
    """The messages that a client puts into its history for an answer."""
    if format != "openai_responses":
        return [message]
    return [{key: value for key, value in item.items() if key not in ("id", "status")} for item in message]


def results(format: str, told: list[tuple[str, str]]) -> list[Any]:
    """The client's answers to calls."""
    match format:
        case "anthropic_messages":
            return [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": i, "content": t} for i, t in told],
                }
            ]
        case "openai_chat":
            return [{"role": "tool", "tool_call_id": i, "content": t} for i, t in told]
    return [{"type": "function_call_output", "call_id": i, "output": t} for i, t in told]

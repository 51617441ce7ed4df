"""The smallest client of each API: sends a request, answers the calls with made-up results, sends the next.

For tests of the upstream itself and of what stands between it and a client; real clients are in `tests/e2e`.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.upstream.values import Json

__all__ = ["FORMATS", "Player", "Reply", "assembled"]

PROMPT = "Please do what the script says."
TOOLS = {"read": "path", "bash": "command", "write": "path"}
FORMATS = ("anthropic_messages", "openai_chat", "openai_responses", "gemini")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: status, headers and bytes."""

    status: int
    headers: Mapping[str, str]
    bytes: bytes


@dataclass(slots=True)
class Player:
    """One session with one upstream or proxy; `body` is the next request."""

    url: str
    format: str
    stream: bool = True
    result: Callable[[str, Any], str] = lambda name, arguments: f"{name} did {json.dumps(arguments)}. " * 20
    body: Json = field(init=False)

    def __post_init__(self) -> None:
        self.body = BODIES[self.format]()

    def send(self, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """Send the next request, or other bytes in its place."""
        raw = json.dumps(self.body).encode() if body is None else body
        path = PATHS[self.format] if self.format != "gemini" else GEMINI[self.stream]
        sent = {"content-type": "application/json", "authorization": "Bearer dummy", **(headers or {})}
        request = urllib.request.Request(self.url + path, raw, sent, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Reply(response.status, dict(response.headers), response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, dict(error.headers), error.read())

    def step(self, headers: Mapping[str, str] | None = None) -> bool:
        """Send the next request and answer what the model calls; false when it called nothing."""
        if self.format != "gemini":
            self.body["stream"] = self.stream
        reply = self.send(headers=headers)
        assert reply.status == 200, reply.bytes
        answer = assembled(self.format, reply.bytes) if self.stream else json.loads(reply.bytes)
        return EXTEND[self.format](self.body, answer, self.result)

    def play(self) -> None:
        """Go on until the model calls nothing."""
        for _ in range(100):
            if not self.step():
                return
        raise AssertionError("the model does not end")


def assembled(format: str, stream: bytes) -> Json:
    """The answer that a stream tells, as one object."""
    lines = [line[6:] for line in stream.decode().splitlines() if line.startswith("data: ")]
    return ASSEMBLE[format]([json.loads(line) for line in lines if line != "[DONE]"])


def _schema(key: str) -> Json:
    return {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}


def _anthropic_body() -> Json:
    tools = [{"name": name, "description": name, "input_schema": _schema(key)} for name, key in TOOLS.items()]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 20_000,
        "thinking": {"type": "enabled", "budget_tokens": 8000},
        "system": [{"type": "text", "text": "Rules. " * 1000, "cache_control": {"type": "ephemeral"}}],
        "tools": tools,
        "messages": [{"role": "user", "content": PROMPT}],
    }


def _chat_body() -> Json:
    functions = [{"name": name, "description": name, "parameters": _schema(key)} for name, key in TOOLS.items()]
    messages = [{"role": "system", "content": "Rules. " * 1000}, {"role": "user", "content": PROMPT}]
    tools = [{"type": "function", "function": function} for function in functions]
    return {"model": "gpt-5", "messages": messages, "tools": tools, "stream_options": {"include_usage": True}}


def _responses_body() -> Json:
    tools = [{"type": "function", "name": name, "parameters": _schema(key)} for name, key in TOOLS.items()]
    return {
        "model": "gpt-5",
        "instructions": "Rules. " * 1000,
        "input": [{"role": "user", "content": [{"type": "input_text", "text": PROMPT}]}],
        "tools": tools,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "medium", "summary": "auto"},
    }


def _gemini_body() -> Json:
    functions = [{"name": name, "description": name, "parameters": _schema(key)} for name, key in TOOLS.items()]
    return {
        "systemInstruction": {"parts": [{"text": "Rules. " * 1000}]},
        "contents": [{"role": "user", "parts": [{"text": PROMPT}]}],
        "tools": [{"functionDeclarations": functions}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }


def _extend_anthropic(body: Json, answer: Json, result: Callable[[str, Any], str]) -> bool:
    content = answer["content"]
    body["messages"].append({"role": "assistant", "content": content})
    calls = [block for block in content if block["type"] == "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": c["id"], "content": result(c["name"], c["input"])} for c in calls
    ]
    if results:
        body["messages"].append({"role": "user", "content": results})
    return bool(calls)


def _extend_chat(body: Json, answer: Json, result: Callable[[str, Any], str]) -> bool:
    message = {key: value for key, value in answer["choices"][0]["message"].items() if key != "refusal"}
    body["messages"].append(message)
    calls = message.get("tool_calls") or []
    for call in calls:
        text = result(call["function"]["name"], json.loads(call["function"]["arguments"]))
        body["messages"].append({"role": "tool", "tool_call_id": call["id"], "content": text})
    return bool(calls)


def _extend_responses(body: Json, answer: Json, result: Callable[[str, Any], str]) -> bool:
    body["input"].extend(answer["output"])
    calls = [item for item in answer["output"] if item["type"] == "function_call"]
    for call in calls:
        text = result(call["name"], json.loads(call["arguments"]))
        body["input"].append({"type": "function_call_output", "call_id": call["call_id"], "output": text})
    return bool(calls)


def _extend_gemini(body: Json, answer: Json, result: Callable[[str, Any], str]) -> bool:
    content = answer["candidates"][0]["content"]
    kept = [part for part in content["parts"] if not part.get("thought")]
    body["contents"].append(content | {"parts": kept})
    calls = [part["functionCall"] for part in kept if "functionCall" in part]
    answers = [
        {
            "functionResponse": {
                "id": c["id"],
                "name": c["name"],
                "response": {"output": result(c["name"], c["args"])},
            }
        }
        for c in calls
    ]
    if answers:
        body["contents"].append({"role": "user", "parts": answers})
    return bool(calls)


def _assemble_anthropic(events: list[Json]) -> Json:
    message: Json = {}
    written: dict[int, str] = {}
    for event in events:
        match event["type"]:
            case "message_start":
                message = event["message"]
            case "content_block_start":
                assert event["index"] == len(message["content"])
                message["content"].append(event["content_block"])
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                if delta["type"] == "input_json_delta":
                    written[event["index"]] = written.get(event["index"], "") + delta["partial_json"]
                else:
                    key = delta["type"].removesuffix("_delta")
                    block[key] += delta[key]
            case "content_block_stop" if event["index"] in written:
                message["content"][event["index"]]["input"] = json.loads(written[event["index"]])
            case "message_delta":
                message |= event["delta"] | {"usage": event["usage"]}
    assert events[-1]["type"] == "message_stop"
    return message


def _assemble_chat(events: list[Json]) -> Json:
    message: Json = {"role": "assistant", "content": ""}
    calls: dict[int, Json] = {}
    finish = usage = None
    for event in events:
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            delta = choice["delta"]
            message["content"] += delta.get("content") or ""
            finish = choice["finish_reason"] or finish
            for part in delta.get("tool_calls") or ():
                if "id" in part:
                    calls[part["index"]] = {
                        "id": part["id"],
                        "type": "function",
                        "function": dict(part["function"]),
                    }
                else:
                    calls[part["index"]]["function"]["arguments"] += part["function"]["arguments"]
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def _assemble_responses(events: list[Json]) -> Json:
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert events[-1]["type"] == "response.completed"
    last = events[-1]["response"]
    assert last["output"] == done
    assert isinstance(last, dict)
    return last


def _assemble_gemini(events: list[Json]) -> Json:
    parts: list[Json] = []
    for event in events:
        for part in event["candidates"][0]["content"]["parts"]:
            if parts and set(part) == {"text"} == set(parts[-1]):
                parts[-1] = {"text": parts[-1]["text"] + part["text"]}
            else:
                parts.append(part)
    last = events[-1]
    return last | {"candidates": [last["candidates"][0] | {"content": {"parts": parts, "role": "model"}}]}


BODIES = {
    "anthropic_messages": _anthropic_body,
    "openai_chat": _chat_body,
    "openai_responses": _responses_body,
    "gemini": _gemini_body,
}
PATHS = {
    "anthropic_messages": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
}
GEMINI = {
    True: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    False: "/v1beta/models/gemini-2.5-pro:generateContent",
}
EXTEND = {
    "anthropic_messages": _extend_anthropic,
    "openai_chat": _extend_chat,
    "openai_responses": _extend_responses,
    "gemini": _extend_gemini,
}
ASSEMBLE = {
    "anthropic_messages": _assemble_anthropic,
    "openai_chat": _assemble_chat,
    "openai_responses": _assemble_responses,
    "gemini": _assemble_gemini,
}

"""What programs and providers write in four formats: the calls of the scenario, their results, the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.integrations.scenario import MODEL, Move

__all__ = ["TOOLS", "Call", "ChatWire", "GeminiWire", "MessagesWire", "ResponsesWire", "chat_calls", "schema"]

TOOLS = {
    "read_file": ("path",),
    "write_file": ("path", "content"),
    "edit_file": ("path", "old_str", "new_str"),
    "bash": ("command",),
}
Call = tuple[str, str, dict[str, str]]
"""Id, tool, arguments."""


def schema(arguments: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in arguments}}


def chat_calls(calls: list[Call]) -> list[dict[str, Any]]:
    return [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for id, name, given in calls
    ]


class ChatWire:
    """OpenAI Chat Completions."""

    def user(self, text: str) -> dict[str, Any]:
        return {"role": "user", "content": text}

    def results(self, results: list[tuple[str, str, str]]) -> list[Any]:
        return [{"role": "tool", "tool_call_id": id, "content": text} for id, _, text in results]

    @staticmethod
    def rows(history: list[Any]) -> list[dict[str, Any]]:
        return history

    @staticmethod
    def messages(body: dict[str, Any]) -> list[Any]:
        return body["messages"]

    @staticmethod
    def answer(move: Move, calls: list[Call]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": move.text or None}
        if calls:
            message["tool_calls"] = chat_calls(calls)
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        return {"id": "x", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice]}


class ResponsesWire(ChatWire):
    """OpenAI Responses."""

    def results(self, results: list[tuple[str, str, str]]) -> list[Any]:
        return [{"type": "function_call_output", "call_id": id, "output": text} for id, _, text in results]

    @staticmethod
    def messages(body: dict[str, Any]) -> list[Any]:
        return body["input"]

    @staticmethod
    def rows(history: list[Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for item in history:
            match item.get("type", "message"):
                case "function_call":
                    call = chat_calls([(item["call_id"], item["name"], json.loads(item["arguments"]))])
                    if found[-1]["role"] == "assistant" and found[-1].get("tool_calls"):
                        found[-1]["tool_calls"] += call
                    else:
                        found.append({"role": "assistant", "content": None, "tool_calls": call})
                case "function_call_output":
                    found.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
                case _:
                    text = item["content"]
                    text = text if isinstance(text, str) else text[0]["text"]
                    found.append({"role": item["role"], "content": text})
        return found

    @staticmethod
    def answer(move: Move, calls: list[Call]) -> dict[str, Any]:
        output: list[Any] = [
            {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": json.dumps(given)}
            for id, name, given in calls
        ]
        if move.text:
            said = {"type": "output_text", "text": move.text, "annotations": []}
            output.append(
                {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [said]}
            )
        rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed"}
        return {"id": "r", "object": "response", "created_at": 0, "model": MODEL, "output": output, **rest}


class MessagesWire(ChatWire):
    """Anthropic Messages."""

    def results(self, results: list[tuple[str, str, str]]) -> list[Any]:
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, _, text in results]
        return [{"role": "user", "content": blocks}]

    @staticmethod
    def rows(history: list[Any]) -> list[dict[str, Any]]:
        return [row for message in history for row in MessagesWire.rows_of(message)]

    @staticmethod
    def rows_of(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        content = message["content"]
        if isinstance(content, str):
            yield {"role": message["role"], "content": content}
        elif message["role"] == "assistant":
            calls = chat_calls([(b["id"], b["name"], b["input"]) for b in content if b["type"] == "tool_use"])
            text = "".join(block["text"] for block in content if block["type"] == "text")
            yield {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
        else:
            for block in content:
                yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _text(block["content"])}

    @staticmethod
    def answer(move: Move, calls: list[Call]) -> dict[str, Any]:
        blocks: list[Any] = [
            {"type": "tool_use", "id": id, "name": name, "input": given} for id, name, given in calls
        ]
        if move.text:
            blocks.append({"type": "text", "text": move.text})
        usage = {"input_tokens": 1, "output_tokens": 1}
        stop = "tool_use" if calls else "end_turn"
        top = {"id": "m", "type": "message", "role": "assistant", "model": MODEL}
        return {**top, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}


class GeminiWire(ChatWire):
    """Google's generateContent."""

    def user(self, text: str) -> dict[str, Any]:
        return {"role": "user", "parts": [{"text": text}]}

    def results(self, results: list[tuple[str, str, str]]) -> list[Any]:
        parts = [
            {"function_response": {"id": id, "name": name, "response": {"output": text}}}
            for id, name, text in results
        ]
        return [{"role": "user", "parts": parts}]

    @staticmethod
    def messages(body: dict[str, Any]) -> list[Any]:
        return body["contents"]

    @staticmethod
    def rows(history: list[Any]) -> list[dict[str, Any]]:
        return [row for content in history for row in GeminiWire.rows_of(content)]

    @staticmethod
    def rows_of(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
        parts = content["parts"]
        called = [part.get("functionCall") or part.get("function_call") for part in parts]
        calls = chat_calls([(call["id"], call["name"], call["args"]) for call in called if call])
        text = "".join(part.get("text", "") for part in parts)
        if content["role"] == "model":
            yield {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
            return
        if text:
            yield {"role": "user", "content": text}
        for part in parts:
            if given := part.get("functionResponse") or part.get("function_response"):
                yield {
                    "role": "tool",
                    "tool_call_id": given["id"],
                    "content": next(iter(given["response"].values())),
                }

    @staticmethod
    def answer(move: Move, calls: list[Call]) -> dict[str, Any]:
        parts: list[Any] = [{"functionCall": {"id": id, "name": name, "args": given}} for id, name, given in calls]
        if move.text:
            parts.append({"text": move.text})
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)

"""What providers demand of a request, checked on raw JSON and without the help of Prunus.

`problems` lists what a provider would refuse. `compare` lists what a pruned request changed that it must not:
signed reasoning, the reasoning of the open tool loop, definitions, and whatever else no strategy may touch.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests.validity_changes import CHANGES, camel, item_kind

__all__ = ["compare", "decoded", "messages_of", "new_problems", "problems"]

FIELDS = {
    "anthropic_messages": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
    "opencode": "messages",
}
CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "tool_search_call": "tool_search_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "program": "program_output",
}
TEXT_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def decoded(body: Any) -> Any:
    """A body as JSON values, whatever type it travels in."""
    return json.loads(bytes(body)) if isinstance(body, bytes | bytearray | memoryview) else (
        json.loads(body) if isinstance(body, str) else body
    )  # fmt: skip


def messages_of(body: Any, format: str) -> list[Any]:
    """The list of messages of a body or of a bare list."""
    value = decoded(body)
    return list(value if isinstance(value, list) else value[FIELDS[format]])


def problems(body: Any, format: str) -> list[str]:
    """What the provider of this format would refuse, in words that do not depend on positions."""
    return list(RULES[format](messages_of(body, format), decoded(body)))


def new_problems(before: Any, after: Any, format: str) -> list[str]:
    """Problems of a pruned request that the request did not have, and forbidden changes."""
    old, new = decoded(before), decoded(after)
    left = problems(new, format)
    fresh = Counter(left) - Counter(problems(old, format)) if left else Counter[str]()
    return [*fresh.elements(), *compare(old, new, format)]


def compare(before: Any, after: Any, format: str) -> list[str]:
    """What a pruned request changed that must stay."""
    old, new = decoded(before), decoded(after)
    found: list[str] = []
    if type(old) is not type(new):
        return ["the body changed its type"]
    if isinstance(old, dict):
        field = FIELDS[format]
        if list(old) != list(new) or any(old[key] != new[key] for key in old if key != field):
            found.append("something around the messages changed, such as tools or system")
    return found + list(CHANGES[format](messages_of(old, format), messages_of(new, format)))


def _anthropic(messages: list[Any], body: Any) -> Iterator[str]:
    marks = json.dumps(body).count('"cache_control": {')
    if marks > 4:
        yield f"{marks} cache breakpoints"
    waiting: list[Any] = []
    served: set[Any] = set()
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant", "system"):
            yield f"role {role!r}"
        # A system message may do no more than set how hard the model thinks from there on.
        bare = role == "system" and "output_config" in message and content == []
        if not bare and (not content or not isinstance(content, str | list)):
            yield "a message without content"
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
        if role != "system":
            given = [b.get("tool_use_id") for b in blocks if b.get("type") == "tool_result"]
            yield from _pairs(waiting, given)
            kinds = [b.get("type") == "tool_result" for b in blocks]
            if waiting and kinds != sorted(kinds, reverse=True):
                yield "something stands before a tool_result"
            if role == "assistant" and given:
                yield "a tool_result in an assistant message"
            waiting = [b.get("id") for b in blocks if b.get("type") == "tool_use"]
        for block in blocks:
            yield from _anthropic_block(block, role)
            kind = str(block.get("type"))
            if kind in ("server_tool_use", "mcp_tool_use"):
                served.add(block.get("id"))
            elif kind.endswith("_tool_result") and block.get("tool_use_id") not in served:
                yield f"{kind} without its call before it"
        if role == "assistant" and blocks and blocks[-1].get("type") in ("thinking", "redacted_thinking"):
            yield "an assistant message ends with thinking"
    if waiting:
        yield f"calls {waiting} without results"


def _anthropic_block(block: dict[str, Any], role: str) -> Iterator[str]:
    match block.get("type"):
        case "text" if not isinstance(block.get("text"), str) or not block["text"]:
            yield "an empty text block"
        case "thinking":
            if not isinstance(block.get("thinking"), str) or not block.get("signature"):
                yield "thinking without a signature"
            if "cache_control" in block:
                yield "a cache breakpoint on thinking"
        case "redacted_thinking" if not block.get("data"):
            yield "redacted thinking without data"
        case "tool_use" | "mcp_tool_use" | "server_tool_use":
            if role != "assistant":
                yield "a tool_use outside an assistant message"
            if not isinstance(block.get("input"), dict):
                yield "a tool_use whose input is no object"
        case "image" | "document" if not isinstance(block.get("source"), dict):
            yield "an attachment without a source"
        case "tool_result" | "mcp_tool_result":
            content = block.get("content", "")
            inner = content if isinstance(content, list) else []
            if not isinstance(content, str | list):
                yield "a tool_result whose content is neither text nor blocks"
            if block.get("is_error") and any(b.get("type") != "text" for b in inner):
                yield "a failed tool_result that holds more than text"
            for b in inner:
                yield from _anthropic_block(b, "result")


def _pairs(waiting: list[Any], given: list[Any]) -> Iterator[str]:
    if waiting == given:
        return
    for id in (Counter(waiting) - Counter(given)).elements():
        yield f"call {id} without its result right behind it"
    for id in (Counter(given) - Counter(waiting)).elements():
        yield f"result {id} without its call right before it"


def _chat(messages: list[Any], body: Any) -> Iterator[str]:
    waiting: list[Any] = []
    given: list[Any] = []
    for message in [*messages, {"role": "end"}]:
        role, content = message.get("role"), message.get("content")
        if role in ("tool", "function"):
            given.append(message.get("tool_call_id") if role == "tool" else message.get("name"))
            if not isinstance(content, str) and not (content and isinstance(content, list)):
                yield "a tool message without content"
            continue
        yield from _pairs(waiting, given)
        waiting, given = [], []
        if role == "end":
            return
        if role not in ("system", "developer", "user", "assistant"):
            yield f"role {role!r}"
        for call in message.get("tool_calls") or ():
            waiting.append(call.get("id"))
            yield from _arguments(call.get("function") or {"arguments": "{}"})
        if isinstance(message.get("function_call"), dict):
            waiting.append(message["function_call"].get("name"))
        if not content and not waiting:
            yield f"a message of {role} without content"
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "text" and not isinstance(block.get("text"), str):
                yield "a text part without text"
        for key in ("reasoning_content", "reasoning"):
            if key in message and waiting and not message[key]:
                yield f"an empty {key} beside calls"


def _arguments(call: dict[str, Any]) -> Iterator[str]:
    arguments = call.get("arguments")
    if not isinstance(arguments, str):
        yield "arguments that are no string"
        return
    try:
        json.loads(arguments)
    except ValueError:
        yield "arguments that are no JSON"


def _responses(items: list[Any], body: Any) -> Iterator[str]:
    calls: list[tuple[str, Any]] = []
    for item, following in zip(items, [*items[1:], {}], strict=True):
        kind = item_kind(item)
        id = item.get("call_id") or item.get("id")
        if kind in CALLS:
            calls.append((CALLS[kind], id))
        if kind == "function_call":
            yield from _arguments(item)
        if kind == "custom_tool_call" and not isinstance(item.get("input"), str):
            yield "a custom call whose input is no string"
        if kind == "local_shell_call" and not {"type", "command"} <= set(item.get("action") or ()):
            yield "a shell call without its command"
        if kind in CALLS.values():
            if (kind, id) in calls:
                calls.remove((kind, id))
            else:
                yield f"output {id} without its call before it"
        if kind in TEXT_OUTPUTS and not isinstance(item.get("output"), str | list):
            yield "an output that is neither text nor a list"
        if kind == "shell_call_output" and not all(map(_is_chunk, item.get("output") or [None])):
            yield "an output of a shell without its streams"
        if kind == "reasoning" and not _goes_on(following):
            yield "a reasoning item without the item it belongs to"
        if kind == "message" and not item.get("content"):
            yield "a message without content"
    for _, id in calls:
        yield f"call {id} without its output"


def _is_chunk(chunk: Any) -> bool:
    if not isinstance(chunk, dict):
        return False
    streams = isinstance(chunk.get("stdout"), str) and isinstance(chunk.get("stderr"), str)
    return streams and isinstance(chunk.get("outcome"), dict)


def _goes_on(item: Any) -> bool:
    """Whether a step of the model may go on with this item."""
    kind = item_kind(item)
    others = ("reasoning", "message", "program", "mcp_approval_request", "item_reference")
    return kind.endswith("_call") or (kind in others and item != {})


def _gemini(contents: list[Any], body: Any) -> Iterator[str]:
    waiting: list[Any] = []
    for content in contents:
        parts = content.get("parts")
        if not parts or not isinstance(parts, list):
            yield "a content without parts"
            parts = []
        parts = [camel(part) for part in parts]
        given = [_response_key(p["functionResponse"]) for p in parts if "functionResponse" in p]
        yield from _pairs(waiting, given)
        waiting = [_response_key(p["functionCall"]) for p in parts if "functionCall" in p]
        for part in parts:
            kinds = {"text", "functionCall", "functionResponse", "inlineData", "fileData"} & set(part)
            if len(kinds) != 1 and not {"executableCode", "codeExecutionResult", "toolCall", "toolResponse"} & set(
                part
            ):
                yield f"a part with {sorted(kinds)}"
            if not isinstance(part.get("functionCall", {}).get("args", {}), dict):
                yield "arguments that are no object"
            if "functionResponse" in part and not isinstance(part["functionResponse"].get("response"), dict):
                yield "a response that is no object"
    if waiting:
        yield f"calls {waiting} without responses"


def _response_key(value: dict[str, Any]) -> tuple[Any, Any]:
    return value.get("name"), value.get("id")


def _opencode(messages: list[Any], body: Any) -> Iterator[str]:
    for message in messages:
        if set(message) < {"info", "parts"}:
            yield "a message without info and parts"
        for part in message.get("parts", ()):
            kind, state = part.get("type"), part.get("state")
            if kind in ("text", "reasoning") and not isinstance(part.get("text"), str):
                yield f"{kind} without text"
            if kind == "file" and not isinstance(part.get("url"), str):
                yield "a file without its url"
            if kind == "tool":
                said = {"completed": "output", "error": "error"}.get(state.get("status"))
                if not isinstance(state.get("input"), dict) or (said and not isinstance(state.get(said), str)):
                    yield f"tool state {state.get('status')} without input or {said}"


RULES: dict[str, Callable[[list[Any], Any], Iterator[str]]] = {
    "anthropic_messages": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
    "opencode": _opencode,
}

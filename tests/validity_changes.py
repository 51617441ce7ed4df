"""What pruning may change in each format, on raw JSON: everything else has to stay.

A result may become other words in the shape it had, arguments may lose whole keys, fenced code of the user may be
cut, an attachment may become words, unsigned or finished reasoning and the host's bookkeeping may go. A
reminder may stand behind the newest message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["CHANGES"]

# A message of any other role counts as the user's.
KNOWN_ROLES = frozenset({"system", "developer", "assistant", "tool", "function"})
_REMINDER = re.compile(r"\n\n\[Prunus reminder: [^\]]*\]\Z")
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"})


def _subset(new: Any, old: Any) -> bool:
    """Whether arguments lost whole keys at most."""
    return isinstance(old, dict) and isinstance(new, dict) and all(k in old and old[k] == new[k] for k in new)


def _quoted_subset(new: Any, old: Any) -> bool:
    try:
        return new == old or _subset(json.loads(new), json.loads(old))
    except (TypeError, ValueError):
        return False


def _text_change(new: Any, old: Any) -> bool:
    """Only fenced code may leave a text of the user, and only a reminder may stand behind it."""
    if isinstance(new, str):
        new = _REMINDER.sub("", new)
    return new == old or (isinstance(old, str) and isinstance(new, str) and "```" in old and new > "")


def _aligned(
    old: list[Any], new: list[Any], may_go: Callable[[int], bool], same: Callable[[Any, Any], str]
) -> Iterator[str]:
    """Match each old element with the next new one; those that may go can be missing."""
    at = 0
    for i, element in enumerate(old):
        problem = same(element, new[at]) if at < len(new) else "it is missing"
        if not problem:
            at += 1
        elif not may_go(i):
            yield f"{str(element)[:120]}: {problem}"
            at += len(new) - at == len(old) - i
    if at < len(new):
        yield f"something was added: {str(new[at])[:120]}"


def _except(old: dict[str, Any], new: dict[str, Any], key: str, allowed: bool) -> str:
    """Whether two objects differ in nothing but one key, and there only as allowed."""
    if {k: v for k, v in old.items() if k != key} != {k: v for k, v in new.items() if k != key}:
        return f"more than its {key} changed"
    return "" if allowed or old.get(key) == new.get(key) else f"its {key} changed in a forbidden way"


def _loop_start(old: list[Any], spoken: Callable[[Any], bool]) -> int:
    return max((i for i, message in enumerate(old) if spoken(message)), default=len(old))


def _messagewise(
    old: list[Any], new: list[Any], same: Callable[[Any, Any, bool], Iterator[str]], spoken: Callable[[Any], bool]
) -> Iterator[str]:
    if len(old) != len(new):
        yield f"{len(old)} messages became {len(new)}"
        return
    start = _loop_start(old, spoken)
    for i, (before, after) in enumerate(zip(old, new, strict=True)):
        if before != after:
            yield from same(before, after, i < start)


def _anthropic_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    def blocks(message: Any) -> list[Any]:
        content = message["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    def changed(before: Any, after: Any, over: bool) -> Iterator[str]:
        if (problem := _except(before, after, "content", True)) or type(before["content"]) is not type(
            after["content"]
        ):
            yield problem or "its content changed its type"
            return
        listed = blocks(before)
        thinking = ("thinking", "redacted_thinking")
        user = before.get("role") not in ("assistant", "system")
        yield from _aligned(
            listed,
            blocks(after),
            lambda i: over and listed[i].get("type") in thinking,
            lambda b, a: block(b, a, user),
        )

    def block(before: Any, after: Any, user: bool) -> str:
        if before == after:
            return ""
        match before.get("type"):
            case "tool_result":
                defines = "tool_reference" in json.dumps(before.get("content"))
                kept = _marks(before) == _marks(after) and bool(after.get("content"))
                return _except(before, after, "content", not defines and kept)
            case "tool_use":
                return _except(before, after, "input", _subset(after.get("input"), before["input"]))
            case "text" if user:
                return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
            case "image" | "document":
                kept = after.get("type") == "text" and bool(after.get("text")) and _marks(before) == _marks(after)
                return "" if kept else "an attachment became something else than words"
        return "it changed"

    def spoken(message: Any) -> bool:
        return message.get("role") not in ("assistant", "system") and not any(
            b.get("type") == "tool_result" for b in blocks(message)
        )

    yield from _messagewise(old, new, changed, spoken)


def _marks(value: Any) -> int:
    return min(1, json.dumps(value).count('"cache_control": {'))


def _chat_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    def changed(before: Any, after: Any, over: bool) -> Iterator[str]:
        if list(before) != list(after):
            yield "the keys of a message changed"
            return
        for key, value in before.items():
            role = before.get("role") if before.get("role") in KNOWN_ROLES else "user"
            if value != after[key] and (problem := field(key, value, after[key], role, over)):
                yield f"{key}: {problem}"

    def field(key: str, before: Any, after: Any, role: str, over: bool) -> str:
        if key == "content" and role in ("tool", "function"):
            return "" if after and type(before) is type(after) and _marks(before) == _marks(after) else "emptied"
        if key == "content" and role == "user":
            if isinstance(before, str):
                return "" if _text_change(after, before) else "the user's words changed"
            return "".join(_aligned(before, after, lambda i: False, block))
        if key == "tool_calls":
            return "".join(_aligned(before, after, lambda i: False, call))
        if key == "function_call":
            return _except(before, after, "arguments", _quoted_subset(after["arguments"], before["arguments"]))
        if key in ("reasoning_content", "reasoning") and role == "assistant":
            return "" if over and after else "reasoning of the open loop changed, or is empty"
        return "it changed"

    def block(before: Any, after: Any) -> str:
        if before == after:
            return ""
        if before.get("type") == "text":
            return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
        return "" if after.get("type") == "text" and after.get("text") else "it became something else than words"

    def call(before: Any, after: Any) -> str:
        a, b = before.get("function") or {}, after.get("function") or {}
        inner = _except(a, b, "arguments", _quoted_subset(b.get("arguments"), a.get("arguments")))
        return inner or _except(before, after, "function", True)

    yield from _messagewise(old, new, changed, lambda m: m.get("role") not in KNOWN_ROLES)


def _said_by_user(item: Any) -> bool:
    return item.get("type", "message") == "message" and item.get("role") not in KNOWN_ROLES


def _responses_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    start = _loop_start(old, _said_by_user)

    def may_go(i: int) -> bool:
        follows = old[i + 1].get("type", "message") if i + 1 < len(old) else ""
        return i < start and old[i].get("type") == "reasoning" and not old[i].get("id") and follows not in CALLS

    def item(before: Any, after: Any) -> str:
        if before == after:
            return ""
        match before.get("type", "message"):
            case "function_call":
                kept = _quoted_subset(after.get("arguments"), before.get("arguments"))
                return _except(before, after, "arguments", kept)
            case "local_shell_call":
                return _except(before, after, "action", _subset(after.get("action"), before.get("action")))
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                return _except(before, after, "output", type(before["output"]) is type(after.get("output")))
            case "message" if _said_by_user(before) and isinstance(before["content"], list):
                inner = "".join(_aligned(before["content"], after.get("content", []), lambda i: False, block))
                return inner or _except(before, after, "content", True)
            case "message" if _said_by_user(before):
                return _except(before, after, "content", _text_change(after.get("content"), before["content"]))
        return "it changed"

    def block(before: Any, after: Any) -> str:
        if before == after:
            return ""
        if before.get("type") == "input_text":
            return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
        return "" if after.get("type") == "input_text" and after.get("text") else "it became no words"

    yield from _aligned(old, new, may_go, item)


def _gemini_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    def changed(before: Any, after: Any, over: bool) -> Iterator[str]:
        parts = before["parts"]
        yield from filter(None, [_except(before, after, "parts", True)])

        def may_go(i: int) -> bool:
            return over and parts[i].get("thought") is True and "thoughtSignature" not in parts[i]

        yield from _aligned(parts, after["parts"], may_go, part)

    def part(before: Any, after: Any) -> str:
        if before == after:
            return ""
        if "thoughtSignature" in before:
            return "a signed part changed"
        if "functionCall" in before and "functionCall" in after:
            a, b = before["functionCall"], after["functionCall"]
            return _except(a, b, "args", _subset(b.get("args"), a.get("args"))) or _except(
                before, after, "functionCall", True
            )
        if "functionResponse" in before and "functionResponse" in after:
            a, b = before["functionResponse"], after["functionResponse"]
            kept = ("error" in a["response"]) == ("error" in b["response"]) and bool(b["response"])
            return _except(a, b, "response", kept) or _except(before, after, "functionResponse", True)
        if "inlineData" in before:
            return "" if after.get("text") else "an attachment became something else than words"
        if "thought" not in before and "text" in before:
            return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
        return "it changed"

    def spoken(content: Any) -> bool:
        return content.get("role") != "model" and not any("functionResponse" in p for p in content["parts"])

    yield from _messagewise(old, new, changed, spoken)


def _opencode_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    def changed(before: Any, after: Any, over: bool) -> Iterator[str]:
        yield from filter(None, [_except(before, after, "parts", True)])
        parts = before["parts"]
        markers = ("step-start", "step-finish")
        yield from _aligned(
            parts,
            after["parts"],
            lambda i: parts[i]["type"] in markers or (over and parts[i]["type"] == "reasoning"),
            lambda b, a: part(b, a, before["info"].get("role") != "assistant"),
        )

    def part(before: Any, after: Any, user: bool) -> str:
        if before == after:
            return ""
        if before.get("id") != after.get("id"):
            return "another part stands here"
        match before["type"]:
            case "tool":
                return _except(before, after, "state", state(before["state"], after.get("state", {})))
            case "file":
                return "" if after["type"] == "text" and after.get("text") else "it became no words"
            case "text" if user:
                return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
        return "it changed"

    def state(before: Any, after: Any) -> bool:
        rest = [
            {k: v for k, v in s.items() if k not in ("input", "output", "error", "attachments")}
            for s in (before, after)
        ]
        done = before.get("status") in ("completed", "error") and not before.get("time", {}).get("compacted")
        return rest[0] == rest[1] and done and _subset(after.get("input"), before["input"])

    yield from _messagewise(old, new, changed, lambda m: m["info"].get("role") != "assistant")


CHANGES: dict[str, Callable[[list[Any], list[Any]], Iterator[str]]] = {
    "anthropic_messages": _anthropic_changes,
    "openai_chat": _chat_changes,
    "openai_responses": _responses_changes,
    "gemini": _gemini_changes,
    "opencode": _opencode_changes,
}

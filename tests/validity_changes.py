"""What pruning may change in each format, on raw JSON: everything else has to stay.

A result may become other words in the shape it had, arguments may lose whole keys, fenced code of the user may be
cut, an attachment may become words, unsigned or finished reasoning and the host's bookkeeping may go. A
reminder may stand behind the newest message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

__all__ = ["CHANGES", "camel", "item_kind"]

# A message of any other role counts as the user's.
KNOWN_ROLES = frozenset({"system", "developer", "assistant", "tool", "function"})
_REMINDER = re.compile(r"\n\n\[Prunus reminder: [^\]]*\]\Z")
_HALF = re.compile("[\ud800-\udfff]")
_SPELLINGS = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "thought_signature": "thoughtSignature",
}


def item_kind(item: Any) -> str:
    """The type of an item; messages and references may leave it out."""
    return str(item.get("type") or ("message" if "role" in item else "item_reference"))


def camel(part: Any) -> dict[str, Any]:
    """A part of Gemini with the keys that its API documents; it takes another spelling as well."""
    return {_SPELLINGS.get(key, key): value for key, value in part.items()}


def _by_program(call: Any) -> bool:
    """Whether code of the model made a call, so that nothing of it may change."""
    return (call.get("caller") or {"type": "direct"})["type"] != "direct"


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
    if isinstance(new, str) and isinstance(old, str) and new != old:
        # Half of an emoji is no text, so it cannot be written again.
        new, old = _REMINDER.sub("", new), _HALF.sub("\ufffd", old)
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
        runs = [_runs(message, thinking) for message in (listed, blocks(after))]
        if any(run not in runs[0] for run in runs[1]):
            yield "a run of thinking blocks lost one of them"
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
            case "tool_result" if before.get("tool_use_id") in programmed:
                return "the answer to a program changed"
            case "tool_result" | "mcp_tool_result":
                defines = "tool_reference" in json.dumps(before.get("content"))
                kept = _marks(before) == _marks(after) and bool(after.get("content"))
                return _except(before, after, "content", not defines and kept)
            case "tool_use" | "mcp_tool_use" if not _by_program(before):
                return _except(before, after, "input", _subset(after.get("input"), before["input"]))
            case "text" if user:
                return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
            case "image" | "document":
                kept = after.get("type") == "text" and bool(after.get("text")) and _marks(before) == _marks(after)
                return "" if kept else "an attachment became something else than words"
        return "it changed"

    calls = [b for message in old for b in blocks(message) if b.get("type") == "tool_use"]
    programmed = {b["id"] for b in calls if _by_program(b)} - {b["id"] for b in calls if not _by_program(b)}

    def spoken(message: Any) -> bool:
        return message.get("role") not in ("assistant", "system") and not any(
            b.get("type") == "tool_result" for b in blocks(message)
        )

    yield from _messagewise(old, new, changed, spoken)


def _runs(blocks: list[Any], kinds: tuple[str, ...]) -> list[list[Any]]:
    """The blocks of these kinds that stand side by side."""
    grouped = groupby(blocks, key=lambda block: block.get("type") in kinds)
    return [list(run) for wanted, run in grouped if wanted]


def _marks(value: Any) -> int:
    text = json.dumps(value)
    return min(1, text.count('"cache_control": {') + text.count('"prompt_cache_breakpoint": {'))


def _chat_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    def changed(before: Any, after: Any, over: bool) -> Iterator[str]:
        if list(before) != list(after):
            yield "the keys of a message changed"
            return
        for key, value in before.items():
            role = before.get("role") if before.get("role") in KNOWN_ROLES else "user"
            kept = over and not before.get("reasoning_details")
            if value != after[key] and (problem := field(key, value, after[key], role, kept)):
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
            return "" if over and after else "reasoning changed that has to stay, or it is empty"
        return "it changed"

    def block(before: Any, after: Any) -> str:
        if before == after:
            return ""
        if before.get("type") == "text":
            return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
        words = after.get("type") == "text" and after.get("text") and _marks(before) == _marks(after)
        return "" if words else "it became something else than words"

    def call(before: Any, after: Any) -> str:
        a, b = before.get("function") or {}, after.get("function") or {}
        if before != after and "thought_signature" in json.dumps(before):
            return "a signed call changed"
        inner = _except(a, b, "arguments", _quoted_subset(b.get("arguments"), a.get("arguments")))
        return inner or _except(before, after, "function", True)

    yield from _messagewise(old, new, changed, lambda m: m.get("role") not in KNOWN_ROLES)


def _said_by_user(item: Any) -> bool:
    return item_kind(item) == "message" and item.get("role") not in KNOWN_ROLES


def _responses_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    start = _loop_start(old, _said_by_user)

    def may_go(i: int) -> bool:
        follows = item_kind(old[i + 1]) if i + 1 < len(old) else ""
        bound = old[i].get("id") or follows not in ("message", "reasoning")
        return i < start and old[i].get("type") == "reasoning" and not bound

    def item(before: Any, after: Any) -> str:
        if before == after:
            return ""
        if _by_program(before):
            return "a call of a program changed"
        match item_kind(before):
            case "function_call":
                kept = _quoted_subset(after.get("arguments"), before.get("arguments"))
                return _except(before, after, "arguments", kept)
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                kept = type(before["output"]) is type(after.get("output")) and _marks(before) == _marks(after)
                return _except(before, after, "output", kept)
            case "apply_patch_call_output":
                return _except(before, after, "output", bool(after.get("output")))
            case "shell_call_output":
                kept = isinstance(after.get("output"), list) and _ends(before) == _ends(after)
                return _except(before, after, "output", kept)
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
        words = after.get("type") == "input_text" and after.get("text") and _marks(before) == _marks(after)
        return "" if words else "it became no words"

    yield from _aligned(old, new, may_go, item)


def _ends(output: Any) -> list[Any]:
    """What has to stay of the output of a shell: how each command ended."""
    return [
        {key: value for key, value in chunk.items() if key not in ("stdout", "stderr")}
        for chunk in output.get("output", ())
    ]


def _gemini_changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    def changed(before: Any, after: Any, over: bool) -> Iterator[str]:
        parts = before["parts"]
        yield from filter(None, [_except(before, after, "parts", True)])

        def may_go(i: int) -> bool:
            return over and parts[i].get("thought") is True and "thoughtSignature" not in camel(parts[i])

        yield from _aligned(parts, after["parts"], may_go, part)

    def part(before: Any, after: Any) -> str:
        if before == after:
            return ""
        if "text" not in after and list(before) != list(after):
            return "its keys changed"
        before, after = camel(before), camel(after)
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
            # Files go whole, and only together with the words of the response.
            if "parts" in a and "parts" not in b:
                a = {key: value for key, value in a.items() if key != "parts"}
            return _except(a, b, "response", kept) or _except(before, after, "functionResponse", True)
        if "inlineData" in before:
            return "" if after.get("text") else "an attachment became something else than words"
        if "thought" not in before and "text" in before:
            return _except(before, after, "text", _text_change(after.get("text"), before["text"]))
        return "it changed"

    def spoken(content: Any) -> bool:
        return content.get("role") != "model" and not any("functionResponse" in camel(p) for p in content["parts"])

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

"""The items of the Responses API, each read as one message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import BlockReader, as_json, data_url, dicts, function_call, kind_of, listed, marks_of
from prunus.providers.hidden_calls import numbered

_ROLES: Final[dict[str, Role]] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "user": "user",
}
_DEFINITIONS: Final = frozenset({"additional_tools", "tool_search_output", "mcp_list_tools"})


_SERVED: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)


def is_served(item: Mapping[str, Any]) -> bool:
    """Whether an item is a call that the provider answers itself."""
    kind = item.get("type")
    return kind in _SERVED or (kind == "tool_search_call" and item.get("execution") == "server")


def read_item(item: Mapping[str, Any], raw: bytes) -> Message:
    """One item of the list, as a message."""
    kind = item.get("type") or ("message" if "role" in item else "item_reference")
    if _by_program(item):
        return _opaque(kind, item, raw)
    id = str(item.get("call_id") or item.get("id"))
    part: Part
    match kind:
        case "message":
            role = _ROLES.get(str(item.get("role")), "user")
            parts = tuple(_BLOCKS.content(item.get("content"), ("content",)))
            return Message(role, parts, raw, joins=role == "assistant", spoken=role == "user")
        case "function_call":
            part = function_call(item.get("call_id"), item)
        case "custom_tool_call" if isinstance(item.get("input"), str):
            text = item["input"]
            part = Call(id, str(item.get("name")), text, text, at=("input",))
        case "local_shell_call" if isinstance(item.get("action"), dict):
            # An action has required fields beside its command, so it stays whole.
            action = item["action"]
            part = Call(id, "local_shell", action, as_json(action), fixed=True, at=("action",))
        case "shell_call" if isinstance(item.get("action"), dict):
            action = item["action"]
            commands = "\n".join(map(str, listed(action.get("commands"))))
            part = Call(id, "shell", {"command": commands}, as_json(action), fixed=True, at=("action",))
        case "shell_call_output":
            return Message("tool", (_streams(id, item),), raw)
        case "apply_patch_call" if isinstance(item.get("operation"), dict):
            operation = item["operation"]
            given = {"input": _envelope(operation)}
            part = Call(id, "apply_patch", given, as_json(operation), fixed=True, at=("operation",))
        case (
            "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "apply_patch_call_output"
        ):
            output = item.get("output")
            error = item.get("status") == "failed" if kind == "apply_patch_call_output" else None
            fixed = not isinstance(output, str | list)
            result = _BLOCKS.result(id, output, ("output",), 0, block="input_text", error=error, fixed=fixed)
            return Message("tool", result, raw)
        case "reasoning":
            told = dicts(item.get("summary")) + dicts(item.get("content"))
            text = "\n".join(str(block.get("text", "")) for block in told)
            hidden = len(str(item.get("encrypted_content") or ""))
            # With an id the next item is bound to it: "provided without its required reasoning item".
            part = Thinking(text, hidden, fixed=bool(item.get("id")))
        case _:
            return _opaque(kind, item, raw)
    return Message("assistant", (part,), raw, joins=True)


def _opaque(kind: object, item: Mapping[str, Any], raw: bytes) -> Message:
    name = str(kind)
    role: Role = "assistant" if name.endswith("_call") else "tool" if name.endswith("_output") else "system"
    part = Opaque(name, as_json(item))
    return Message(role, (part,), raw, joins=role == "assistant", definitions=name in _DEFINITIONS)


def _by_program(item: Mapping[str, Any]) -> bool:
    """Whether a program of the model made a call. Only that program sees the output; the provider replays both."""
    caller = item.get("caller")
    return isinstance(caller, dict) and caller.get("type") == "program"


def _streams(id: str, item: Mapping[str, Any]) -> Result:
    """The output of a `shell_call`: chunks, each with its stdout, its stderr and how its command ended."""
    chunks = list(numbered(item.get("output")))
    found = [
        (chunk[key], ("output", i, key))
        for i, chunk in chunks
        for key in ("stdout", "stderr")
        if isinstance(chunk.get(key), str) and chunk[key]
    ]
    texts = tuple(text for text, _ in found)
    ends = [chunk["outcome"] for _, chunk in chunks if isinstance(chunk.get("outcome"), dict)]
    return Result(
        id,
        "\n".join(texts),
        error=any(end.get("type") == "timeout" or end.get("exit_code") for end in ends),
        shape="streams",
        at=found[0][1] if found else (),
        texts=tuple(path for _, path in found),
        pieces=texts,
    )


_HEADERS: Final = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


def _envelope(operation: Mapping[str, Any]) -> str:
    """The operation of an `apply_patch_call`, as the patch of the function tool of that name."""
    header = f"*** {_HEADERS.get(str(operation.get('type')), 'Update')} File: {operation.get('path')}"
    return f"*** Begin Patch\n{header}\n{operation.get('diff') or ''}\n*** End Patch"


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    kind = kind_of(block)
    media, size = data_url(block.get("image_url") or block.get("file_data"))
    name = block.get("filename") or block.get("file_id") or (kind if size else block.get("image_url")) or kind
    return Attachment(
        str(name), media or kind, size, inside, block={"type": "input_text", **marks_of(block)}, at=at
    )


_BLOCKS = BlockReader(
    frozenset({"input_text", "output_text", "text"}),
    frozenset({"input_image", "input_file", "input_audio"}),
    _attachment,
)

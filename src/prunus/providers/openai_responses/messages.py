"""OpenAI Responses: a flat list of items; several items make one model step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Role, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import BlockReader, as_json, data_url, decode_arguments, kind_of

_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "assistant": "assistant", "user": "user"}
_DEFINITIONS = frozenset({"additional_tools", "tool_search_output", "mcp_list_tools"})


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of the `/v1/responses` body."""
    kind = message.get("type", "message")
    role: Role = "assistant"
    part: Part
    match kind:
        case "message":
            role = _ROLES.get(str(message.get("role")), "user")
            parts = tuple(_BLOCKS.content(message.get("content"), ("content",)))
            return Message(role, parts, raw, joins=role == "assistant", spoken=role == "user")
        case "function_call":
            arguments = message.get("arguments", "")
            part = Call(
                str(message.get("call_id")),
                str(message.get("name")),
                decode_arguments(arguments),
                arguments if isinstance(arguments, str) else as_json(arguments),
                quoted=isinstance(arguments, str),
                fixed="arguments" not in message,
                at=("arguments",),
            )
        case "custom_tool_call" if isinstance(message.get("input"), str):
            text = message["input"]
            part = Call(str(message.get("call_id")), str(message.get("name")), text, text, at=("input",))
        case "local_shell_call" if isinstance(message.get("action"), dict):
            # An action has required fields beside its command, so it stays whole.
            action = message["action"]
            part = Call(
                str(message.get("call_id")), "local_shell", action, as_json(action), fixed=True, at=("action",)
            )
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            id, output = str(message.get("call_id") or message.get("id")), message.get("output")
            fixed = not isinstance(output, str | list)
            result = _BLOCKS.result(id, output, ("output",), 0, block="input_text", fixed=fixed)
            return Message("tool", result, raw)
        case "reasoning":
            summary = message.get("summary")
            text = "\n".join(
                str(item.get("text", ""))
                for item in (summary if isinstance(summary, list) else ())
                if isinstance(item, dict)
            )
            # With an id the next item is bound to it: "provided without its required reasoning item".
            part = Thinking(text, len(str(message.get("encrypted_content") or "")), fixed=bool(message.get("id")))
        case _:
            name = str(kind)
            role = "assistant" if name.endswith("_call") else "tool" if name.endswith("_output") else "system"
            part = Opaque(name, as_json(message))
    return Message(role, (part,), raw, joins=role == "assistant", definitions=str(kind) in _DEFINITIONS)


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    kind = kind_of(block)
    media, size = data_url(block.get("image_url") or block.get("file_data"))
    name = block.get("filename") or block.get("file_id") or (kind if size else block.get("image_url")) or kind
    return Attachment(str(name), media or kind, size, inside, block={"type": "input_text"}, at=at)


_BLOCKS = BlockReader(
    frozenset({"input_text", "output_text", "text"}),
    frozenset({"input_image", "input_file", "input_audio"}),
    _attachment,
)

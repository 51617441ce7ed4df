"""Anthropic Messages: content blocks, each with a start, deltas and a stop."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final

import msgspec

from prunus.agent.echo import Echo
from prunus.agent.exchange import blocks_of
from prunus.agent.sse import event
from prunus.agent.wires.wire import HiddenCall, Wire, count, fields
from prunus.notes import unechoed

__all__ = ["AnthropicWire"]

_NOTHING: Final = {"type": "text", "text": "Done."}
"""What a client gets where the model said nothing but hidden calls."""


class AnthropicWire(Wire):
    """The answers of `/v1/messages`."""

    def __init__(self, ids: Container[str], tools: Container[str], *, streaming: bool) -> None:
        super().__init__(ids, tools, streaming=streaming)
        self._message: dict[str, Any] = {}
        self._blocks: list[dict[str, Any]] = []
        """The blocks of this hop, hidden ones included."""
        self._shown: list[dict[str, Any]] = []
        """The blocks that the client has seen, of all hops."""
        self._places: dict[int, int] = {}
        """Where a visible block of this hop stands for the client; -1 for a hidden one."""
        self._partial: dict[int, list[str]] = {}
        self._echoes: dict[int, Echo] = {}
        self._held: list[bytes] = []
        self._delta: dict[str, Any] = {}

    @property
    def hidden(self) -> list[HiddenCall]:
        found = []
        before = 0
        for block in self._blocks:
            if block.get("type") == "tool_use":
                if self._hides(block.get("name")):
                    value = block.get("input", {})
                    found.append(HiddenCall(str(block.get("id")), str(block["name"]), value, before, block))
                else:
                    before += 1
        return found

    @property
    def visible(self) -> list[str]:
        return [
            str(block.get("id"))
            for block in self._blocks
            if block.get("type") == "tool_use" and not self._hides(block.get("name"))
        ]

    def said(self) -> list[Any]:
        blocks = [b for b in self._blocks if b.get("type") != "text" or b.get("text")]
        return [{"role": "assistant", "content": blocks}]

    def text(self) -> str:
        return "".join(str(block.get("text", "")) for block in self._shown if block.get("type") == "text")

    def again(self) -> None:
        self._output += count(fields(self._delta.get("usage")).get("output_tokens"))
        self._blocks, self._places, self._partial, self._echoes = [], {}, {}, {}
        self._held, self._delta = [], {}
        super().again()

    def _event(self, raw: bytes, data: Any) -> bytes:
        kind = data.get("type") if isinstance(data, dict) else None
        match kind:
            case "message_start":
                if self._hop:
                    return b""
                self._message = data.get("message") or {}
                return raw
            case "content_block_start":
                return self._start(data, raw)
            case "content_block_delta":
                return self._piece(data, raw)
            case "content_block_stop":
                return self._stop(data, raw)
            case "message_delta":
                self._delta = data
                self._held.append(raw)
                return b"" if self.hidden or self._hop else self._release()
            case "message_stop":
                self.whole = True
                self._held.append(raw)
                return b"" if self.hidden or self._hop else self._release()
        return raw

    def _release(self) -> bytes:
        held, self._held = b"".join(self._held), []
        return held

    def _start(self, data: dict[str, Any], raw: bytes) -> bytes:
        index, block = data["index"], fields(data.get("content_block"))
        self._blocks.append(block)
        self._partial[index] = []
        if block.get("type") == "tool_use" and self._hides(block.get("name")):
            self._places[index] = -1
            return b""
        self._places[index] = len(self._shown)
        self._shown.append(block)
        if block.get("type") == "text":
            self._echoes[index] = Echo(self._ids)
        return self._placed(data, raw)

    def _piece(self, data: dict[str, Any], raw: bytes) -> bytes:
        index, delta = data["index"], fields(data.get("delta"))
        block = self._block(index)
        match delta.get("type"):
            case "text_delta":
                text = self._echoes[index].feed(str(delta.get("text", "")))
                block["text"] = block.get("text", "") + text
                if text != delta.get("text"):
                    changed = {**data, "index": self._places[index], "delta": {**delta, "text": text}}
                    return event(changed, "content_block_delta") if text else b""
            case "thinking_delta":
                block["thinking"] = block.get("thinking", "") + str(delta.get("thinking", ""))
            case "signature_delta":
                block["signature"] = block.get("signature", "") + str(delta.get("signature", ""))
            case "input_json_delta":
                self._partial[index].append(str(delta.get("partial_json", "")))
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
        return b"" if self._places.get(index) == -1 else self._placed(data, raw)

    def _stop(self, data: dict[str, Any], raw: bytes) -> bytes:
        index = data["index"]
        block = self._block(index)
        given = "".join(self._partial.get(index, ()))
        if given:
            block["input"] = _decoded(given)
        if self._places.get(index) == -1:
            return b""
        rest = self._echoes.pop(index).flush() if index in self._echoes else ""
        out = b""
        if rest:
            block["text"] = block.get("text", "") + rest
            more = {"type": "text_delta", "text": rest}
            place = self._places[index]
            out = event({"type": "content_block_delta", "index": place, "delta": more}, "content_block_delta")
        return out + self._placed(data, raw)

    def _block(self, index: int) -> dict[str, Any]:
        return self._blocks[list(self._places).index(index)]

    def _placed(self, data: dict[str, Any], raw: bytes) -> bytes:
        place = self._places.get(data["index"], data["index"])
        return raw if place == data["index"] else event({**data, "index": place}, data["type"])

    def _read(self, answer: Any) -> None:
        message: dict[str, Any] = answer
        blocks = blocks_of(message["content"])
        if blocks != message["content"]:
            return
        self._message = self._message or message
        self._delta = {"delta": {k: message.get(k) for k in ("stop_reason", "stop_sequence")}, **_usage(message)}
        self._blocks = [_clean(block, self._ids) for block in blocks]
        hidden = [call.block for call in self.hidden]
        self._shown += (block for block in self._blocks if not any(block is h for h in hidden))
        self.whole = True

    def close(self) -> bytes:
        if not self._streaming:
            return self._closed_whole()
        if not self._held:
            return b""
        out = []
        if self.whole and not self._shown:
            index = 0
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": _NOTHING["text"]}
            out += [
                event(
                    {"type": "content_block_start", "index": index, "content_block": start}, "content_block_start"
                ),
                event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta"),
                event({"type": "content_block_stop", "index": index}, "content_block_stop"),
            ]
            self._shown.append(dict(_NOTHING))
        out.append(event(self._ended(), "message_delta"))
        out += self._held[1:]
        self._held = []
        return b"".join(out)

    def _ended(self) -> dict[str, Any]:
        """The last message_delta, as it is for the whole of the client's message."""
        delta, usage = fields(self._delta.get("delta")), fields(self._delta.get("usage"))
        if delta.get("stop_reason") == "tool_use" and not self.visible:
            delta["stop_reason"] = "end_turn"
        if "output_tokens" in usage:
            usage["output_tokens"] = count(usage["output_tokens"]) + self._output
        return {**self._delta, "delta": delta, **({"usage": usage} if usage else {})}

    def _closed_whole(self) -> bytes:
        if not self.whole or (not self._hop and not self.hidden and not _echoed(self._body, self._blocks)):
            return bytes(self._body)
        ended = self._ended()
        message = {
            **self._message,
            **ended["delta"],
            "content": self._shown or [dict(_NOTHING)],
            **({"usage": ended["usage"]} if "usage" in ended else {}),
        }
        return msgspec.json.encode(message)


def _usage(message: dict[str, Any]) -> dict[str, Any]:
    return {"usage": message["usage"]} if isinstance(message.get("usage"), dict) else {}


def _clean(block: dict[str, Any], ids: Container[str]) -> dict[str, Any]:
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return {**block, "text": unechoed(block["text"], ids)}
    return block


def _echoed(body: bytearray, blocks: list[dict[str, Any]]) -> bool:
    """Whether the words of the answer were changed."""
    content: Any = msgspec.json.decode(body).get("content")
    return bool(content != blocks)


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}

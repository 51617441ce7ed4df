"""Answers of Anthropic Messages: content blocks, each with a start, deltas and a stop."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from prunus.notes import without_repeated_ids
from prunus.providers.answer_stream import NOTHING_SAID, AnswerStream, count, fields
from prunus.providers.blocks import decode_or, dicts
from prunus.providers.filters import IdFilter, Pieces, changed_value
from prunus.providers.hidden_calls import HiddenCall
from prunus.providers.provider import Api
from prunus.providers.sse import ServerEvent, event, typed

_HIDDEN: Final = -1
"""The place of a block that the client does not see."""
_DELTA: Final = "content_block_delta"


@dataclass(slots=True)
class _ContentBlock:
    """A content block of this hop."""

    data: dict[str, Any]
    place: int
    """The index that the block has for the client."""
    arguments: list[str] = field(default_factory=list)
    words: IdFilter | None = None
    edit: Pieces | None = None
    """Holds the arguments of a call whose intent is taken out."""


class AnthropicStream(AnswerStream):
    """The answers of `/v1/messages`."""

    def __init__(self, api: Api, **given: Any) -> None:
        super().__init__(api, **given)
        self._message: dict[str, Any] = {}
        self._seen: list[dict[str, Any]] = []
        """The blocks that the client has seen, of all hops."""

    def _begin(self) -> None:
        super()._begin()
        self._blocks: dict[int, _ContentBlock] = {}
        """The blocks of this hop, hidden ones included, by the index that the provider gives them."""
        self._held: list[bytes] = []
        self._delta: dict[str, Any] = {}

    def _calls_made(self) -> Iterator[HiddenCall]:
        for block in self._blocks.values():
            if block.data.get("type") == "tool_use":
                name, value = str(block.data.get("name")), block.data.get("input", {})
                yield HiddenCall(str(block.data.get("id")), name, value, block.data)

    def said(self) -> list[Any]:
        blocks = [block.data for block in self._blocks.values()]
        return [{"role": "assistant", "content": [b for b in blocks if b.get("type") != "text" or b.get("text")]}]

    def text(self) -> str:
        return "".join(str(block.get("text", "")) for block in self._seen if block.get("type") == "text")

    def _output_tokens(self) -> object:
        return fields(self._delta.get("usage")).get("output_tokens")

    def _event(self, event: ServerEvent) -> bytes:
        raw, data = event
        match data.get("type") if isinstance(data, dict) else None:
            case "message_start":
                if self._hop:
                    return b""
                self._message = data.get("message") or {}
            case "content_block_start":
                return self._start(data, raw)
            case "content_block_delta":
                return self._piece(data, raw)
            case "content_block_stop":
                return self._stop(data, raw)
            case "message_delta" | "message_stop" as kind:
                if kind == "message_delta":
                    self._delta = data
                else:
                    self.whole = True
                self._held.append(raw)
                rest = self._rest()
                if self._hop or self.hidden:
                    return rest
                held, self._held = b"".join(self._held), []
                return rest + held
        return raw

    def _start(self, data: dict[str, Any], raw: bytes) -> bytes:
        index, block = data["index"], fields(data.get("content_block"))
        call = block.get("type") == "tool_use"
        if call and self._hides(block.get("name")):
            self._blocks[index] = _ContentBlock(block, _HIDDEN)
            return b""
        one = self._blocks[index] = _ContentBlock(block, len(self._seen))
        if block.get("type") == "text":
            one.words = IdFilter(self._ids)
        elif call and self._intents is not None:
            one.edit = self._intents.pieces(block.get("id"), block.get("name"))
            # Some servers send the whole input here.
            changes = self._intents.changes(self._api.calls_of({"content": [block]}))
            if changes:
                one.data = changed_value({"content": [block]}, changes)["content"][0]
                data, raw = {**data, "content_block": one.data}, b""
        self._seen.append(one.data)
        return _placed(one, data, raw)

    def _piece(self, data: dict[str, Any], raw: bytes) -> bytes:
        block, delta = self._blocks[data["index"]], fields(data.get("delta"))
        match delta.get("type"):
            case "text_delta" if block.words is not None:
                text = block.words.feed(str(delta.get("text", "")))
                block.data["text"] = block.data.get("text", "") + text
                if text != delta.get("text"):
                    return _placed(block, {**data, "delta": {**delta, "text": text}}) if text else b""
            case "thinking_delta" | "signature_delta" as kind:
                key = kind.removesuffix("_delta")
                block.data[key] = block.data.get(key, "") + str(delta.get(key, ""))
            case "input_json_delta" if block.edit is not None and isinstance(delta.get("partial_json"), str):
                block.edit.texts.append(delta["partial_json"])
                return _placed(block, {**data, "delta": {**delta, "partial_json": ""}})
            case "input_json_delta":
                block.arguments.append(str(delta.get("partial_json", "")))
            case "citations_delta":
                block.data["citations"] = [*(block.data.get("citations") or []), delta.get("citation")]
            case "compaction_delta":
                block.data |= {key: value for key, value in delta.items() if key != "type"}
        return b"" if block.place == _HIDDEN else _placed(block, data, raw)

    def _stop(self, data: dict[str, Any], raw: bytes) -> bytes:
        block = self._blocks[data["index"]]
        out = _held_back(block)
        given = "".join(block.arguments)
        if given:
            block.data["input"] = decode_or(given, {})
        return b"" if block.place == _HIDDEN else out + _placed(block, data, raw)

    def _rest(self) -> bytes:
        return b"".join(map(_held_back, self._blocks.values()))

    def _read(self, answer: Any) -> None:
        message: dict[str, Any] = answer
        blocks = dicts(message["content"])
        if blocks != message["content"]:
            return
        self._message = self._message or message
        self._delta = {"delta": {key: message.get(key) for key in ("stop_reason", "stop_sequence")}}
        if isinstance(message.get("usage"), dict):
            self._delta["usage"] = message["usage"]
        self._blocks = {i: _ContentBlock(_clean(block, self._ids), i) for i, block in enumerate(blocks)}
        hidden = [id(call.block) for call in self.hidden]
        self._seen += (block.data for block in self._blocks.values() if id(block.data) not in hidden)
        self.whole = True

    def close(self) -> bytes:
        if not self._streaming:
            return self._closed_whole()
        if not self._held:
            return b""
        out = []
        if self.whole and not self._seen:
            nothing: dict[str, Any] = {"type": "text", "text": ""}
            said = {"type": "text_delta", "text": NOTHING_SAID}
            out += [
                typed({"type": "content_block_start", "index": 0, "content_block": nothing}),
                typed({"type": _DELTA, "index": 0, "delta": said}),
                typed({"type": "content_block_stop", "index": 0}),
            ]
            self._seen.append({"type": "text", "text": NOTHING_SAID})
        out += (event(self._ended(), "message_delta"), *self._held[1:])
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
        if not self.whole or not (self._hop or self.hidden or self._cleaned()):
            return self._body
        ended = self._ended()
        message = {
            **self._message,
            **ended["delta"],
            "content": self._seen or [{"type": "text", "text": NOTHING_SAID}],
            **({"usage": ended["usage"]} if "usage" in ended else {}),
        }
        return msgspec.json.encode(message)

    def _cleaned(self) -> bool:
        """Whether ids were taken out of the words of the answer."""
        content: Any = msgspec.json.decode(self._body).get("content")
        return bool(content != [block.data for block in self._blocks.values()])


def _held_back(block: _ContentBlock) -> bytes:
    """The words and arguments of a block that were not shown yet."""
    arguments = block.edit.shown() if block.edit is not None else ""
    if arguments:
        block.arguments.append(arguments)
        return _delta(block, {"type": "input_json_delta", "partial_json": arguments})
    words = block.words.flush() if block.words is not None else ""
    if words:
        block.data["text"] = block.data.get("text", "") + words
        return _delta(block, {"type": "text_delta", "text": words})
    return b""


def _delta(block: _ContentBlock, delta: dict[str, Any]) -> bytes:
    return typed({"type": _DELTA, "index": block.place, "delta": delta})


def _placed(block: _ContentBlock, data: dict[str, Any], raw: bytes = b"") -> bytes:
    """An event of a block with the index that it has for the client; `raw` are its bytes if it is unchanged."""
    return raw if raw and block.place == data["index"] else typed({**data, "index": block.place})


def _clean(block: dict[str, Any], ids: Container[str]) -> dict[str, Any]:
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return {**block, "text": without_repeated_ids(block["text"], ids)}
    return block

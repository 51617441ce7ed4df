"""OpenAI Responses: output items, each of them told in full when it is done."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import msgspec

from prunus.agent.echo import Echo
from prunus.agent.exchange import blocks_of, words_of
from prunus.agent.sse import event
from prunus.agent.wires.wire import HiddenCall, Wire, count, fields
from prunus.notes import unechoed

__all__ = ["ResponsesWire"]

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponsesWire(Wire):
    """The answers of `/v1/responses`."""

    def __init__(self, ids: Container[str], tools: Container[str], *, streaming: bool) -> None:
        super().__init__(ids, tools, streaming=streaming)
        self._first: dict[str, Any] = {}
        self._items: dict[int, dict[str, Any]] = {}
        """The items of this hop by their index."""
        self._shown: list[dict[str, Any]] = []
        """The items that the client has seen, of all hops."""
        self._places: dict[int, int] = {}
        self._count = 0
        self._echoes: dict[tuple[int, int], Echo] = {}
        self._ended: dict[str, Any] = {}
        self._number = 0

    @property
    def hidden(self) -> list[HiddenCall]:
        found = []
        before = 0
        for _, item in sorted(self._items.items()):
            if self._ours(item):
                arguments = str(item.get("arguments", ""))
                found.append(HiddenCall(str(item.get("call_id")), item["name"], arguments, before, _bare(item)))
            elif str(item.get("type")).endswith("_call"):
                before += 1
        return found

    @property
    def visible(self) -> list[str]:
        return [
            str(item.get("call_id") or item.get("id"))
            for _, item in sorted(self._items.items())
            if str(item.get("type")).endswith("_call") and not self._ours(item)
        ]

    def said(self) -> list[Any]:
        return [_bare(item) for _, item in sorted(self._items.items())]

    def text(self) -> str:
        return "".join(words_of(item.get("content")) for item in self._shown if item.get("type") == "message")

    def again(self) -> None:
        response = fields(self._ended.get("response"))
        self._output += count(fields(response.get("usage")).get("output_tokens"))
        self._items, self._places, self._echoes, self._ended = {}, {}, {}, {}
        super().again()

    def _event(self, raw: bytes, data: Any) -> bytes:
        kind = data.get("type") if isinstance(data, dict) else None
        if not isinstance(kind, str):
            return raw
        if kind in ("response.created", "response.in_progress", "response.queued"):
            self._first = self._first or fields(data.get("response"))
            return b"" if self._hop else self._numbered(data, raw)
        if kind in _ENDS:
            self.whole = kind == "response.completed"
            self._ended = data
            return b"" if self.hidden or self._hop or self._changed() else self._numbered(data, raw, last=True)
        if "output_index" not in data:
            return self._numbered(data, raw)
        return self._of_item(kind, data, raw)

    def _of_item(self, kind: str, data: dict[str, Any], raw: bytes) -> bytes:
        index = int(data["output_index"])
        if index not in self._items:
            item = self._items[index] = fields(data.get("item"))
            if not self._ours(item):
                self._places[index] = self._count
                self._count += 1
        if kind == "response.output_item.done":
            self._items[index] = self._clean(fields(data.get("item")))
            if index in self._places:
                self._shown.append(self._items[index])
        if index not in self._places:
            return b""
        place = self._places[index]
        changed = {**data, "output_index": place}
        part = index, int(data.get("content_index", 0))
        if kind == "response.output_text.delta":
            text = self._echoes.setdefault(part, Echo(self._ids)).feed(str(data.get("delta", "")))
            if not text and data.get("delta"):
                return b""
            changed["delta"] = text
        elif kind == "response.output_text.done":
            rest = self._echoes[part].flush() if part in self._echoes else ""
            changed["text"] = unechoed(str(data.get("text", "")), self._ids)
            if rest:
                more = {**changed, "type": "response.output_text.delta", "delta": rest}
                more.pop("text")
                return self._numbered(more, b"") + self._numbered(changed, b"")
        elif kind == "response.content_part.done":
            changed["part"] = _clean_part(data.get("part"), self._ids)
        elif kind == "response.output_item.done":
            changed["item"] = self._items[index]
        return self._numbered(changed, raw if changed == data else b"")

    def _numbered(self, data: dict[str, Any], raw: bytes, *, last: bool = False) -> bytes:
        """An event with the next number in the client's stream."""
        number = data.get("sequence_number")
        if isinstance(number, int):
            if number != self._number or not raw:
                raw, data = b"", {**data, "sequence_number": self._number}
            self._number += 1
        if last:
            self._ended = {}
        return raw or event(data, str(data["type"]))

    def _changed(self) -> bool:
        """Whether the items of the answer are other than the provider's."""
        output = fields(self._ended.get("response")).get("output") or []
        return [item for _, item in sorted(self._items.items())] != output and bool(self._items)

    def _read(self, answer: Any) -> None:
        items = blocks_of(answer["output"])
        if items != answer["output"]:
            return
        self._items = {i: self._clean(item) for i, item in enumerate(items)}
        self._shown += (item for item in self._items.values() if not self._ours(item))
        self._first = self._first or answer
        self._ended = {"response": answer}
        self.whole = answer.get("status", "completed") == "completed"

    def close(self) -> bytes:
        if not self._ended:
            return b"" if self._streaming else bytes(self._body)
        response = fields(self._ended.get("response"))
        if not self._streaming and not self._hop and not self.hidden and not self._changed():
            return bytes(self._body)
        usage = fields(response.get("usage"))
        if "output_tokens" in usage:
            usage["output_tokens"] = count(usage["output_tokens"]) + self._output
            if "total_tokens" in usage:
                usage["total_tokens"] = count(usage.get("input_tokens")) + usage["output_tokens"]
        same = {key: value for key, value in self._first.items() if key in ("id", "created_at")}
        whole = {**response, **same, "output": self._shown, **({"usage": usage} if usage else {})}
        if not self._streaming:
            return msgspec.json.encode(whole)
        ended, self._ended = self._ended, {}
        return self._numbered({**ended, "response": whole}, b"")

    def _ours(self, item: dict[str, Any]) -> bool:
        return item.get("type") == "function_call" and self._hides(item.get("name"))

    def _clean(self, item: dict[str, Any]) -> dict[str, Any]:
        if item.get("type") != "message" or not isinstance(item.get("content"), list):
            return item
        return {**item, "content": [_clean_part(part, self._ids) for part in item["content"]]}


def _clean_part(part: Any, ids: Container[str]) -> Any:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return {**part, "text": unechoed(part["text"], ids)}
    return part


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it goes back to the model: what only an answer has is left out."""
    return {key: value for key, value in item.items() if key not in ("status", "parsed_arguments")}

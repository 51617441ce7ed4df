"""OpenAI Responses: output items, each of them told in full when it is done."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import msgspec

from prunus.agent.echo import Echo
from prunus.agent.sse import Events, data_of, event
from prunus.agent.wires.wire import HiddenCall
from prunus.notes import unechoed

__all__ = ["ResponsesWire"]

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponsesWire:
    """The answers of `/v1/responses`."""

    def __init__(self, ids: Container[str], tools: Container[str], *, streaming: bool) -> None:
        self._ids = ids
        self._tools = tools
        self._streaming = streaming
        self._events = Events()
        self._body = b""
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
        self._hop = 0
        self._output = 0
        self.whole = False

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
        return "".join(_words(item) for item in self._shown)

    def again(self) -> None:
        self._hop += 1
        response = self._ended.get("response") or {}
        self._output += int((response.get("usage") or {}).get("output_tokens") or 0)
        self._items, self._places, self._echoes = {}, {}, {}
        self._ended, self._body, self.whole = {}, b"", False

    def feed(self, chunk: bytes) -> bytes:
        if not self._streaming:
            self._body += chunk
            return b""
        return b"".join(self._event(raw) for raw in self._events.feed(chunk))

    def _event(self, raw: bytes) -> bytes:
        data = data_of(raw)
        kind = data.get("type") if isinstance(data, dict) else None
        if not isinstance(kind, str):
            return raw
        if kind in ("response.created", "response.in_progress", "response.queued"):
            self._first = self._first or dict(data.get("response") or {})
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
        if kind == "response.output_item.added":
            item = data.get("item") or {}
            self._items[index] = item
            if not self._ours(item):
                self._places[index] = self._count
                self._count += 1
        elif kind == "response.output_item.done":
            self._items[index] = self._clean(data.get("item") or {})
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
        output = (self._ended.get("response") or {}).get("output") or []
        return [item for _, item in sorted(self._items.items())] != output and bool(self._items)

    def finish(self) -> bytes:
        if self._streaming:
            return self._events.rest()
        try:
            answer = msgspec.json.decode(self._body)
            items = list(answer["output"])
        except (msgspec.MsgspecError, UnicodeError, RecursionError, LookupError, TypeError):
            return b""
        self.whole = answer.get("status", "completed") == "completed"
        self._first = self._first or answer
        self._ended = {"response": answer}
        self._items = {i: self._clean(item) for i, item in enumerate(items)}
        self._shown += (item for item in self._items.values() if not self._ours(item))
        return b""

    def close(self) -> bytes:
        if not self._ended:
            return b"" if self._streaming else self._body
        response = self._ended.get("response") or {}
        if not self._streaming and not self._hop and not self.hidden and not self._changed():
            return self._body
        usage = dict(response.get("usage") or {})
        if "output_tokens" in usage:
            usage["output_tokens"] = int(usage["output_tokens"] or 0) + self._output
            if "total_tokens" in usage:
                usage["total_tokens"] = int(usage.get("input_tokens") or 0) + usage["output_tokens"]
        same = {key: value for key, value in self._first.items() if key in ("id", "created_at")}
        whole = {**response, **same, "output": self._shown, **({"usage": usage} if usage else {})}
        if not self._streaming:
            return msgspec.json.encode(whole)
        ended, self._ended = self._ended, {}
        return self._numbered({**ended, "response": whole}, b"")

    def _ours(self, item: dict[str, Any]) -> bool:
        return item.get("type") == "function_call" and item.get("name") in self._tools

    def _clean(self, item: Any) -> dict[str, Any]:
        if not isinstance(item, dict):
            return {"type": "unknown"}
        if item.get("type") != "message" or not isinstance(item.get("content"), list):
            return item
        return {**item, "content": [_clean_part(part, self._ids) for part in item["content"]]}


def _clean_part(part: Any, ids: Container[str]) -> Any:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return {**part, "text": unechoed(part["text"], ids)}
    return part


def _words(item: dict[str, Any]) -> str:
    content = item.get("content") if item.get("type") == "message" else None
    return "".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it goes back to the model: what only an answer has is left out."""
    return {key: value for key, value in item.items() if key not in ("status", "parsed_arguments")}

"""Answers of OpenAI Responses: output items, each of them repeated in full when it is done.

Events are numbered, so that none may be added: the newest piece of the arguments of an edit waits for the next
event, and becomes all of the arguments if that event says that they are complete.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final

import msgspec

from prunus.notes import without_repeated_ids
from prunus.providers.answer_stream import AnswerStream, count, fields
from prunus.providers.blocks import dicts, words_of
from prunus.providers.filters import IdFilter, Pieces, changed_value
from prunus.providers.hidden_calls import HiddenCall
from prunus.providers.openai_responses.items import is_served
from prunus.providers.provider import Api
from prunus.providers.sse import ServerEvent, typed

_STARTS: Final = frozenset({"response.created", "response.in_progress", "response.queued"})
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_PIECE: Final = "response.function_call_arguments.delta"
_ARGUMENTS: Final = "response.function_call_arguments.done"
_ITEM: Final = "response.output_item.done"


class ResponsesStream(AnswerStream):
    """The answers of `/v1/responses`."""

    def __init__(self, api: Api, **given: Any) -> None:
        super().__init__(api, **given)
        self._first: dict[str, Any] = {}
        self._seen: list[dict[str, Any]] = []
        """The items that the client has seen, of all hops."""
        self._count = 0
        self._waiting: dict[str, Any] | None = None
        """The newest piece of arguments that are held."""
        self._number = 0

    def _begin(self) -> None:
        super()._begin()
        self._items: dict[int, dict[str, Any]] = {}
        """The items of this hop by their index."""
        self._places: dict[int, int] = {}
        """The index of a visible item for the client."""
        self._words: dict[tuple[int, int], IdFilter] = {}
        self._edits: dict[Any, Pieces] = {}
        """The arguments that are held until their intent can be taken out."""
        self._ended: dict[str, Any] = {}

    def _calls_made(self) -> Iterator[HiddenCall]:
        for item in self._in_order():
            kind = str(item.get("type"))
            if kind.endswith("_call") and not is_served(item):
                tool = str(item.get("name")) if kind == "function_call" else ""
                id, arguments = str(item.get("call_id") or item.get("id")), str(item.get("arguments", ""))
                yield HiddenCall(id, tool, arguments, _bare(item))

    def _in_order(self) -> list[dict[str, Any]]:
        return [item for _, item in sorted(self._items.items())]

    def said(self) -> list[Any]:
        return list(map(_bare, self._in_order()))

    def text(self) -> str:
        return "".join(words_of(item.get("content")) for item in self._seen if item.get("type") == "message")

    def _output_tokens(self) -> object:
        return fields(fields(self._ended.get("response")).get("usage")).get("output_tokens")

    def _without_intents(self, event: ServerEvent) -> list[ServerEvent]:
        data = event.data
        if not isinstance(data, dict) or "type" not in data:
            return [event]
        kind, index = data["type"], _index(data)
        complete = kind in (_ARGUMENTS, _ITEM) and self._waiting is not None and _index(self._waiting) == index
        out = self._release(complete=complete)
        shown = self._without_intent(kind, index, data)
        if shown is not None:
            out.append(event if shown is data else _made(shown))
        return out

    def _without_intent(self, kind: Any, index: Any, data: dict[str, Any]) -> dict[str, Any] | None:
        """An event as the client may see it; None for a piece of arguments, which waits."""
        assert self._intents is not None
        known = self._edits.get(index)
        if kind == _PIECE and known is not None and isinstance(data.get("delta"), str):
            known.texts.append(data["delta"])
            self._waiting = data
            return None
        if kind == _ARGUMENTS and known is not None and isinstance(data.get("arguments"), str):
            text = self._intents.text(known.id, known.tool, data["arguments"])
            return data if text is data["arguments"] else {**data, "arguments": text}
        item, response = data.get("item"), data.get("response")
        if isinstance(item, dict):
            if kind == "response.output_item.added" and item.get("type") == "function_call":
                pieces = self._intents.pieces(item.get("call_id"), item.get("name"))
                if pieces is not None:
                    self._edits[index] = pieces
            whole = {"output": [item]}
            changes = self._intents.changes(self._api.calls_in_answer(whole))
            return {**data, "item": changed_value(whole, changes)["output"][0]} if changes else data
        changes = self._intents.changes(self._api.calls_in_answer(response))
        return {**data, "response": changed_value(response, changes)} if changes else data

    def _release(self, *, complete: bool) -> list[ServerEvent]:
        """The piece that waited: all of the arguments, or none of them yet."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return []
        return [_made({**waiting, "delta": self._edits[_index(waiting)].shown() if complete else ""})]

    def _held_events(self) -> list[ServerEvent]:
        return self._release(complete=True)

    def _event(self, event: ServerEvent) -> bytes:
        raw, data = event
        kind = data.get("type") if isinstance(data, dict) else None
        if not isinstance(kind, str):
            return raw
        if kind in _STARTS:
            self._first = self._first or fields(data.get("response"))
            return b"" if self._hop else self._numbered(data, raw)
        if kind in _ENDS:
            self.whole = kind == "response.completed"
            self._ended = data
            if self._hop or self.hidden or self._changed():
                return b""
            self._ended = {}
            return self._numbered(data, raw)
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
        if kind == _ITEM:
            self._items[index] = _clean(fields(data.get("item")), self._ids)
            if index in self._places:
                self._seen.append(self._items[index])
        if index not in self._places:
            return b""
        changed = {**data, "output_index": self._places[index]}
        part = index, int(data.get("content_index", 0))
        if kind == "response.output_text.delta":
            text = self._words.setdefault(part, IdFilter(self._ids)).feed(str(data.get("delta", "")))
            if not text and data.get("delta"):
                return b""
            changed["delta"] = text
        elif kind == "response.output_text.done":
            rest = self._words[part].flush() if part in self._words else ""
            changed["text"] = without_repeated_ids(str(data.get("text", "")), self._ids)
            if rest:
                more = {**changed, "type": "response.output_text.delta", "delta": rest}
                more.pop("text")
                return self._numbered(more, b"") + self._numbered(changed, b"")
        elif kind == "response.content_part.done":
            changed["part"] = _clean_part(data.get("part"), self._ids)
        elif kind == _ITEM:
            changed["item"] = self._items[index]
        return self._numbered(changed, raw if changed == data else b"")

    def _numbered(self, data: dict[str, Any], raw: bytes) -> bytes:
        """An event with the next number in the client's stream."""
        number = data.get("sequence_number")
        if isinstance(number, int):
            if number != self._number or not raw:
                raw, data = b"", {**data, "sequence_number": self._number}
            self._number += 1
        return raw or typed(data)

    def _changed(self) -> bool:
        """Whether the items of the answer are other than the provider's."""
        output = fields(self._ended.get("response")).get("output") or []
        return bool(self._items) and self._in_order() != output

    def _read(self, answer: Any) -> None:
        items = dicts(answer["output"])
        if items != answer["output"]:
            return
        self._items = {i: _clean(item, self._ids) for i, item in enumerate(items)}
        self._seen += (item for item in self._items.values() if not self._ours(item))
        self._first = self._first or answer
        self._ended = {"response": answer}
        self.whole = answer.get("status", "completed") == "completed"

    def close(self) -> bytes:
        if not self._ended:
            return b"" if self._streaming else self._body
        if not self._streaming and not self._hop and not self.hidden and not self._changed():
            return self._body
        response = fields(self._ended.get("response"))
        usage = fields(response.get("usage"))
        if "output_tokens" in usage:
            usage["output_tokens"] = count(usage["output_tokens"]) + self._output
            if "total_tokens" in usage:
                usage["total_tokens"] = count(usage.get("input_tokens")) + usage["output_tokens"]
        same = {key: value for key, value in self._first.items() if key in ("id", "created_at")}
        whole = {**response, **same, "output": self._seen, **({"usage": usage} if usage else {})}
        if not self._streaming:
            return msgspec.json.encode(whole)
        ended, self._ended = self._ended, {}
        return self._numbered({**ended, "response": whole}, b"")

    def _ours(self, item: dict[str, Any]) -> bool:
        return item.get("type") == "function_call" and self._hides(item.get("name"))


def _made(data: dict[str, Any]) -> ServerEvent:
    return ServerEvent(typed(data), data)


def _index(data: dict[str, Any]) -> Any:
    index = data.get("output_index")
    return index if isinstance(index, int) else None


def _clean(item: dict[str, Any], ids: Container[str]) -> dict[str, Any]:
    if item.get("type") != "message" or not isinstance(item.get("content"), list):
        return item
    return {**item, "content": [_clean_part(part, ids) for part in item["content"]]}


def _clean_part(part: Any, ids: Container[str]) -> Any:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return {**part, "text": without_repeated_ids(part["text"], ids)}
    return part


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it goes back to the model, without the fields that only an answer has."""
    if is_served(item):
        return item
    return {key: value for key, value in item.items() if key not in ("status", "parsed_arguments")}

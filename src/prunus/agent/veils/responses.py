"""OpenAI Responses: arguments come in pieces, and are told in full three times."""

from __future__ import annotations

from typing import Any, Final

from prunus.agent.sse import Event, made
from prunus.agent.veils.veil import Pieces, Screen, changed_value

__all__ = ["ResponsesVeil"]

_FORMAT: Final = "openai_responses"
_DELTA: Final = "response.function_call_arguments.delta"
_DONE: Final = "response.function_call_arguments.done"
_ITEM: Final = "response.output_item.done"


class ResponsesVeil:
    """The answers of `/v1/responses`.

    Events are numbered, so that none may be added: the newest piece waits for the next event, and becomes all of
    the arguments if that says that they are complete.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._open: dict[Any, Pieces] = {}
        self._held: dict[str, Any] | None = None

    def take(self, event: Event) -> list[Event]:
        data = event.data
        if not isinstance(data, dict):
            return [event]
        kind, index = data.get("type"), _index(data)
        complete = kind in (_DONE, _ITEM) and self._held is not None and _index(self._held) == index
        return [*self._release(complete=complete), *self._read(kind, index, event)]

    def finish(self, tail: bytes) -> tuple[list[Event], bytes]:
        return self._release(complete=True), tail

    def _read(self, kind: Any, index: Any, event: Event) -> list[Event]:
        data: dict[str, Any] = event.data
        known = self._open.get(index)
        if kind == _DELTA and known is not None and isinstance(data.get("delta"), str):
            known.texts.append(data["delta"])
            self._held = data
            return []
        if kind == _DONE and known is not None and isinstance(data.get("arguments"), str):
            text = self._screen.text(known.id, known.tool, data["arguments"])
            return [event if text is data["arguments"] else made({**data, "arguments": text}, _DONE)]
        item = data.get("item")
        if isinstance(item, dict):
            if kind == "response.output_item.added" and item.get("type") == "function_call":
                tool = item.get("name")
                if isinstance(tool, str) and tool in self._screen.tools:
                    self._open[index] = Pieces(str(item.get("call_id", "")), tool)
            changes = self._screen.answer(_FORMAT, {"output": [item]})
            if changes:
                (shown,) = changed_value({"output": [item]}, changes)["output"]
                return [made({**data, "item": shown}, str(kind))]
        response = data.get("response")
        changes = self._screen.answer(_FORMAT, response)
        return [made({**data, "response": changed_value(response, changes)}, str(kind)) if changes else event]

    def _release(self, *, complete: bool) -> list[Event]:
        """The piece that waited: all of the arguments, or none of them yet."""
        held, self._held = self._held, None
        if held is None:
            return []
        known = self._open[_index(held)]
        return [made({**held, "delta": known.shown(self._screen) if complete else ""}, _DELTA)]


def _index(data: dict[str, Any]) -> Any:
    index = data.get("output_index")
    return index if isinstance(index, int) else None

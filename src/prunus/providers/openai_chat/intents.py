"""Chat Completions streams the arguments of a call in pieces; here their intent is taken out."""

from __future__ import annotations

from typing import Any

from prunus.providers.filters import IntentFilter, Pieces
from prunus.providers.sse import ServerEvent, event

_Place = tuple[int | None, int | None]
"""The index of a choice, and that of a call in it."""


class ChatIntents:
    """Holds the arguments of edits in one answer, and shows them without their intent once they are complete."""

    def __init__(self, intents: IntentFilter) -> None:
        self._intents = intents
        self._open: dict[_Place, Pieces] = {}
        self._last: dict[str, Any] = {}
        """The newest chunk, whose head a chunk of held arguments takes."""

    def take(self, event: ServerEvent) -> list[ServerEvent]:
        """The events that stand for one event of the provider."""
        data = event.data
        if not isinstance(data, dict):
            return [*self.release(), event] if b"[DONE]" in event.raw else [event]
        choices = data.get("choices")
        if not isinstance(choices, list):
            return [event]
        self._last = data
        before: list[ServerEvent] = []
        changed = [self._choice(choice, before) if isinstance(choice, dict) else choice for choice in choices]
        same = all(new is old for new, old in zip(changed, choices, strict=True))
        return [*before, event if same else _made({**data, "choices": changed})]

    def release(self, number: Any = None) -> list[ServerEvent]:
        """The arguments of the calls that are over, of one choice or of all."""
        out = []
        for place in [place for place in self._open if number is None or place[0] == number]:
            text = self._open.pop(place).shown()
            call = {"index": place[1], "function": {"arguments": text}}
            choice = {"index": place[0], "delta": {"tool_calls": [call]}, "finish_reason": None}
            head = {key: value for key, value in self._last.items() if key != "usage"}
            out += [_made({**head, "choices": [choice]})] if text else []
        return out

    def _choice(self, choice: dict[str, Any], before: list[ServerEvent]) -> dict[str, Any]:
        """A choice as the client may see it; `before` gets the arguments of calls that are over."""
        number, delta = choice.get("index", 0), choice.get("delta")
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        shown = [self._piece(number, call, before) for call in calls] if isinstance(calls, list) else []
        if choice.get("finish_reason") is not None:
            # The arguments of a call that ends in this chunk are shown in this chunk.
            shown = [self._ended(number, call) for call in shown]
            before += self.release(number)
        if not isinstance(calls, list) or all(new is old for new, old in zip(shown, calls, strict=True)):
            return choice
        return {**choice, "delta": {**(delta or {}), "tool_calls": shown}}

    def _piece(self, number: Any, call: Any, before: list[ServerEvent]) -> Any:
        """A piece of a call without its arguments, which are held."""
        place = _place(number, call)
        function = call.get("function") if place is not None else None
        if place is None or not isinstance(function, dict):
            return call
        known = self._open.get(place)
        tool, id = function.get("name"), call.get("id")
        if isinstance(tool, str) and tool and (known is None or (isinstance(id, str) and id and id != known.id)):
            before += self.release(number)
            known = self._intents.pieces(id, tool)
            if known is not None:
                self._open[place] = known
        piece = function.get("arguments")
        if known is None or not isinstance(piece, str) or not piece:
            return call
        known.texts.append(piece)
        return {**call, "function": {**function, "arguments": ""}}

    def _ended(self, number: Any, call: Any) -> Any:
        place = _place(number, call)
        held = None if place is None else self._open.pop(place, None)
        text = "" if held is None else held.shown()
        return {**call, "function": {**call["function"], "arguments": text}} if text else call


def _made(data: Any) -> ServerEvent:
    return ServerEvent(event(data), data)


def _place(number: Any, call: Any) -> _Place | None:
    index = call.get("index", 0) if isinstance(call, dict) else ""
    return (number, index) if isinstance(number, int | None) and isinstance(index, int | None) else None

"""OpenAI Chat Completions: the arguments of a call are the pieces with its index."""

from __future__ import annotations

from typing import Any

from prunus.agent.sse import Event, made
from prunus.agent.veils.veil import Pieces, Screen

__all__ = ["ChatVeil"]

_Place = tuple[int | None, int | None]
"""The index of a choice, and that of a call in it."""


class ChatVeil:
    """The answers of `/v1/chat/completions`."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._open: dict[_Place, Pieces] = {}
        self._last: dict[str, Any] = {}
        """The newest chunk, whose head further ones take."""

    def take(self, event: Event) -> list[Event]:
        data = event.data
        if not isinstance(data, dict):
            return [*self._rest(), event] if b"[DONE]" in event.raw else [event]
        choices = data.get("choices")
        if not isinstance(choices, list):
            return [event]
        self._last = data
        before: list[Event] = []
        changed = []
        for choice in choices:
            out, shown = self._choice(choice) if isinstance(choice, dict) else ([], choice)
            before += out
            changed.append(shown)
        same = all(new is old for new, old in zip(changed, choices, strict=True))
        return [*before, event if same else made({**data, "choices": changed})]

    def finish(self, tail: bytes) -> tuple[list[Event], bytes]:
        return self._rest(), tail

    def _choice(self, choice: dict[str, Any]) -> tuple[list[Event], dict[str, Any]]:
        """What has to come before a choice, and the choice."""
        number, delta = choice.get("index", 0), choice.get("delta")
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        out: list[Event] = []
        shown = []
        for call in calls if isinstance(calls, list) else ():
            done, seen = self._call(number, call) if isinstance(call, dict) else ([], call)
            out += done
            shown.append(seen)
        if choice.get("finish_reason") is not None:
            # A call that ends in this chunk is told in it.
            shown = [self._closed(number, call) for call in shown]
            out += self._rest(number)
        if not isinstance(calls, list) or all(new is old for new, old in zip(shown, calls, strict=True)):
            return out, choice
        return out, {**choice, "delta": {**(delta or {}), "tool_calls": shown}}

    def _call(self, number: Any, call: dict[str, Any]) -> tuple[list[Event], dict[str, Any]]:
        function, place = call.get("function"), _place(number, call)
        if not isinstance(function, dict) or place is None:
            return [], call
        known = self._open.get(place)
        tool, id = function.get("name"), call.get("id")
        out: list[Event] = []
        if isinstance(tool, str) and tool and (known is None or (isinstance(id, str) and id and id != known.id)):
            out = self._rest(number)
            known = None
            if tool in self._screen.tools:
                known = self._open[place] = Pieces(str(id or ""), tool)
        piece = function.get("arguments")
        if known is None or not isinstance(piece, str) or not piece:
            return out, call
        known.texts.append(piece)
        return out, {**call, "function": {**function, "arguments": ""}}

    def _closed(self, number: Any, call: Any) -> Any:
        place = _place(number, call) if isinstance(call, dict) else None
        if place is None or place not in self._open:
            return call
        text = self._open.pop(place).shown(self._screen)
        return {**call, "function": {**call["function"], "arguments": text}} if text else call

    def _rest(self, number: Any = None) -> list[Event]:
        """The calls that are over, of one choice or of all."""
        out = []
        for place in [place for place in self._open if number is None or place[0] == number]:
            text = self._open.pop(place).shown(self._screen)
            call = {"index": place[1], "function": {"arguments": text}}
            choice = {"index": place[0], "delta": {"tool_calls": [call]}, "finish_reason": None}
            head = {key: value for key, value in self._last.items() if key != "usage"}
            out += [made({**head, "choices": [choice]})] if text else []
        return out


def _place(number: Any, call: dict[str, Any]) -> _Place | None:
    index = call.get("index", 0)
    return (number, index) if isinstance(number, int | None) and isinstance(index, int | None) else None

"""Anthropic Messages: the arguments of a call are the `input_json_delta`s of its block."""

from __future__ import annotations

from prunus.agent.sse import Event, made
from prunus.agent.veils.veil import Pieces, Screen, changed_value

__all__ = ["AnthropicVeil"]


class AnthropicVeil:
    """The answers of `/v1/messages`."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._open: dict[int, Pieces] = {}

    def take(self, event: Event) -> list[Event]:
        data = event.data
        index = data.get("index") if isinstance(data, dict) else None
        if not isinstance(index, int):
            return [event]
        match data.get("type"):
            case "content_block_start":
                return [self._start(index, event)]
            case "content_block_delta" if index in self._open:
                delta = data.get("delta")
                piece = delta.get("partial_json") if isinstance(delta, dict) else None
                if isinstance(piece, str):
                    self._open[index].texts.append(piece)
                    return [made({**data, "delta": {**delta, "partial_json": ""}}, "content_block_delta")]
            case "content_block_stop" if index in self._open:
                return [*self._shown(index), event]
        return [event]

    def finish(self, tail: bytes) -> tuple[list[Event], bytes]:
        return [event for index in list(self._open) for event in self._shown(index)], tail

    def _start(self, index: int, event: Event) -> Event:
        block = event.data.get("content_block")
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            return event
        tool = block.get("name")
        if isinstance(tool, str) and tool in self._screen.tools:
            self._open[index] = Pieces(str(block.get("id", "")), tool)
        # Some servers tell the whole input here.
        changes = self._screen.answer("anthropic_messages", {"content": [block]})
        if not changes:
            return event
        (shown,) = changed_value({"content": [block]}, changes)["content"]
        return made({**event.data, "content_block": shown}, "content_block_start")

    def _shown(self, index: int) -> list[Event]:
        text = self._open.pop(index).shown(self._screen)
        delta = {"type": "input_json_delta", "partial_json": text}
        data = {"type": "content_block_delta", "index": index, "delta": delta}
        return [made(data, "content_block_delta")] if text else []

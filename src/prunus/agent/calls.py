"""Where the calls of tools stand in messages and answers of each format, and the arguments they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from prunus.splice import Path

__all__ = ["Site", "calls_in_answer", "calls_of"]


@dataclass(frozen=True, slots=True)
class Site:
    """The arguments of one call."""

    path: Path
    id: str
    tool: str
    arguments: Any
    """A text, or an object where the format has one."""

    @property
    def text(self) -> str:
        """The arguments as JSON."""
        if isinstance(self.arguments, str):
            return self.arguments
        return msgspec.json.encode(self.arguments).decode()

    def written(self, text: str) -> bytes:
        """Other arguments in the shape of these."""
        return msgspec.json.encode(text) if isinstance(self.arguments, str) else text.encode()


def calls_of(format: str, message: Any) -> Iterator[Site]:
    """The calls in a message of the model; of provider's tools and of those that take plain text there are none."""
    if not isinstance(message, dict):
        return
    match format:
        case "anthropic_messages":
            for at, block in _dicts(message.get("content")):
                if block.get("type") == "tool_use" and isinstance(block.get("input"), dict):
                    yield _site(("content", at, "input"), block.get("id"), block.get("name"), block["input"])
        case "openai_chat":
            for at, call in _dicts(message.get("tool_calls")):
                made = call.get("function")
                if isinstance(made, dict) and isinstance(made.get("arguments"), str):
                    path = ("tool_calls", at, "function", "arguments")
                    yield _site(path, call.get("id"), made.get("name"), made["arguments"])
        case "openai_responses":
            if message.get("type") == "function_call" and isinstance(message.get("arguments"), str):
                yield _site(("arguments",), message.get("call_id"), message.get("name"), message["arguments"])
        case "gemini":
            for at, part in _dicts(message.get("parts")):
                for key in ("functionCall", "function_call"):
                    made = part.get(key)
                    if isinstance(made, dict) and isinstance(made.get("args"), dict):
                        # Many clients make up an id of their own where the model gave none.
                        yield _site(("parts", at, key, "args"), "", made.get("name"), made["args"])


def calls_in_answer(format: str, answer: Any) -> Iterator[Site]:
    """The calls in an answer that came whole, or in a chunk that tells its calls whole."""
    if not isinstance(answer, dict):
        return
    match format:
        case "anthropic_messages":
            yield from calls_of(format, answer)
        case "openai_chat":
            for at, choice in _dicts(answer.get("choices")):
                yield from _below(("choices", at, "message"), calls_of(format, choice.get("message")))
        case "openai_responses":
            for at, item in _dicts(answer.get("output")):
                yield from _below(("output", at), calls_of(format, item))
        case "gemini":
            for at, candidate in _dicts(answer.get("candidates")):
                yield from _below(("candidates", at, "content"), calls_of(format, candidate.get("content")))


def _below(path: Path, sites: Iterator[Site]) -> Iterator[Site]:
    return (replace(site, path=(*path, *site.path)) for site in sites)


def _site(path: Path, id: Any, tool: Any, arguments: Any) -> Site:
    return Site(path, id if isinstance(id, str) else "", tool if isinstance(tool, str) else "", arguments)


def _dicts(items: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    return (
        (at, item) for at, item in enumerate(items if isinstance(items, list) else ()) if isinstance(item, dict)
    )

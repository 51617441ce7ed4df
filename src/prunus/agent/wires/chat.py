"""OpenAI Chat Completions: deltas of one message, calls told apart by their index."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final

import msgspec

from prunus.agent.echo import Echo
from prunus.agent.sse import event
from prunus.agent.wires.wire import BETWEEN, HiddenCall, Wire, count, fields
from prunus.notes import unechoed

__all__ = ["ChatWire"]

_NOTHING: Final = "Done."
"""What a client gets where the model said nothing but hidden calls."""
_THOUGHTS: Final = ("reasoning_content", "reasoning")


class ChatWire(Wire):
    """The answers of `/v1/chat/completions`."""

    def __init__(self, ids: Container[str], tools: Container[str], *, streaming: bool) -> None:
        super().__init__(ids, tools, streaming=streaming)
        self._first: dict[str, Any] = {}
        """The first chunk or answer, whose id all others take."""
        self._text: list[str] = []
        self._thoughts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        """The calls of this hop in their order."""
        self._newest: dict[int, int] = {}
        """The newest of them at each index of the provider; some servers give all calls the same."""
        self._places: dict[int, int] = {}
        """The index of a visible call for the client."""
        self._count = 0
        """The visible calls of all hops."""
        self._seen: list[str] = []
        """The words that the client has seen, of all hops."""
        self._seen_thoughts: dict[str, list[str]] = {}
        self._echo = Echo(ids)
        self._held: list[dict[str, Any]] = []
        self._raw: list[bytes] = []
        """What is held, as it came."""
        self._done = b""
        self._usage: dict[str, Any] = {}

    @property
    def hidden(self) -> list[HiddenCall]:
        found = []
        before = 0
        for call in self._calls.values():
            if self._ours(call):
                function = call["function"]
                arguments = str(function.get("arguments", ""))
                found.append(HiddenCall(str(call.get("id")), function["name"], arguments, before, call))
            else:
                before += 1
        return found

    @property
    def visible(self) -> list[str]:
        return [str(call.get("id")) for call in self._calls.values() if not self._ours(call)]

    def said(self) -> list[Any]:
        text = "".join(self._text)
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        message |= {key: "".join(pieces) for key, pieces in self._thoughts.items() if pieces}
        message["tool_calls"] = [_whole(call) for call in self._calls.values()]
        return [message]

    def text(self) -> str:
        return "".join(self._seen)

    def again(self) -> None:
        self._output += count(self._usage.get("completion_tokens"))
        self._text, self._thoughts, self._calls, self._newest, self._places = [], {}, {}, {}, {}
        self._echo = Echo(self._ids)
        self._held, self._raw, self._done, self._usage = [], [], b"", {}
        super().again()

    def _event(self, raw: bytes, data: Any) -> bytes:
        if not isinstance(data, dict):
            if b"[DONE]" in raw:
                self._done = raw
                return b"" if self._holds() else self._release()
            return b"" if self._hop and raw.startswith(b":") else raw
        choices = data.get("choices")
        if not isinstance(choices, list):
            return raw
        self._first = self._first or data
        self._usage = fields(data.get("usage")) or self._usage
        if not choices:
            self._held.append(data)
            self._raw.append(raw)
            return b"" if self._holds() else self._release()
        return self._choice(data, choices[0], raw)

    def _choice(self, data: dict[str, Any], choice: dict[str, Any], raw: bytes) -> bytes:
        delta = fields(choice.get("delta"))
        before = dict(delta)
        if self._hop:
            delta.pop("role", None)
        if isinstance(delta.get("content"), str):
            delta["content"] = self._words(delta["content"])
            if not delta["content"] and before["content"]:
                del delta["content"]
        for key in _THOUGHTS:
            if isinstance(delta.get(key), str):
                self._thoughts.setdefault(key, []).append(delta[key])
                self._seen_thoughts.setdefault(key, []).append(delta[key])
        if isinstance(delta.get("tool_calls"), list):
            delta["tool_calls"] = [call for given in delta["tool_calls"] for call in self._call(given)]
            if not delta["tool_calls"]:
                del delta["tool_calls"]
        if choice.get("finish_reason") is not None:
            self.whole = True
            self._held.append({**data, "choices": [{**choice, "delta": {}}]})
            if delta == before and not self._holds():
                self._raw.append(raw)
                return self._release()
            out = self._chunk(data, choice, delta) if delta else b""
            return out if self._holds() else out + self._release()
        if delta == before and not self._hop:
            return raw
        return self._chunk(data, choice, delta) if delta else b""

    def _words(self, piece: str) -> str:
        return self._seen_as(self._echo.feed(piece))

    def _seen_as(self, text: str) -> str:
        """Words of the model as they stand in the client's message: apart from those of the hop before."""
        apart = bool(text) and self._hop > 0 and not any(self._text) and bool(self.text().strip())
        self._text.append(text)
        self._seen.append(f"{BETWEEN}{text}" if apart else text)
        return self._seen[-1]

    def _call(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        """What the client sees of a piece of a call."""
        index = int(given.get("index") or 0)
        function = fields(given.get("function"))
        number = self._newest.get(index, -1)
        call = self._calls.get(number)
        if call is None or (function.get("name") and given.get("id") not in (None, "", call.get("id"))):
            shifted = self._holds()
            number = self._newest[index] = len(self._calls)
            call = self._calls[number] = {**given, "function": {**function, "arguments": ""}}
            call.pop("index", None)
            if not self._ours(call):
                self._places[number] = self._count if shifted else index
                self._count += 1
        elif function.get("name"):
            call["function"]["name"] = function["name"]
        call["function"]["arguments"] += str(function.get("arguments") or "")
        return [{**given, "index": self._places[number]}] if number in self._places else []

    def _ours(self, call: dict[str, Any]) -> bool:
        function = call.get("function")
        return isinstance(function, dict) and self._hides(function.get("name"))

    def _holds(self) -> bool:
        return bool(self.hidden) or self._hop > 0

    def _chunk(self, data: dict[str, Any], choice: dict[str, Any], delta: dict[str, Any]) -> bytes:
        same = self._same()
        return event({**data, **same, "choices": [{**choice, "delta": delta, "finish_reason": None}]})

    def _same(self) -> dict[str, Any]:
        """What all chunks of the client's message have in common."""
        return {key: value for key, value in self._first.items() if key in ("id", "created")}

    def _release(self) -> bytes:
        """The chunks that were held, and what the echo still holds before them."""
        rest = self._echo.flush()
        out = []
        if rest:
            choice = {"index": 0, "delta": {"content": self._seen_as(rest)}, "finish_reason": None}
            out.append(event({**self._first, "choices": [choice]}))
        same = self._same()
        as_it_came = len(self._raw) == len(self._held) and not self._holds()
        out += self._raw if as_it_came else [event({**chunk, **same}) for chunk in self._held]
        self._held, self._raw = [], []
        out.append(self._done)
        self._done = b""
        return b"".join(out)

    def _rest(self) -> bytes:
        rest = self._echo.flush()
        if not rest:
            return super()._rest()
        choice = {"index": 0, "delta": {"content": self._seen_as(rest)}, "finish_reason": None}
        return event({**self._first, "choices": [choice]}) + super()._rest()

    def _read(self, answer: Any) -> None:
        message = answer["choices"][0]["message"]
        calls = list(message.get("tool_calls") or ())
        if not all(isinstance(call, dict) for call in calls):
            return
        self._first = self._first or answer
        self._usage = fields(answer.get("usage"))
        self._held = [answer]
        self._calls = dict(enumerate(calls))
        if isinstance(message.get("content"), str):
            self._seen_as(unechoed(message["content"], self._ids))
        for key in _THOUGHTS:
            if isinstance(message.get(key), str):
                self._thoughts.setdefault(key, []).append(message[key])
                self._seen_thoughts.setdefault(key, []).append(message[key])
        self.whole = True

    def close(self) -> bytes:
        if not self._streaming:
            return self._closed_whole()
        if not self._held:
            return self._release()
        out = b""
        if self.whole and not "".join(self._seen) and not self._count:
            choice = {"index": 0, "delta": {"content": _NOTHING}, "finish_reason": None}
            out = event({**self._first, "choices": [choice]})
            self._seen.append(_NOTHING)
        self._held = [self._ended(chunk) for chunk in self._held]
        return out + self._release()

    def _ended(self, chunk: dict[str, Any]) -> dict[str, Any]:
        """A last chunk, as it is for the whole of the client's message."""
        choices = [
            {**choice, "finish_reason": "stop"}
            if choice.get("finish_reason") == "tool_calls" and not self._count
            else choice
            for choice in chunk["choices"]
        ]
        usage = chunk.get("usage")
        if isinstance(usage, dict) and "completion_tokens" in usage:
            output = count(usage["completion_tokens"]) + self._output
            usage = {**usage, "completion_tokens": output}
            if "total_tokens" in usage:
                usage["total_tokens"] = count(usage.get("prompt_tokens")) + output
        return {**chunk, "choices": choices, **({"usage": usage} if "usage" in chunk else {})}

    def _closed_whole(self) -> bytes:
        if not self.whole:
            return bytes(self._body)
        answer = self._held[0]
        choice = answer["choices"][0]
        text = "".join(self._seen)
        content = choice["message"].get("content")
        # Some providers answer in blocks; their words are left alone.
        blocks = content if isinstance(content, list) else []
        if not self._hop and not self.hidden and (blocks or text == (content or "")):
            return bytes(self._body)
        calls = [call for call in self._calls.values() if not self._ours(call)]
        message = {**choice["message"], "content": text or (None if calls else _NOTHING)}
        if blocks:
            message["content"] = [*([{"type": "text", "text": text}] if text else []), *blocks]
        message |= {key: "".join(pieces) for key, pieces in self._seen_thoughts.items()}
        message.pop("tool_calls", None)
        if calls:
            message["tool_calls"] = calls
        self._count += len(calls)
        same = self._same()
        ended = self._ended({**answer, **same, "choices": [{**choice, "message": message}]})
        return msgspec.json.encode(ended)


def _whole(call: dict[str, Any]) -> dict[str, Any]:
    """A call as it goes back to the model."""
    return {"id": call.get("id"), "type": call.get("type") or "function", "function": fields(call.get("function"))}

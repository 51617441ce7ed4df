"""Answers of OpenAI Chat Completions: deltas of one message, calls told apart by their index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from prunus.notes import without_repeated_ids
from prunus.providers.answer_stream import NOTHING_SAID, AnswerStream, count, fields
from prunus.providers.blocks import listed
from prunus.providers.filters import IdFilter
from prunus.providers.hidden_calls import BETWEEN, HiddenCall
from prunus.providers.openai_chat import THOUGHTS
from prunus.providers.openai_chat.intents import ChatIntents
from prunus.providers.provider import Api
from prunus.providers.sse import ServerEvent, event

_LASTING: Final = ("id", "created")
"""The keys with the same value in all chunks of the client's message."""


class ChatStream(AnswerStream):
    """The answers of `/v1/chat/completions`; hidden calls are looked for in the first choice."""

    def __init__(self, api: Api, **given: Any) -> None:
        super().__init__(api, **given)
        self._first: dict[str, Any] = {}
        """The first chunk or answer, whose id all others take."""
        self._count = 0
        """The visible calls of all hops."""
        self._seen: list[str] = []
        """The words that the client has seen, of all hops."""
        self._seen_thoughts: dict[str, list[str]] = {}

    def _begin(self) -> None:
        super()._begin()
        self._edits = None if self._intents is None else ChatIntents(self._intents)
        self._text: list[str] = []
        self._thoughts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        """The calls of this hop in their order."""
        self._newest: dict[int, int] = {}
        """The newest call at each index of the provider; some servers give all calls the same index."""
        self._places: dict[int, int] = {}
        """The index of a visible call for the client."""
        self._words = IdFilter(self._ids)
        self._held: list[dict[str, Any]] = []
        """The last chunks of a hop that may not be the last one."""
        self._done = b""
        self._usage: dict[str, Any] = {}

    def _calls_made(self) -> Iterator[HiddenCall]:
        for call in self._calls.values():
            function = fields(call.get("function"))
            arguments = str(function.get("arguments", ""))
            yield HiddenCall(str(call.get("id")), str(function.get("name")), arguments, call)

    def said(self) -> list[Any]:
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._text) or None}
        message |= {key: "".join(pieces) for key, pieces in self._thoughts.items() if pieces}
        message["tool_calls"] = list(map(_bare, self._calls.values()))
        return [message]

    def text(self) -> str:
        return "".join(self._seen)

    def _output_tokens(self) -> object:
        return self._usage.get("completion_tokens")

    def _without_intents(self, event: ServerEvent) -> list[ServerEvent]:
        return [event] if self._edits is None else self._edits.take(event)

    def _held_events(self) -> list[ServerEvent]:
        return [] if self._edits is None else self._edits.release()

    def _event(self, event: ServerEvent) -> bytes:
        raw, data = event
        if not isinstance(data, dict):
            if b"[DONE]" not in raw:
                return b"" if self._hop and raw.startswith(b":") else raw
            if not self._holds():
                return self._rest() + raw
            self._done = raw
            return b""
        choices = data.get("choices")
        if not isinstance(choices, list):
            return raw
        self._first = self._first or data
        self._usage = fields(data.get("usage")) or self._usage
        if choices:
            return self._choice(data, choices[0], raw)
        if not self._holds():
            return self._rest() + raw
        self._held.append(data)
        return b""

    def _choice(self, data: dict[str, Any], choice: dict[str, Any], raw: bytes) -> bytes:
        delta = fields(choice.get("delta"))
        before = dict(delta)
        if self._hop:
            delta.pop("role", None)
        if isinstance(delta.get("content"), str):
            delta["content"] = self._seen_as(self._words.feed(delta["content"]))
            if not delta["content"] and before["content"]:
                del delta["content"]
        self._think(delta)
        if isinstance(delta.get("tool_calls"), list):
            delta["tool_calls"] = [call for given in delta["tool_calls"] for call in self._call(given)]
            if not delta["tool_calls"]:
                del delta["tool_calls"]
        ends = choice.get("finish_reason") is not None
        self.whole = self.whole or ends
        if delta == before and not (self._holds() if ends else self._hop):
            return self._rest() + raw if ends else raw
        same = {**data, **self._lasting()}
        out = event({**same, "choices": [{**choice, "delta": delta, "finish_reason": None}]}) if delta else b""
        if ends:
            end = {**same, "choices": [{**choice, "delta": {}}]}
            if not self._holds():
                return out + self._rest() + event(end)
            self._held.append(end)
        return out

    def _think(self, delta: dict[str, Any]) -> None:
        for key in THOUGHTS:
            if isinstance(delta.get(key), str):
                self._thoughts.setdefault(key, []).append(delta[key])
                self._seen_thoughts.setdefault(key, []).append(delta[key])

    def _seen_as(self, text: str) -> str:
        """Words of the model as they stand in the client's message: apart from those of the hop before."""
        apart = bool(text) and self._hop > 0 and not any(self._text) and bool(self.text().strip())
        self._text.append(text)
        self._seen.append(f"{BETWEEN}{text}" if apart else text)
        return self._seen[-1]

    def _call(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the piece of a call that the client sees; empty if the call is hidden."""
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
        """Whether the end of this hop may not be the end of the message."""
        return self._hop > 0 or any(map(self._ours, self._calls.values()))

    def _lasting(self) -> dict[str, Any]:
        return {key: value for key, value in self._first.items() if key in _LASTING}

    def _chunk(self, words: str) -> bytes:
        choice = {"index": 0, "delta": {"content": words}, "finish_reason": None}
        return event({**self._first, "choices": [choice]})

    def _rest(self) -> bytes:
        rest = self._words.flush()
        return self._chunk(self._seen_as(rest)) if rest else b""

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
            self._seen_as(without_repeated_ids(message["content"], self._ids))
        self._think(message)
        self.whole = True

    def close(self) -> bytes:
        if not self._streaming:
            return self._closed_whole()
        out = self._rest()
        if self._held and self.whole and not self.text() and not self._count:
            out += self._chunk(NOTHING_SAID)
            self._seen.append(NOTHING_SAID)
        out += b"".join(event(self._ended(chunk)) for chunk in self._held) + self._done
        self._held, self._done = [], b""
        return out

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
        ended = {**chunk, **self._lasting(), "choices": choices}
        return {**ended, **({"usage": usage} if "usage" in chunk else {})}

    def _closed_whole(self) -> bytes:
        if not self.whole:
            return self._body
        answer = self._held[0]
        choice = answer["choices"][0]
        text = self.text()
        content = choice["message"].get("content")
        # Some providers answer in blocks; their words are left alone.
        blocks = listed(content)
        if not self._holds() and (blocks or text == (content or "")):
            return self._body
        calls = [call for call in self._calls.values() if not self._ours(call)]
        message = {**choice["message"], "content": text or (None if calls else NOTHING_SAID)}
        if blocks:
            message["content"] = [*([{"type": "text", "text": text}] if text else []), *blocks]
        message |= {key: "".join(pieces) for key, pieces in self._seen_thoughts.items()}
        message.pop("tool_calls", None)
        if calls:
            message["tool_calls"] = calls
        self._count += len(calls)
        return msgspec.json.encode(self._ended({**answer, "choices": [{**choice, "message": message}]}))


def _bare(call: dict[str, Any]) -> dict[str, Any]:
    """A call as it goes back to the model; a signature of Gemini stands in a key of its own."""
    rest = {key: value for key, value in call.items() if key != "index"}
    return {**rest, "type": call.get("type") or "function", "function": fields(call.get("function"))}

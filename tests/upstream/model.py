"""The model behind the upstream: one body in, one answer out, and what was noticed on the way."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests import validity
from tests.upstream.prefix import Break, Cache, chain, tokens
from tests.upstream.script import Script, wants_summary
from tests.upstream.signing import placed
from tests.upstream.values import Json, Tool, Turn, Usage, Wire
from tests.upstream.wires import WIRES

__all__ = ["Answer", "Model", "Request"]

NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model, as it came."""

    number: int
    format: str
    path: str
    headers: dict[str, str]
    bytes: bytes
    conversation: str = ""
    step: int = -1
    """The step of the script that answered it; -1 for titles, summaries and refusals."""
    status: int = 200
    usage: Usage = NOTHING
    tools: tuple[str, ...] = ()

    @property
    def body(self) -> Json:
        """The body, read anew."""
        value = json.loads(self.bytes)
        assert isinstance(value, dict)
        return value

    @property
    def wants_summary(self) -> bool:
        """Whether the client compacts its history with it."""
        return wants_summary(WIRES[self.format].past(self.body))

    def results(self) -> dict[tuple[int, int], str]:
        """The text of each result in the history, by the step and the number of its call."""
        answered = WIRES[self.format].past(self.body).results
        return {(step, index): text for id, text in answered.items() for _, step, index in placed(id)}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model answers to one request, as an object or as events."""

    request: Request
    whole: Json
    events: Sequence[bytes] = ()


class Model:
    """Follows the script, refuses what a provider would refuse, and keeps what it saw."""

    def __init__(self, script: Script, *, keep: bool = True, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.script = script
        self.clock = clock
        self.keep = keep
        self.requests: list[Request] = []
        self.problems: list[str] = []
        self.breaks: list[Break] = []
        self.tokens = Usage()
        self._cache = Cache()
        self._count = 0
        self._lock = threading.Lock()

    def respond(self, wire: Wire, path: str, headers: dict[str, str], raw: bytes, *, stream: bool | None) -> Answer:
        """The answer to one request; what a provider would refuse is answered with 400 and noted."""
        with self._lock:
            request = Request(self._count, wire.format, path, headers, raw)
            self._count += 1
            body, refused = self._read(wire, raw)
            if refused:
                self.problems.extend(f"request {request.number} ({wire.format}): {problem}" for problem in refused)
                return self._kept(replace(request, status=400), wire.error(400, refused[0]))
            links = chain(wire, body)
            life, now = wire.lifetime(body), self.clock()
            usage, broken = self._cache.send(request.number, links, life=life, now=now)
            if broken:
                self.breaks.append(broken)
            tools = wire.tools(body)
            turn = self.script.turn(wire.past(body), tools, links.tag, thinking=wire.thinks(body))
            usage = replace(usage, output=_output(turn) if body.get("max_tokens") != 0 else 0)
            self.tokens += usage
            streamed = body.get("stream", False) if stream is None else stream
            request = replace(request, conversation=links.tag, step=turn.step, usage=usage, tools=_names(tools))
            if streamed:
                return self._kept(request, {}, list(wire.events(body, turn, usage)))
            return self._kept(request, wire.answer(body, turn, usage))

    def _read(self, wire: Wire, raw: bytes) -> tuple[Json, list[str]]:
        try:
            body = json.loads(raw)
        except ValueError as wrong:
            return {}, [f"the body is no JSON: {wrong}"]
        if not isinstance(body, dict):
            return {}, ["the body is no object"]
        try:
            return body, list(_refusals(wire, body))
        except (KeyError, TypeError, AttributeError, IndexError) as wrong:
            return {}, [f"the body has not the shape of this API: {type(wrong).__name__} {wrong}"]

    def _kept(self, request: Request, whole: Json, events: Sequence[bytes] = ()) -> Answer:
        if self.keep:
            self.requests.append(request)
        return Answer(request, whole, events)


def _refusals(wire: Wire, body: Json) -> Iterator[str]:
    yield from (found := list(wire.refusals(body)))
    if not found:
        asked = body | {"input": wire.messages(body)} if isinstance(body.get("input"), str) else body
        yield from validity.problems(asked, wire.format)
        yield from wire.signatures(body)


def _names(tools: Sequence[Tool]) -> tuple[str, ...]:
    return tuple(tool.name for tool in tools)


def _output(turn: Turn) -> int:
    return tokens(turn.thinking + turn.text) + sum(tokens(json.dumps(call.arguments)) + 8 for call in turn.calls)

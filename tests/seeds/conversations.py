"""Conversations for the walks through the seeds: written in the notation of the case files, sent by a preset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from prunus import Outcome, Pruner, Settings, prune
from prunus.history import Call, History, Marker, Result, Text, Thinking
from prunus.notes import without_tag
from prunus.providers import read
from tests.strategies.agents import localise
from tests.strategies.notation import parse_case
from tests.strategies.wire import Body, build

__all__ = ["FORMATS", "Sent", "every_format", "in_formats", "send"]

FORMATS = ("anthropic_messages", "openai_chat", "openai_responses", "gemini", "opencode")
every_format = pytest.mark.parametrize("format", FORMATS)


def in_formats(*names: str) -> Any:
    """For what not every agent or format can say."""
    return pytest.mark.parametrize("format", names)


@dataclass(frozen=True, slots=True)
class Sent:
    """A conversation as it was and as it was sent."""

    body: Body
    before: History
    after: History
    outcome: Outcome[bytes]

    def result(self, label: str) -> str:
        """What the model sees of an answer, without an id behind it."""
        return without_tag(self._result(self.after, label).text)[0]

    def input(self, label: str) -> Mapping[str, Any]:
        """The arguments of a call."""
        calls = [part for message in self.after.messages for part in message.parts if isinstance(part, Call)]
        given = calls[self._number(label, Call)].input
        return given if isinstance(given, Mapping) else json.loads(given)

    def stays(self, *labels: str) -> bool:
        """Whether these answers are as they came."""
        return all(self.result(label) == self._result(self.before, label).text for label in labels)

    def goes(self, *labels: str) -> bool:
        """Whether each of these answers was superseded."""
        return all(self.result(label).startswith("[auto-superseded: ") for label in labels)

    def user(self, number: int) -> str:
        """The words of a message of the user, and those that stand for its files."""
        spoken = [message for message in self.after.messages if message.spoken]
        return "\n".join(part.text for part in spoken[number - 1].parts if isinstance(part, Text))

    def thoughts(self) -> list[str]:
        """All reasoning that is left."""
        return [
            part.text for message in self.after.messages for part in message.parts if isinstance(part, Thinking)
        ]

    def markers(self) -> int:
        """How many step markers are left."""
        return sum(isinstance(part, Marker) for message in self.after.messages for part in message.parts)

    def _result(self, history: History, label: str) -> Result:
        results = [part for message in history.messages for part in message.parts if isinstance(part, Result)]
        return results[self._number(label, Result)]

    def _number(self, label: str, kind: type) -> int:
        field = "result" if kind is Result else "input"
        at, _, number = self.body.places[label, field]
        earlier = (part for message in self.before.messages[:at] for part in message.parts)
        return sum(isinstance(part, kind) for part in earlier) + number


def send(text: str, format: str, preset: str, **settings: Any) -> Sent:
    """Prune a conversation; it ends the same step by step, and pruned again it stays as it is."""
    chosen = Settings(preset=preset, **settings)
    case = parse_case("a seed", "", f"{text}\n=> nothing changes\n")
    body = build(localise(case.story, format), format)
    raw = _bytes(body)
    outcome = prune(raw, chosen, format=format)
    assert outcome.error is None
    assert prune(outcome.body, chosen, format=format).body == outcome.body
    pruner = Pruner(chosen)
    steps = [pruner.prune(_bytes(replace(body, messages=body.messages[:n])), 0.0, format=format).body
             for n in range(1, len(body.messages) + 1)]  # fmt: skip
    assert steps[-1] == outcome.body
    return Sent(body, read(raw, format), read(outcome.body, format), outcome)


def _bytes(body: Body) -> bytes:
    return json.dumps(body.json).encode()

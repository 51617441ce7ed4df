"""Sessions of Codex: "rollout" JSON lines under `~/.codex/sessions`.

The lines of type `response_item` are the items of the requests; the others
repeat them for the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from prunus.transcripts.fields import mapping, rows, text, unix_time
from prunus.transcripts.recording import Recording
from prunus.transcripts.session import Conversation, Session

__all__ = ["AGENT", "recognise", "sessions"]

AGENT = "codex"


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the input, and whether this session's model wrote it."""

    wire: dict[str, Any]
    time: float | None = None
    carried: bool = False

    @property
    def from_model(self) -> bool:
        """Whether the item is a part of an answer."""
        kind = text(self.wire.get("type"))
        return kind == "reasoning" or kind.endswith("_call") or self.wire.get("role") == "assistant"

    @property
    def calls(self) -> str:
        """Id of the call that waits for a result, if the item is one."""
        return text(self.wire.get("call_id")) if text(self.wire.get("type")).endswith("_call") else ""

    @property
    def answers(self) -> str:
        """Id of the call that the item is the result of, if it is one."""
        return text(self.wire.get("call_id")) if text(self.wire.get("type")).endswith("_output") else ""


def recognise(recording: Recording) -> bool:
    """Lines with a payload, of the types that only Codex writes."""
    kinds = ("session_meta", "response_item")
    return any(line.get("type") in kinds and "payload" in line for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each context window."""
    windows: list[list[Item]] = [[]]
    models: list[str] = [""]
    envelope: dict[str, Any] = {}
    unusable = 0
    for line in recording.lines:
        payload = mapping(line.get("payload"))
        match line.get("type"):
            case "session_meta" if not envelope:
                instructions = text(mapping(payload.get("base_instructions")).get("text"))
                envelope = {"instructions": instructions} if instructions else {}
            case "turn_context":
                models[-1] = models[-1] or text(payload.get("model"))
            case "compacted":
                windows.append(_after_compaction(payload, windows[-1]))
                models.append(models[-1])
            case "response_item" if text(payload.get("type")):
                windows[-1].append(Item(payload, unix_time(line.get("timestamp"))))
            case "response_item":
                unusable += 1
    for items, model in zip(windows, models, strict=True):
        found = _conversation(items)
        yield recording.session(AGENT, "openai_responses", model, found, envelope=envelope, unusable=unusable)


def _after_compaction(payload: dict[str, Any], before: Sequence[Item]) -> list[Item]:
    """The new context: the recorded one, or what people wrote and the summary."""
    history = rows(payload.get("replacement_history"))
    if not history:
        written = [item.wire for item in before if item.wire.get("role") in ("developer", "user")]
        content = [{"type": "input_text", "text": text(payload.get("message"))}]
        history = [*written, {"type": "message", "role": "user", "content": content}]
    return [Item(wire, carried=True) for wire in history]


def _conversation(items: Sequence[Item]) -> Conversation:
    """The items without broken pairs; a run of items from the model is one answer."""
    kept = _whole_pairs(items)
    messages: list[dict[str, Any]] = []
    requests: list[int] = []
    times: list[float | None] = []
    clock: float | None = None
    answering = False
    for item in items:
        starts = item.from_model and not answering and not item.carried
        if starts and len(messages) > (requests[-1] if requests else 0):
            requests.append(len(messages))
            times.append(item.time if clock is None else clock)
        answering = item.from_model
        clock = item.time if item.time is not None else clock
        if id(item) in kept:
            messages.append(item.wire)
    return Conversation(tuple(messages), tuple(requests), tuple(times))


def _whole_pairs(items: Sequence[Item]) -> set[int]:
    """Identities of the items to keep: no call without result, no result without call."""
    calls: dict[str, Item] = {}
    kept: dict[int, Item] = {}
    answered: set[str] = set()
    for item in items:
        if item.calls:
            calls[item.calls] = item
        elif item.answers in calls and item.answers not in answered:
            answered.add(item.answers)
        elif item.answers:
            continue
        kept[id(item)] = item
    runs = _answers(items)
    for run in runs:
        missing = [item for item in run if item.calls and item.calls not in answered]
        ends_session = run[-1] is items[-1]
        if ends_session and missing and not any(item.calls in answered for item in run if item.calls):
            missing = run
        for item in missing:
            kept.pop(id(item))
        # Reasoning has to be followed by the item it led to.
        left = [item for item in run if id(item) in kept]
        while missing and left and left[-1].wire.get("type") == "reasoning":
            kept.pop(id(left.pop()))
    return set(kept)


def _answers(items: Sequence[Item]) -> list[list[Item]]:
    """Runs of items that the model wrote without anything between them."""
    runs: list[list[Item]] = []
    open_run = False
    for item in items:
        if item.from_model and open_run:
            runs[-1].append(item)
        elif item.from_model:
            runs.append([item])
        open_run = item.from_model
    return runs

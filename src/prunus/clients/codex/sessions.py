"""Sessions of Codex: "rollout" JSON lines under `~/.codex/sessions`.

The lines of type `response_item` are the items of the requests; the others
repeat them for the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import (
    JsonObject,
    Recording,
    Session,
    mapping,
    rows,
    text,
    unix_time,
    unnamed_session,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the input, with what was recorded about it."""

    wire: JsonObject
    time: float | None = None
    carried: bool = False
    billed: int = 0
    """Of the last item of an answer: the tokens of its request by the provider's count, if recorded."""

    @property
    def from_model(self) -> bool:
        """Whether the item is a part of an answer."""
        kind = text(self.wire.get("type"))
        return self.is_reasoning or kind.endswith("_call") or self.wire.get("role") == "assistant"

    @property
    def is_reasoning(self) -> bool:
        """Whether the item is the reasoning before another one."""
        return self.wire.get("type") == "reasoning"

    @property
    def calls(self) -> str:
        """Id of the call that waits for a result, if the item is one."""
        return text(self.wire.get("call_id")) if text(self.wire.get("type")).endswith("_call") else ""

    @property
    def answers(self) -> str:
        """Id of the call that the item is the result of, if it is one."""
        return text(self.wire.get("call_id")) if text(self.wire.get("type")).endswith("_output") else ""


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where Codex keeps its sessions."""
    for name in ("sessions", "archived_sessions"):
        yield home.named("CODEX_HOME", home.path / ".codex") / name, ("**/rollout-*.jsonl",)


def recognise(recording: Recording) -> bool:
    """Lines with a payload, of the types that only Codex writes."""
    kinds = ("session_meta", "response_item")
    return any(line.get("type") in kinds and "payload" in line for line in recording.lines)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each context window."""
    windows: list[list[Item]] = [[]]
    models: list[str] = [""]
    envelope: JsonObject = {}
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
            case "event_msg" if payload.get("type") == "token_count":
                _count(windows[-1], payload)
    for items, model in zip(windows, models, strict=True):
        yield replace(_session(items, model), skipped=unusable, envelope=envelope)


def _count(items: list[Item], payload: JsonObject) -> None:
    """Note how many tokens the request of the newest answer had."""
    usage = mapping(mapping(payload.get("info")).get("last_token_usage"))
    count = usage.get("input_tokens")
    newest = next((at for at in range(len(items) - 1, -1, -1) if items[at].from_model), None)
    if newest is not None and isinstance(count, int) and not items[newest].carried:
        items[newest] = replace(items[newest], billed=count)


def _after_compaction(payload: JsonObject, before: Sequence[Item]) -> list[Item]:
    """The new context: the recorded one, or what people wrote and the summary."""
    history = rows(payload.get("replacement_history"))
    if not history:
        written = [item.wire for item in before if item.wire.get("role") in ("developer", "user")]
        content = [{"type": "input_text", "text": text(payload.get("message"))}]
        history = [*written, {"type": "message", "role": "user", "content": content}]
    return [Item(wire, carried=True) for wire in history]


def _session(items: Sequence[Item], model: str) -> Session:
    """The items without broken pairs; a run of items from the model is one answer."""
    items = _reasoning_first(items)
    kept = _whole_pairs(items)
    messages: list[JsonObject] = []
    requests: list[tuple[int, float | None, int]] = []
    clock: float | None = None
    answering = False
    for item in items:
        starts = item.from_model and not answering and not item.carried
        if starts and len(messages) > (requests[-1][0] if requests else 0):
            requests.append((len(messages), item.time if clock is None else clock, 0))
        if item.billed and requests:
            requests[-1] = (*requests[-1][:2], item.billed)
        answering = item.from_model and not item.carried
        clock = item.time if item.time is not None else clock
        if id(item) in kept:
            messages.append(item.wire)
    return unnamed_session("openai_responses", model, messages, requests)


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
    for run in _runs(items):
        missing = [item for item in run if item.calls and item.calls not in answered]
        ends_session = run[-1] is items[-1]
        if ends_session and missing and not any(item.calls in answered for item in run if item.calls):
            missing = run
        for item in missing:
            kept.pop(id(item))
        left = [item for item in run if id(item) in kept]
        while left and left[-1].is_reasoning:
            kept.pop(id(left.pop()))
    return set(kept)


def _reasoning_first(items: Sequence[Item]) -> list[Item]:
    """The items, with answers that were recorded with reasoning at the end turned round.

    The provider refuses reasoning that no item of the same answer follows.
    """
    arranged: list[Item] = []
    for run in _runs(items):
        if run[-1].is_reasoning:
            run = sorted(run, key=lambda item: not item.is_reasoning)
        arranged += run
    return arranged


def _runs(items: Sequence[Item]) -> list[list[Item]]:
    """Items that the model wrote without anything between them, and the items between those."""
    return [list(run) for _, run in groupby(items, key=lambda item: (item.from_model, item.carried))]

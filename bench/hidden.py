"""What the agent's layer adds to a request, beside pruning that request in the same run.

A turn is the request that brings one more answered call to a conversation of 500 calls that the proxy has seen
before; every 25th step of it holds a hidden exchange. The figures are CPU milliseconds, the median of the turns,
and the ratio to what pruning took. A stream is read with the hidden tool alone, and with the intents of edits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import sessions
from rich.console import Console
from rich.table import Table
from speed import as_bytes, clock
from usage import show_help

from prunus import Pruner, Settings
from prunus.agent.layer import AgentLayer, HiddenTurn
from prunus.agent.steps import keys_of, root, steps_from
from prunus.providers import api_named, frame
from prunus.providers.hidden_calls import HiddenExchange

CALLS = 500
TURNS = 12
EVERY = 25
EVENTS = 2000
LAYERS = {"hidden": {"offer": "hidden"}, "hidden and intent": {"offer": "hidden", "intent": True}}


class HiddenRecords:
    """Records in memory."""

    def __init__(self, records: dict[str, bytes]) -> None:
        self.records = records

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        self.records[key] = value

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        return {key: self.records[key] for key in keys if key in self.records}


def bodies(format: str) -> list[bytes]:
    """One conversation, request by request."""
    made = sessions.calls(CALLS + TURNS)
    if format == "anthropic_messages":
        whole = sessions.anthropic(made)
    else:
        messages = sessions.chat(made) if format == "openai_chat" else sessions.responses(made)
        whole = {"model": "gpt-5", "tools": [], api_named(format).field: messages}
    messages = whole[api_named(format).field]
    step = (len(messages) - 1) // (CALLS + TURNS)
    return [
        as_bytes({**whole, api_named(format).field: messages[: 1 + step * (CALLS + more)]}) for more in range(TURNS)
    ]


def planted(body: bytes, format: str) -> HiddenRecords:
    """A store with a hidden exchange for some steps of a conversation."""
    hop = api_named(format).call_messages("hid_0123456789", "context_info", {}, "Context: half full.")
    record = HiddenExchange(format, hop).dump()
    records: dict[str, bytes] = {}
    for number, (step, messages) in enumerate(
        steps_from(frame(body, format), api_named(format), 0, root("", "", format))
    ):
        if number % EVERY == 1 and messages[0].value is not None:
            records |= dict.fromkeys(keys_of(api_named(format), step.before, messages[0].value), record)
    return HiddenRecords(records)


def opened(layer: AgentLayer, body: bytes, format: str) -> HiddenTurn:
    exchange = layer.open(body, format, streaming=True, tenant="", caller="")
    assert exchange is not None
    return exchange


def turn(format: str, agent: dict[str, Any]) -> tuple[float, float]:
    """What the layer and the pruner take for a turn."""
    settings = Settings(agent=agent)
    raws = bodies(format)
    layer, pruner = AgentLayer(settings, planted(raws[-1], format)), Pruner(settings)
    layers, prunings = [], []
    for raw in raws:
        held: dict[str, Any] = {}

        def before(raw: bytes = raw, held: dict[str, Any] = held) -> None:
            held["exchange"] = opened(layer, raw, format)
            held["exchange"].reply()
            held["given"] = held["exchange"].before()

        took = clock(before)
        assert held["given"].count(b"hid_0123456789") >= 2 * (CALLS // EVERY)
        prunings.append(
            clock(lambda held=held: held.update(outcome=pruner.prune(held["given"], format=format)))  # type: ignore[misc]
        )
        took += clock(lambda held=held: held["exchange"].after(held["outcome"]))  # type: ignore[misc]
        layers.append(took)
    return median(layers[1:]), median(prunings[1:])


def stream(agent: dict[str, Any]) -> float:
    """What reading an answer takes for each of its events."""
    settings = Settings(agent=agent)
    schema = {"type": "object", "properties": {"file_path": {"type": "string"}, "new_string": {"type": "string"}}}
    tools = [{"name": "Edit", "input_schema": schema}]
    body = as_bytes({"model": "m", "tools": tools, "messages": [{"role": "user", "content": "Go."}]})
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "some words "}}
    rows = [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *[delta] * EVENTS,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ]
    raws = [f"event: {row['type']}\ndata: {json.dumps(row)}\n\n".encode() for row in rows]
    layer, pruner = AgentLayer(settings), Pruner(settings)
    costs = []
    for _ in range(7):
        exchange = opened(layer, body, "anthropic_messages")
        exchange.after(pruner.prune(exchange.before(), format="anthropic_messages"))
        costs.append(clock(lambda exchange=exchange: [exchange.feed(raw) for raw in raws]))  # type: ignore[misc]
    return min(costs) / EVENTS


def main() -> None:
    console = Console(width=120)
    table = Table(title=f"The agent's layer in one turn at {CALLS} calls (CPU ms)")
    for title in ("format", "layer", "ms", "pruning", "ratio"):
        table.add_column(title, justify="left" if title in ("format", "layer") else "right")
    rows = []
    for format in ("anthropic_messages", "openai_chat", "openai_responses"):
        for name, agent in LAYERS.items():
            ms, pruning = turn(format, agent)
            rows.append({"format": format, "layer": name, "ms": ms, "pruning": pruning, "ratio": ms / pruning})
            table.add_row(format, name, f"{ms:.2f}", f"{pruning:.2f}", f"{ms / pruning:.2f}")
    console.print(table)
    events = {name: stream(agent) for name, agent in LAYERS.items()}
    for name, ms in events.items():
        console.print(f"One event of a stream, {name}: {1000 * ms:.1f} µs")
    target = Path(__file__).parent / "results" / "hidden.json"
    target.write_text(json.dumps({"turn": rows, "event": events}, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main()

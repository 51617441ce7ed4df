"""What one turn costs: as the history grows, and beside peers and the JSON floor.

Every figure is CPU time and is read beside others of the same run: the median of several turns, or the best of
several rounds where a round always does the same. A turn is the
request that brings one more answered call to a conversation the pruner has seen before.
"""

from __future__ import annotations

import copy
import gc
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import sessions
from rich.console import Console
from rich.table import Table
from usage import show_help

from prunus import Pruner

SIZES = (10, 50, 200, 500, 1000, 2000, 5000)
TURNS = 12
PEERS_AT = 500


def clock(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call; the garbage collector waits, as in `timeit`."""
    gc.disable()
    start = time.process_time_ns()
    work()
    spent = time.process_time_ns() - start
    gc.enable()
    return spent / 1e6


def best(work: Callable[[], object], rounds: int = 9) -> float:
    return min(clock(work) for _ in range(rounds))


def growing(calls: int) -> Iterator[dict[str, Any]]:
    """One conversation, request by request, from `calls` answered calls on."""
    whole = sessions.anthropic(sessions.calls(calls + TURNS))
    for more in range(TURNS):
        yield {**whole, "messages": whole["messages"][: 1 + 2 * (calls + more)]}


def as_bytes(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def turn(bodies: list[Any]) -> tuple[float, float]:
    """Cost of the first look at a conversation, and of a turn of it."""
    pruner = Pruner()
    costs = [clock(lambda body=body: pruner.prune(body)) for body in bodies]
    return costs[0], median(costs[1:])


def floor(body: bytes, previous: int) -> float:
    """What deps.md calls the floor: scan the envelope and the list, decode two messages, put the bytes together."""

    def work() -> bytes:
        top = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        items = msgspec.json.decode(top["messages"], type=list[msgspec.Raw])
        for item in items[previous:]:
            msgspec.json.decode(item)
        top["messages"] = msgspec.Raw(b"[" + b",".join(map(bytes, items)) + b"]")
        return msgspec.json.encode(top)

    return best(work)


def growth(console: Console) -> list[dict[str, float]]:
    table = Table(title="One turn, from bytes to bytes and from objects to objects (CPU ms)")
    for title in (
        "calls",
        "MB",
        "bytes",
        "objects",
        "first look",
        "blake2b",
        "sha256",
        "JSON floor",
        "bytes / floor",
    ):
        table.add_column(title, justify="right")
    rows = []
    for calls in SIZES:
        objects = list(growing(calls))
        raws = [as_bytes(body) for body in objects]
        first, by_bytes = turn(raws)
        _, by_objects = turn(objects)
        last = raws[-1]
        row = {
            "calls": calls,
            "megabytes": len(last) / 1e6,
            "bytes": by_bytes,
            "objects": by_objects,
            "first": first,
            "blake2b": best(lambda last=last: hashlib.blake2b(last, digest_size=16).digest()),
            "sha256": best(lambda last=last: hashlib.sha256(last).digest()),
            "floor": floor(last, len(objects[-1]["messages"]) - 2),
        }
        rows.append(row)
        shown = [f"{row[key]:.2f}" for key in ("bytes", "objects", "first", "blake2b", "sha256", "floor")]
        table.add_row(str(calls), f"{row['megabytes']:.2f}", *shown, f"{by_bytes / row['floor']:.2f}")
    console.print(table)
    return rows


def peers(console: Console) -> dict[str, float]:
    """The same history through what others offer, as the parsed objects that each of them takes."""
    made = sessions.calls(PEERS_AT)
    found = {"prunus (objects)": turn(list(growing(PEERS_AT)))[1]}
    try:
        logging.disable(logging.WARNING)
        from agents.extensions.tool_output_trimmer import ToolOutputTrimmer
        from agents.run_config import CallModelData, ModelInputData

        items: Any = sessions.responses(made)
        data: Any = CallModelData(ModelInputData(items, None), None, None)  # type: ignore[arg-type]
        found["openai-agents ToolOutputTrimmer"] = best(lambda: ToolOutputTrimmer()(data))
    except ImportError as error:
        console.print(f"openai-agents is not installed ({error}); make bench installs it")
    try:
        from langchain.agents.middleware.context_editing import ClearToolUsesEdit
        from langchain_core.messages import convert_to_messages, trim_messages
        from langchain_core.messages.utils import count_tokens_approximately as count

        messages = convert_to_messages(sessions.chat(made))
        # Its middleware copies the messages before the edit changes them.
        found["langchain ClearToolUsesEdit"] = best(
            lambda: ClearToolUsesEdit().apply(copy.deepcopy(messages), count_tokens=count), 5
        )
        found["langchain trim_messages"] = best(
            lambda: trim_messages(messages, max_tokens=100_000, token_counter=count, include_system=True), 5
        )
    except ImportError as error:
        console.print(f"langchain is not installed ({error}); make bench installs it")
    table = Table(title=f"One turn at {PEERS_AT} calls, from parsed objects (CPU ms)")
    for title in ("", "ms", "times Prunus"):
        table.add_column(title, justify="left" if not title else "right")
    for name, cost in found.items():
        table.add_row(name, f"{cost:.2f}", f"{cost / found['prunus (objects)']:.1f}")
    console.print(table)
    return found


def memory(console: Console) -> float:
    """Bytes that a pruner holds for a conversation, against the size of its body."""
    import tracemalloc

    raws = [as_bytes(body) for body in growing(PEERS_AT)]
    pruner = Pruner()
    tracemalloc.start()
    for raw in raws:
        pruner.prune(raw)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    share = held / len(raws[-1])
    console.print(
        f"Held for a conversation of {PEERS_AT} calls beside its last body: {held / 1e6:.1f} MB, {share:.2f} of it"
    )
    return share


def main() -> None:
    console = Console(width=120)
    result = {"growth": growth(console), "peers": peers(console), "memory": memory(console)}
    target = Path(__file__).parent / "results" / "speed.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main()

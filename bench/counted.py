"""What recorded sessions cost with the system text and tools that providers counted, and how that fits the bill.

    python bench/counted.py

Agents seldom record what they send before the messages. Where they recorded the provider's counts, `prunus analyze`
takes it from there. This does the same with the dev sessions of 30 and more requests: the cost of `auto` against
not pruning, by agent; and for Claude Code the dollars with and without the counts, beside the dollars by the usage
fields of the recorded answers. Writes bench/results/counted.json.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any

from usage import show_help

from prunus.clients.recorded_file import read
from prunus.clients.sessions import load
from prunus.corpus.find import files
from prunus.lab.analysis import SessionResult, share
from prunus.lab.conversations import RecordedConversation
from prunus.lab.cost import cost, provider_count
from prunus.lab.measuring import analyse
from prunus.lab.policy import Unpruned
from prunus.lab.replay import replay
from prunus.schedule.dollars import Money, tariff_of
from prunus.store import Usage

SESSIONS = Path(__file__).parent / "../../shared/corpus/dev"
RESULTS = Path(__file__).parent / "results" / "counted.json"
LEAST = 30


def summed(rows: Sequence[SessionResult]) -> dict[str, Any]:
    cost = share(sum(row.cost for row in rows), sum(row.unpruned for row in rows))
    requests = sum(row.requests for row in rows)
    return {"cost": cost, "sessions": len(rows), "requests": requests, "counted": sum(row.billed for row in rows)}


def charged(path: Path) -> float:
    """The dollars of input by the usage fields of the answers that Claude Code recorded."""
    answers = {}
    for line in read(path).lines:
        message = line.get("message")
        if line.get("type") == "assistant" and isinstance(message, dict) and message.get("usage"):
            answers[message.get("id")] = message
    dollars = 0.0
    for message in answers.values():
        tariff, usage = tariff_of(message.get("model", "")), message["usage"]
        if tariff is not None:
            fields = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            found = Usage(*(usage.get(field) or 0 for field in fields), 0)
            hour = (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0
            dollars += tariff.dollars(found, hour)
    return dollars


def claude_code(folder: Path) -> dict[str, Any]:
    """Dollars with and without the counts, those of the usage fields, and the tokens before the messages."""
    found = {"with counts": 0.0, "without": 0.0, "usage fields": 0.0}
    around = []
    for path in files([folder]):
        found["usage fields"] += charged(path)
        for session in load(path):
            token, recorded = Money().of(session.model), RecordedConversation(session)
            if token is None:
                continue
            plain = replay(session, Unpruned())
            counted = provider_count(session.billed, plain)
            around += [counted.around] * counted.known
            found["without"] += token * cost(plain, recorded.price).cost
            found["with counts"] += token * cost(counted.of(plain), recorded.price).cost
    low, _, high = quantiles(around)
    return {**found, "tokens before the messages": [round(low), round(high)]}


def main() -> None:
    paths = tuple(files([SESSIONS]))
    rows = [row for file in analyse(paths) for row in file.rows if row.requests >= LEAST]
    agents = sorted({row.agent for row in rows})
    record = {
        "all": summed(rows),
        "agents": {agent: summed([row for row in rows if row.agent == agent]) for agent in agents},
        "claude-code": claude_code(SESSIONS / "claude-code"),
    }
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    show_help()
    main()

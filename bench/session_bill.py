"""The bill of one recorded session, request by request, without Prunus and with it: the picture of the README.

    python bench/session_bill.py [folder of sessions]

Of the sessions with at least 100 requests and a known price, it takes the one whose savings are
nearest to those of all of them together, so that the picture shows neither the best nor the worst. Writes
bench/results/session_bill.json.
"""

from __future__ import annotations

import json
import sys
from itertools import accumulate
from pathlib import Path

from usage import show_help

from prunus.clients.sessions import Session, load
from prunus.errors import FormatError
from prunus.lab.conversations import RecordedConversation
from prunus.lab.cost import is_cold
from prunus.lab.policies import policy_named
from prunus.lab.policy import Policy, Unpruned
from prunus.lab.replay import replay
from prunus.schedule.dollars import Money
from prunus.schedule.prices import request_cost

SESSIONS = Path(__file__).parent / "../../shared/corpus/dev"
RESULTS = Path(__file__).parent / "results"
LEAST = 100
POINTS = 120


def dollars(session: Session, policy: Policy) -> list[float]:
    """What each request costs."""
    recorded = RecordedConversation(session)
    price, token = recorded.price, Money().of(session.model)
    assert token is not None
    sent = replay(session, policy).requests
    return [token * request_cost(price, one.tokens, 0 if is_cold(one, price) else one.cached) for one in sent]


def recorded_in(path: Path) -> tuple[Session, ...]:
    """The sessions of a file; none where it is no recording."""
    try:
        return load(path)
    except FormatError:
        return ()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for session in recorded_in(path):
            if len(session.requests) < LEAST or Money().of(session.model) is None:
                continue
            ours = policy_named("auto", RecordedConversation(session).price, RecordedConversation(session).window)
            without, with_it = dollars(session, Unpruned()), dollars(session, ours)
            found.append((session, without, with_it))
            print(
                f"{session.name}: {len(without)} requests, ${sum(without):.2f} to ${sum(with_it):.2f}", flush=True
            )
    mean = sum(sum(pruned) for _, _, pruned in found) / sum(sum(unpruned) for _, unpruned, _ in found)
    session, without, with_it = min(found, key=lambda one: abs(sum(one[2]) / sum(one[1]) - mean))
    step = max(1, len(without) // POINTS)
    picked = [*range(0, len(without), step), len(without) - 1]
    sums = [list(accumulate(costs)) for costs in (without, with_it)]
    record = {
        "agent": session.agent,
        "model": session.model,
        "requests": len(without),
        "sessions": len(found),
        "share_of_all": round(mean, 4),
        "at": [number + 1 for number in picked],
        "unpruned": [round(sums[0][number], 4) for number in picked],
        "pruned": [round(sums[1][number], 4) for number in picked],
    }
    (RESULTS / "session_bill.json").write_text(json.dumps(record) + "\n")
    print(f"{session.name}: ${sums[0][-1]:.2f} to ${sums[1][-1]:.2f}; all {len(found)} sessions {mean:.3f}")


if __name__ == "__main__":
    show_help()
    main()

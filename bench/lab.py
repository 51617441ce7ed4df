"""The reference policies and Prunus on the recorded sessions: cost, and what was lost.

    python bench/lab.py [policy ...] [READ/WRITE ...]

With names only those policies are measured, with prices only at those, and all other figures stay as they are.

Conversations of at least 15 requests of six agents, cut where the agent itself compacted and at 200k tokens.
Prints what was measured beside the table of the issue that asked for it, per agent and per fold of repositories,
and writes bench/results/lab.json and bench/results/lab.html.

How the two differ. The reference counts characters / 4, knows no times for chat-export and takes the cache of the
row 0.02/1.0 as always warm; here tokens are estimated, all recorded times count (a gap of more than the row's ttl
is a cold cache, which makes breaks cheaper), and a conversation past 200k tokens goes on in a new one.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec
from measured import by_agent, by_fold
from rich.console import Console
from rich.table import Table
from usage import show_help

from prunus.cli.table import plain
from prunus.corpus.find import files
from prunus.lab.picture import picture
from prunus.lab.policies import installed
from prunus.lab.run import Measured, Study, run
from prunus.lab.summary import BOUNDS, Summary, regret, summarise, table
from prunus.schedule.prices import NAMED_ROWS

HERE = Path(__file__).resolve().parent
SESSIONS = HERE.parent / "../shared/corpus/dev"
RESULTS = HERE / "results"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
POLICIES = (
    "none", "safe", "auto", "lean", "clairvoyant", "oracle", "eager",
    "acp", "acp@cache", "smart", "mask:10", "mask:10:30000", "clear:100000:3", "langchain", "openai-agents",
)  # fmt: skip
PRICES = ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")
REFERENCE = {
    "mask:10": (1.22, 2.32, 0.53, 2.94, 3.46, 0.72, 0.89),
    "mask:10:30000": (0.71, 0.82, 0.63, 0.86, 1.04, 0.83, 0.95),
    "clear:100000:3": (0.78, 0.88, 0.72, 0.89, 1.00, 0.92, 0.97),
    "langchain": (0.77, 0.92, 0.67, 0.94, 1.04, 0.86, 0.95),
    "openai-agents": (0.78, 0.86, 0.73, 0.97, 1.36, 0.95, 0.98),
}
"""Cost at each of PRICES, worst session, lines (which the reference calls hard), names anywhere in a request."""


def beside(summaries: tuple[Summary, ...]) -> Table:
    """Measured figures, with the reference in brackets."""
    found = {(one.policy, one.prices): one for one in summaries}
    shown = Table("policy", *PRICES, "worst", "lines", "names", title="Measured (reference)")
    for column in shown.columns[1:]:
        column.justify = "right"
    for policy in dict.fromkeys(one.policy for one in summaries):
        at = [found[policy, row] for row in PRICES]
        measured = (
            *(one.cost for one in at), at[0].worst, min(one.lines for one in at), min(one.soft for one in at)
        )  # fmt: skip
        known = REFERENCE.get(policy, (None,) * len(measured))
        cells = [
            f"{m:.3f}" + (f" ({r:.2f})" if r is not None else "") for m, r in zip(measured, known, strict=True)
        ]
        shown.add_row(policy, *cells)
    return shown


def of_agents(found: list[Measured]) -> Table:
    """Cost at the first price and hard retention, for each agent."""
    agents = by_agent(row for one in found for row in one.rows if row.prices == PRICES[0])
    shown = Table("policy", *agents, title=f"Cost at {PRICES[0]} / hard / soft, per agent")
    for column in shown.columns[1:]:
        column.justify = "right"
    names = dict.fromkeys(one.policy for group in agents.values() for one in group)
    for policy in names:
        at = [next(one for one in group if one.policy == policy) for group in agents.values()]
        shown.add_row(policy, *(f"{one.cost:.2f} / {one.hard:.2f} / {one.in_place:.2f}" for one in at))
    return shown


def of_folds(found: list[Measured]) -> Table:
    """Effective cost at the first price and lost events, for each fold of repositories."""
    folds = by_fold(row for one in found for row in one.rows if row.prices == PRICES[0])
    heads = (f"{fold}: {group[0].requests:,} requests" for fold, group in folds.items())
    shown = Table(
        "policy", *heads, title=f"Effective cost at {PRICES[0]} / lost per 1,000, per fold of repositories"
    )
    for column in shown.columns[1:]:
        column.justify = "right"
    for at in zip(*folds.values(), strict=True):
        shown.add_row(at[0].policy, *(f"{one.effective:.3f} / {one.lost.value:.1f}" for one in at))
    return shown


def over_bounds(summaries: tuple[Summary, ...]) -> Table:
    """What not knowing the future costs: each schedule over the best one for the same edits."""
    rows = tuple(dict.fromkeys(one.prices for one in summaries))
    shown = Table("policy over bound", *rows, title="Regret")
    for policy, bound in BOUNDS:
        ratios = regret(summaries, policy, bound)
        if ratios:
            shown.add_row(f"{policy} / {bound}", *(f"{ratios[row]:.3f}" if row in ratios else "-" for row in rows))
    return shown


class Written(msgspec.Struct, frozen=True):
    """What stands in bench/results/lab.json."""

    conversations: int
    requests: int
    regret: dict[str, dict[str, float]]
    policies: tuple[Summary, ...]
    agents: dict[str, tuple[Summary, ...]]
    folds: dict[int, tuple[Summary, ...]] = {}


def together(new: Written) -> Written:
    """What was measured now, and what was measured before of other policies on the same requests."""
    old = new
    path = RESULTS / "lab.json"
    try:
        read = msgspec.json.decode(path.read_bytes(), type=Written) if path.exists() else new
        old = read if (read.conversations, read.requests) == (new.conversations, new.requests) else new
    except msgspec.ValidationError as error:
        print(f"lab.json was written by another version and is replaced; measure all policies again ({error})")
    policies = joined(new.policies, old.policies)
    regrets = {policy: regret(policies, policy, bound) for policy, bound in BOUNDS}
    agents = {name: joined(rows, old.agents.get(name, ())) for name, rows in new.agents.items()}
    folds = {fold: joined(rows, old.folds.get(fold, ())) for fold, rows in new.folds.items()}
    return Written(new.conversations, new.requests, regrets, policies, agents, folds)


def joined(new: tuple[Summary, ...], old: tuple[Summary, ...]) -> tuple[Summary, ...]:
    measured = {(one.policy, one.prices) for one in new}
    rows = (*new, *(one for one in old if (one.policy, one.prices) not in measured))
    return tuple(sorted(rows, key=_place))


def _place(one: Summary) -> tuple[int, int]:
    policy = POLICIES.index(one.policy) if one.policy in POLICIES else len(POLICIES)
    return policy, tuple(NAMED_ROWS).index(one.prices)


def main(arguments: list[str]) -> None:
    prices = tuple(one for one in arguments if one in NAMED_ROWS) or tuple(NAMED_ROWS)
    policies = tuple(one for one in arguments if one not in NAMED_ROWS) or POLICIES
    console = Console(width=None if sys.stdout.isatty() else 170)
    paths = tuple(files(SESSIONS / agent for agent in AGENTS if (SESSIONS / agent).is_dir()))
    if not paths:
        console.print("No recorded sessions here (../shared/corpus/dev); the lab has nothing to replay.")
        return
    able, reasons = installed(policies)
    for reason in reasons:
        console.print(f"left out: {reason}")
    started = time.perf_counter()
    found = list(run(paths, Study(able, prices)))
    took = time.perf_counter() - started
    rows = [row for one in found for row in one.rows]
    summaries = summarise(rows)
    if set(PRICES) <= set(prices):
        console.print(beside(summaries))
        console.print(over_bounds(summaries))
        console.print(of_agents(found))
        console.print(of_folds(found))
    headings, lines = table(summaries)
    print("At all prices; worst session, retention and faults are the worst of all prices")
    print(plain(headings, lines, right=range(1, len(headings))))
    for one in found:
        if one.failure:
            console.print(f"not read: {one.failure}")
    first = summaries[0]
    console.print(f"{first.conversations} conversations, {first.requests:,} requests, {took:.0f} s")
    RESULTS.mkdir(exist_ok=True)
    written = together(Written(first.conversations, first.requests, {}, summaries, by_agent(rows), by_fold(rows)))
    (RESULTS / "lab.json").write_bytes(msgspec.json.format(msgspec.json.encode(written)) + b"\n")
    (RESULTS / "lab.html").write_text(picture(written.policies, "Prunus on recorded sessions"), encoding="utf-8")


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:])

"""A pruned request in a few lines, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from prunus.outcome import Outcome, Report
from prunus.printable import printable
from prunus.report.effectiveness import effectiveness
from prunus.report.numbers import percent, short
from prunus.report.status import Notification, status_line

__all__ = ["change", "text_report"]


def text_report(
    outcome: Outcome[object], notification: Notification = "minimal", tools: Sequence[str] = (), idle: str = ""
) -> str:
    """Status line, tokens before and after, the box, and what the guards held back.

    `tools` are those of the calls that were cut; `idle` says why nothing could be, where that is so.
    """
    if outcome.error is not None:
        return f"Left as it came: {outcome.error}"
    report = outcome.report
    blocks = [
        "\n".join(line for line in (status_line(report, notification, tools), _tokens(report, idle)) if line),
        effectiveness(report.strategies),
        _refusals(outcome),
    ]
    return "\n\n".join(block for block in blocks if block)


def change(before: int, after: int) -> str:
    """Tokens before and after, and the share that went."""
    return f"{short(before)} -> {short(after)} tokens ({percent(before - after, before)} less)"


def _tokens(report: Report, idle: str) -> str:
    pieces = (report.format, printable(report.model), f"{report.messages} messages")
    what = ", ".join(piece for piece in pieces if piece)
    if idle:
        return f"{what}: nothing was pruned, {idle}"
    if not report.saved:
        return f"{what}: nothing to prune in {short(report.tokens_before)} tokens"
    return f"{what}: {change(report.tokens_before, report.tokens_after)}"


def _refusals(outcome: Outcome[object]) -> str:
    counts = Counter(refusal.guard for refusal in outcome.refusals)
    if not counts:
        return ""
    return "Held back by guards: " + ", ".join(f"{guard} {count}" for guard, count in counts.most_common())

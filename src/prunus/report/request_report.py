"""The report of one request: a few lines for people, and plain data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prunus.edits import Edit, Refusal
from prunus.history import Call, History, Ref, Result
from prunus.outcome import Outcome, Report
from prunus.report.funnel import auto_supersede, effectiveness, funnel_of, funnel_record
from prunus.report.status import status_line
from prunus.tally import Notification, Tally
from prunus.text.numbers import percent, short
from prunus.text.printable import printable


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


def record(outcome: Outcome[object]) -> dict[str, Any]:
    """The edits and refusals of a request as plain data, ready for JSON."""
    report = outcome.report
    return {
        "format": report.format,
        "model": report.model,
        "messages": report.messages,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "strategies": tallies_record(report.strategies),
        "autoSupersede": tallies_record(auto_supersede(report.strategies)),
        "funnel": funnel_record(funnel_of(report.tokens_before, report.tokens_after, report.strategies)),
        "categories": tallies_record(report.categories),
        "asked_again": {
            "strategies": tallies_record(report.asked_again.strategies),
            "kinds": tallies_record(report.asked_again.kinds),
        },
        "edits": [{**_place(edit), **edit_record(edit)} for edit in outcome.edits],
        "refusals": [{**_place(refusal.edit), **refusal_record(refusal)} for refusal in outcome.refusals],
        "error": outcome.error,
    }


def edit_record(edit: Edit) -> dict[str, Any]:
    """One edit, without its place."""
    return {
        "strategy": edit.strategy,
        "reason": edit.reason,
        "tokens_before": edit.tokens_before,
        "tokens_after": edit.tokens_after,
        "replacement": type(edit.replacement).__name__.lower(),
    }


def refusal_record(refusal: Refusal) -> dict[str, Any]:
    """One refusal, without its place."""
    return {
        "strategy": refusal.edit.strategy,
        "guard": refusal.guard,
        "reason": refusal.reason,
        "until_turn": refusal.until,
    }


def _place(edit: Edit) -> dict[str, int]:
    return {"message": edit.target.message, "part": edit.target.part}


def tallies_record(tallies: Mapping[str, Tally]) -> dict[str, dict[str, int]]:
    """How much of each there is, by name."""
    return {name: {"count": tally.count, "tokens": tally.tokens} for name, tally in tallies.items()}


def tool_names(history: History, edits: Iterable[Edit]) -> tuple[str, ...]:
    """The tool of each call that the edits cut, in order; a call counts once, however much of it went."""
    calls = _calls(history)
    cut = {calls[edit.target] for edit in edits if edit.target in calls}
    return tuple(tool for _, tool in sorted(cut))


def _calls(history: History) -> dict[Ref, tuple[Ref, str]]:
    """The call behind each call and result, with its tool."""
    found: dict[Ref, tuple[Ref, str]] = {}
    newest: dict[str, tuple[Ref, str]] = {}
    for i, message in enumerate(history.messages):
        for k, part in enumerate(message.parts):
            ref = Ref(i, k)
            if isinstance(part, Call):
                # Some models count their ids anew in each turn, so a result belongs to the newest call.
                found[ref] = newest[part.id] = (ref, part.tool)
            elif isinstance(part, Result) and part.id in newest:
                found[ref] = newest[part.id]
    return found

"""The report of one request: what was pruned and refused, as text and as data, and the fate of each part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from prunus.edits import Edit, Proposal, Refusal
from prunus.outcome import Outcome, Report
from prunus.report.funnel import auto_supersede, effectiveness, funnel_of, funnel_record
from prunus.report.status import status_line
from prunus.schedule.priorities import MARKS
from prunus.tally import Notification, Tally
from prunus.text.numbers import counted, percent, short
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.explain import Explained


def text_report(outcome: Outcome[object], notification: Notification = "minimal", idle: str = "") -> str:
    """Status line, tokens before and after, the box, and what the guards held back.

    `idle` says why nothing could be cut, where that is so.
    """
    if outcome.error is not None:
        return f"Left as it came: {outcome.error}"
    report = outcome.report
    tools = cut_tools(outcome) if notification == "detailed" else ()
    blocks = [
        "\n".join(line for line in (status_line(report, notification, tools), _tokens(report, idle)) if line),
        effectiveness(report.strategies),
        _refusals(outcome),
    ]
    return "\n\n".join(block for block in blocks if block)


def cut_tools(outcome: Outcome[object]) -> tuple[str, ...]:
    """The tool of each call that this request cut first, in order; a call counts once, however much of it went."""
    calls = {(receipt.item or receipt.edit.target): receipt.tool for receipt in outcome.receipts if receipt.tool}
    return tuple(calls[call] for call in sorted(calls))


def change(before: int, after: int) -> str:
    """Tokens before and after, and the share that went."""
    return f"{short(before)} -> {short(after)} tokens ({percent(before - after, before)} less)"


def _tokens(report: Report, idle: str) -> str:
    pieces = (report.format, printable(report.model), counted(report.messages, "message"))
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


class PartRow(NamedTuple):
    """One part, ready to be shown."""

    place: str
    role: str
    turn: str
    kind: str
    title: str
    tokens: str
    priority: str
    """With its colour."""
    guide: str
    """The advice of the content type guide."""
    verdict: str
    """kept or pruned."""
    why: tuple[str, ...]
    """One line for each edit, each refusal and each edit that waits."""


def rows(parts: Sequence[Explained], *, everything: bool) -> Iterator[PartRow]:
    """A row for each part that there is something to say about, or for each part."""
    for part in parts:
        if everything or part.edit or part.waiting or part.refusals:
            yield PartRow(
                f"{part.ref.message}.{part.ref.part}",
                part.role,
                str(part.turn),
                part.kind,
                part.title,
                f"{part.tokens:,}",
                f"{MARKS[part.priority]} {part.priority}",
                str(part.advice),
                "kept" if part.edit is None else "pruned",
                tuple(_why(part)),
            )


def _why(part: Explained) -> Iterator[str]:
    if part.edit is not None:
        became = f"{short(part.edit.tokens_before)} -> {short(part.edit.tokens_after)}"
        yield f"{part.edit.strategy}: {part.edit.reason} ({became} tokens)"
    for refusal in part.refusals:
        again = "" if refusal.until is None else f", until turn {refusal.until}"
        yield f"not {refusal.edit.strategy}: {refusal.guard} refused, {refusal.reason}{again}"
    for edit in part.waiting if part.edit is None else ():
        yield f"waits for {_moment(edit)}: {edit.strategy}, {edit.reason}"


def _moment(edit: Proposal) -> str:
    when = edit.when
    if when.under_pressure:
        return "the context to run short"
    return f"turn {when.from_turn}" + (f" and task {when.from_loop}" if when.from_loop else "")


def summary(parts: Sequence[Explained], shown: int) -> str:
    """One line on all parts together."""
    tokens = sum(part.tokens for part in parts)
    pruned = [part.edit for part in parts if part.edit is not None]
    saved = sum(edit.saved for edit in pruned)
    refused = sum(1 for part in parts if part.refusals and part.edit is None)
    waiting = sum(1 for part in parts if part.waiting and part.edit is None)
    line = (
        f"{counted(len(parts), 'part')}, {short(tokens)} tokens: {len(pruned)} pruned saving {short(saved)} "
        f"({percent(saved, tokens)}), {refused} refused, {waiting} waiting"
    )
    hidden = len(parts) - shown
    return f"{line}; {hidden} more with nothing to say about (--all)" if hidden else line


def in_json(parts: Sequence[Explained]) -> list[dict[str, Any]]:
    """Every part as plain data."""
    return [
        {
            "message": part.ref.message,
            "part": part.ref.part,
            "role": part.role,
            "turn": part.turn,
            "kind": part.kind,
            "title": part.title,
            "tokens": part.tokens,
            "priority": part.priority,
            "guide": {"action": part.advice.action, "why": part.advice.why},
            "verdict": "kept" if part.edit is None else "pruned",
            "edit": None if part.edit is None else edit_record(part.edit),
            "refusals": [refusal_record(refusal) for refusal in part.refusals],
            "waiting": [
                {
                    **edit_record(edit),
                    "when": "pressure" if edit.when.under_pressure else "turn",
                    "turn": edit.when.from_turn or None,
                }
                for edit in part.waiting
            ],
        }
        for part in parts
    ]

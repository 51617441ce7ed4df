"""Each part of a request: whether it was pruned, by which strategy, and which guard refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from prunus.edits import Proposal
from prunus.report.request_report import edit_record, refusal_record
from prunus.schedule.priorities import MARKS
from prunus.text.numbers import percent, short

if TYPE_CHECKING:
    from prunus.explain import Explained


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
        f"{len(parts)} parts, {short(tokens)} tokens: {len(pruned)} pruned saving {short(saved)} "
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

"""A pruned request as plain data, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.edits import Edit, Refusal
from prunus.outcome import Outcome
from prunus.report.effectiveness import auto_supersede
from prunus.report.funnel import funnel_of, funnel_record
from prunus.tally import Tally

__all__ = ["edit_record", "record", "refusal_record", "tallies_record"]


def record(outcome: Outcome[object]) -> dict[str, Any]:
    """What was done to a request; only texts, numbers, lists and tables."""
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

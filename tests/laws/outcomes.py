"""What the laws of shrinking, idempotence and one-shot demand of an outcome, as lists of what is wrong."""

from __future__ import annotations

from prunus import Outcome
from prunus.providers import encode

__all__ = ["growth", "other_edits", "second_changes"]


def growth(body: bytes, out: Outcome) -> list[str]:
    """Where a pruned request is larger than the request; one reminder may add its own words."""
    said = [edit for edit in out.edits if edit.strategy == "reminders"]
    found = [f"{len(said)} reminders"] if len(said) > 1 else []
    if out.report.tokens_after > out.report.tokens_before - sum(edit.saved for edit in said):
        found.append(f"{out.report.tokens_before} tokens became {out.report.tokens_after}")
    if len(out.body) > len(body) + sum(len(encode(edit.replacement.text)) for edit in said):
        found.append(f"{len(body)} bytes became {len(out.body)}")
    grown = [edit for edit in out.edits if edit not in said and edit.saved <= 0 and not edit.covers]
    return found + [f"{edit.strategy} saves nothing" for edit in grown]


def second_changes(once: Outcome, twice: Outcome) -> list[str]:
    """What pruning a pruned request changed."""
    found = [f"{edit.strategy} edits again" for edit in twice.edits]
    return found if twice.body == once.body else [*found, "the body changed again"]


def other_edits(seen: Outcome, fresh: Outcome) -> list[str]:
    """Where a pruner that saw a conversation grow differs from one that sees its last request alone."""
    found = [] if seen.edits == fresh.edits else ["other edits"]
    return found if seen.body == fresh.body else [*found, "other bytes"]

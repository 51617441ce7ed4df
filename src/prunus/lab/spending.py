"""Recorded sessions as the rows that the tables of spending are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prunus.lab.analysis import SessionResult
from prunus.spending import DayTotals, Earnings


def as_days(row: SessionResult, day: str) -> DayTotals:
    """Return a session as the sums of one day."""
    one = row.total
    return DayTotals(
        day,
        row.agent,
        row.model,
        row.project,
        requests=one.requests,
        tokens_before=one.unpruned_tokens,
        tokens_after=one.tokens,
        input=one.tokens - one.cached,
        cache_read=one.cached,
        cost=one.cost,
        cost_unpruned=one.unpruned,
        breaks=one.breaks,
    )


def writes_as_days(row: SessionResult, pruned: bool) -> Iterator[DayTotals]:
    """Return what a session writes to the prompt cache, one row for each reason."""
    for reason, (requests, tokens) in (row.writes if pruned else row.writes_unpruned).items():
        if reason == "new":
            yield DayTotals("", model=row.model, requests=requests, input=tokens)
        else:
            yield DayTotals("", model=row.model, missed_for=reason, requests=requests, input=tokens, missed=tokens)


def earnings(rows: Iterable[SessionResult]) -> list[Earnings]:
    """Return what each strategy did in each session."""
    return [
        Earnings(name, row.model, effect.edits, effect.tokens, effect.kept, effect.saved, 0)
        for row in rows
        for name, effect in row.strategies.items()
    ]

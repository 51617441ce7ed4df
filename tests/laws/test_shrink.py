"""Shrink: neither tokens nor bytes ever grow, a reminder aside, and the numbers of the report are true."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.edits import Added
from tests.laws.cases import bodies, every_case, one_shot
from tests.laws.outcomes import growth


@every_case
@given(data=st.data())
def test_a_pruned_request_never_grows(format: str, preset: str, data: Any) -> None:
    body = data.draw(bodies(format))
    assert growth(body, one_shot(body, preset)) == []


@every_case
@given(data=st.data())
def test_the_report_counts_what_is_there(format: str, preset: str, data: Any) -> None:
    body = data.draw(bodies(format))
    out = one_shot(body, preset)
    off = Pruner(Settings(preset="off"))
    assert out.report.tokens_before == off.prune(body).report.tokens_before
    # A reminder joins the text of the newest message, and joined text counts differently.
    joined = sum(edit.strategy == "reminders" for edit in out.edits)
    assert abs(out.report.tokens_after - off.prune(out.body).report.tokens_before) <= 2 * joined
    assert out.report.saved == sum(edit.saved for edit in out.edits)
    pruned = out.report.saved - sum(edit.saved for edit in out.edits if edit.strategy == "reminders")
    assert pruned == sum(tally.tokens for tally in out.report.strategies.values())
    assert pruned == sum(tally.tokens for tally in out.report.categories.values())
    # Words behind a result belong to the edit of its call.
    whole = [edit for edit in out.edits if not isinstance(edit.replacement, Added)]
    assert len(whole) == len(out.receipts)
    # A call of which one strategy cuts input and result is one prune, also where its result stays as it is.
    prunes = {(receipt.item, receipt.edit.counted_as) for receipt in (*out.receipts, *out.passed)}
    assert len(prunes) == sum(tally.count for tally in out.report.strategies.values())

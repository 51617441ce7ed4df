"""What each strategy has cut, what that saved, and what was asked for again."""

from __future__ import annotations

from prunus.spending import Earnings
from prunus.store.sql import SqlConnection

_CUTS = """
    SELECT r.conversation, c.model, r.strategy, count(DISTINCT r.item), sum(r.tokens_before - r.tokens_after),
           sum((r.tokens_before - r.tokens_after)
               * CASE WHEN c.requests > r.request THEN c.requests - r.request + 1 ELSE 1 END),
           sum(r.price)
    FROM receipts r JOIN conversations c ON c.n = r.conversation
    WHERE c.tenant = ? AND r.shadow = ? AND r.time >= ? AND r.what != 'passed'
    GROUP BY r.conversation, c.model, r.strategy"""
_ASKED = """
    SELECT x.strategy, c.model, count(*) FROM cuts x JOIN conversations c ON c.n = x.conversation
    WHERE c.tenant = ? AND x.shadow = ? AND c.last >= ? AND x.asked > 0 GROUP BY x.strategy, c.model"""
_SAVED = """
    SELECT e.conversation, sum(e.cost_unpruned - e.cost + e.cost_of_break)
    FROM exchanges e JOIN conversations c ON c.n = e.conversation
    WHERE c.tenant = ? AND e.shadow = ? AND e.time >= ? GROUP BY e.conversation"""


def earnings(connection: SqlConnection, tenant: str, since: float, shadow: bool) -> list[Earnings]:
    """Return what each strategy earned with each model since a time, in the conversations that are still there."""
    place = tenant, shadow, since
    saved = dict(connection.execute(_SAVED, place))
    rows = connection.execute(_CUTS, place).fetchall()
    whole: dict[int, int] = {}
    for number, _, _, _, _, kept, _ in rows:
        whole[number] = whole.get(number, 0) + kept
    found: dict[tuple[str, str], list[float]] = {}
    for number, model, strategy, cuts, tokens, kept, price in rows:
        share = saved.get(number, 0.0) * kept / whole[number] if whole[number] else 0.0
        sums = found.setdefault((strategy, model), [0, 0, 0, 0.0])
        for at, value in enumerate((cuts, tokens, kept, share - price)):
            sums[at] += value
    asked = {(strategy, model): count for strategy, model, count in connection.execute(_ASKED, place)}
    return [
        Earnings(strategy, model, int(cuts), int(tokens), int(kept), gain, asked.get((strategy, model), 0))
        for (strategy, model), (cuts, tokens, kept, gain) in found.items()
    ]

import re
from dataclasses import fields, replace
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from prunus.lab.analysis import (
    Effect,
    File,
    SessionResult,
    by_agent,
    least,
    lost_events,
    record,
    share,
    strategies,
    total,
)
from prunus.lab.findings import findings_of
from prunus.lab.page import PageSection, page
from prunus.lab.run import Measurement
from prunus.schedule.dollars import Money

MEASURED: dict[str, Any] = {
    **{field.name: 0 for field in fields(Measurement) if field.type in ("int", "float")},
    **{"session": "a", "agent": "codex", "model": "gpt-5", "policy": "balanced", "prices": "own"},
    **{
        "requests": 10,
        "unpruned_tokens": 1000,
        "tokens": 800,
        "unpruned": 500.0,
        "cost": 400.0,
        "effective": 420.0,
    },
    **{"lost": 1, "lines": 4, "lines_kept": 3, "soft": 8, "soft_kept": 8, "in_place": 6},
}
ROW = SessionResult(
    **MEASURED,
    path="a.jsonl",
    known=True,
    unpruned_cached=900,
    cached=700,
    own_breaks=2,
    strategies={"stale_reads": Effect(2, 200, 900, 50.0)},
)


def row(name: str, cost: float, unpruned: float = 500.0, agent: str = "codex", **effects: Effect) -> SessionResult:
    return replace(ROW, session=name, agent=agent, cost=cost, unpruned=unpruned, strategies=effects)


def test_sums_are_over_all_sessions_and_sessions_are_grouped_by_agent() -> None:
    rows = [row("a", 400), row("b", 300), row("c", 100, agent="pi")]
    assert (total(rows).cost, total(rows).requests, total(rows).hard) == (800.0, 30, 12)
    assert by_agent(rows) == {"codex": rows[:2], "pi": rows[2:]}


def test_strategies_are_summed_with_the_largest_saving_first() -> None:
    rows = [
        row("a", 1, old_errors=Effect(1, 10, 30, 1.5)),
        row("b", 1, old_errors=Effect(2, 5, 20, 2.0), stale_reads=Effect(1, 90, 90, 9.0)),
    ]
    assert list(strategies(rows).items()) == [
        ("stale_reads", Effect(1, 90, 90, 9.0)),
        ("old_errors", Effect(3, 15, 50, 3.5)),
    ]


def test_least_orders_by_savings_and_then_by_cost() -> None:
    rows = [row("good", 100), row("small", 50, 50), row("large", 900, 900), row("dearer", 510)]
    assert [one.session for one in least(rows, 3)] == ["dearer", "large", "small"]


def test_the_share_of_an_empty_whole_is_one() -> None:
    assert (share(1, 4), share(0, 0)) == (0.25, 1.0)


def test_a_record_is_plain_data() -> None:
    plain = msgspec.json.decode(msgspec.json.encode(record(ROW)))
    assert plain["strategies"] == {"stale_reads": {"edits": 2, "tokens": 200, "kept": 900, "saved": 50.0}}
    assert (plain["session"], plain["cost"], plain["unpruned"]) == ("a", 400.0, 500.0)
    assert (plain["effective"], plain["lost"], plain["in_place"], plain["soft_kept"]) == (420.0, 1, 6, 8)


def test_lost_events_are_per_thousand_requests_with_an_interval_over_sessions() -> None:
    kept = replace(ROW, lost=0, requests=30)
    rate = lost_events([ROW, kept])
    assert (rate.low, rate.value, rate.high) == (0.0, 25.0, 100.0)


def test_the_findings_tell_loss_beside_cost() -> None:
    found = findings_of([ROW], Money())
    assert "In 100.0 of 1,000 requests" in found.headline and "0.840 of not pruning" in found.headline
    [loss] = [section for section in found.sections if section.title == "Loss"]
    assert loss.lines == (("codex", "1", "100.0 (100.0-100.0)", "0.840", "0.750", "0.750"),)
    unharmed = replace(ROW, lost=0)
    assert "No answer edited lines that were cut." in findings_of([unharmed], Money()).headline


FILES = (
    File("a.jsonl", (ROW, row("<b>", 700, agent="pi", old_errors=Effect(1, 50, 70, 4.0))), skipped=3),
    File("b.jsonl", failure="b.jsonl: not a <session>"),
)
SECTION = PageSection("By agent", ("agent", "cost"), (("codex", "0.800"),), "A note.")


def charts(text: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def lengths(svg: ElementTree.Element, kind: str) -> list[float]:
    return [float(bar.attrib["width"].rstrip("%")) for bar in svg.findall(f"rect[@class='{kind}']")]


def test_the_page_draws_agents_strategies_and_sessions() -> None:
    drawn = [len(lengths(svg, "part")) for svg in charts(page(FILES, "Saved.", [SECTION]))]
    assert drawn == [1] * 8 + [2]


def test_bars_stay_inside_their_chart_and_higher_costs_cross_the_line() -> None:
    cheaper, dearer = charts(page(FILES, "Saved.", []))[:2]
    assert lengths(cheaper, "whole") == lengths(dearer, "whole")
    assert lengths(cheaper, "part") < lengths(cheaper, "whole") < lengths(dearer, "part") <= [100]


def test_the_page_needs_nothing_else_and_escapes_names() -> None:
    text = page(FILES, "1 < 2", [SECTION], ["a note & more"])
    assert not re.search(r"https?:|<script|<link|@import|url\(", text)
    assert "<b>" not in text
    assert "1 &lt; 2" in text
    assert "not a &lt;session&gt;" in text
    assert "a.jsonl: 3" in text


def test_the_page_shows_cache_use_without_and_with_prunus() -> None:
    pair = charts(page(FILES, "Saved.", []))[4]
    [before], [after] = lengths(pair, "before"), lengths(pair, "part")
    assert before / after == pytest.approx((900 / 1000) / (700 / 800), rel=0.01)


def test_a_page_without_sessions_has_no_charts() -> None:
    assert charts(page([], "Nothing.", [])) == []

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from prunus.engine import Tally
from prunus.lab.analysis import (
    File,
    Row,
    Total,
    analyse,
    by_agent,
    least,
    measure,
    record,
    share,
    strategies,
    total,
)
from prunus.lab.page import Section, page
from tests.lab.talk import Step, chat_messages, reads

ROW = Row(
    "a.jsonl",
    "a",
    "codex",
    "gpt-5",
    True,
    Total(1, 10, 1000, 800, 500.0, 400.0, 900, 700, 2, 4, 3, 8, 8),
    {"stale_reads": Tally(2, 200)},
)


def row(name: str, cost: float, unpruned: float = 500.0, agent: str = "codex", **tallies: Tally) -> Row:
    return replace(
        ROW,
        session=name,
        agent=agent,
        total=replace(ROW.total, cost=cost, unpruned=unpruned),
        strategies=tallies,
    )


def rewrites(count: int) -> list[Step]:
    """Files that are read and then written as a whole: each read is wrong after that."""
    steps: list[Step] = []
    for n, read in enumerate(reads(count, lines=120)):
        path = read[1]["file_path"]
        steps += [read, ("Write", {"file_path": path, "content": f"part {n}\n" * 40}, "The file has been updated.")]
    return steps


def recorded(path: Path, steps: list[Step]) -> Path:
    """What an agent asked and was told, by an unknown model."""
    path.write_text(json.dumps(chat_messages(steps)))
    return path


def claude(path: Path, steps: list[Step], model: str, gap: int | None = None) -> Path:
    """The same as Claude Code keeps it, with seconds between the requests if given."""
    lines: list[dict[str, Any]] = []

    def add(message: dict[str, Any]) -> None:
        number = len(lines)
        time = {} if gap is None else {"timestamp": datetime.fromtimestamp(number * gap / 2, UTC).isoformat()}
        parent = f"l{number - 1}" if number else None
        known = {"type": message["role"], "uuid": f"l{number}", "parentUuid": parent, "message": message}
        lines.append({**known, "sessionId": "s", "isSidechain": False, **time})

    add({"role": "user", "content": "Please see to it."})
    for n, (tool, given, answer) in enumerate(steps):
        call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        add({"role": "assistant", "id": f"m{n}", "model": model, "usage": {}, "content": [call]})
        add({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": answer}]})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_a_session_with_old_reads_is_sent_shorter_by_the_strategy_that_found_them(tmp_path: Path) -> None:
    (one,) = measure(recorded(tmp_path / "a.json", rewrites(12))).rows
    assert one.total.tokens < one.total.unpruned_tokens
    assert one.total.cost < one.total.unpruned
    assert sum(tally.tokens for tally in one.strategies.values()) > 0
    assert (one.total.refused, one.total.invalid) == (0, 0)


def test_a_session_of_words_costs_what_it_cost(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    for n in range(5):
        messages += [
            {"role": "user", "content": f"Question {n}?"},
            {"role": "assistant", "content": f"Answer {n}."},
        ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(messages))
    (one,) = measure(path).rows
    assert (one.total.tokens, one.total.cost) == (one.total.unpruned_tokens, one.total.unpruned)
    assert (one.total.breaks, one.strategies) == (0, {})
    assert one.total.cached == one.total.unpruned_cached


@pytest.mark.parametrize(("gap", "warm"), [(10, True), (4000, False)])
def test_only_a_warm_cache_is_read_or_broken(tmp_path: Path, gap: int, warm: bool) -> None:
    (one,) = measure(claude(tmp_path / "a.jsonl", rewrites(12), "claude-sonnet-4-5", gap)).rows
    assert one.total.tokens < one.total.unpruned_tokens
    assert (one.total.breaks > 0, one.total.cached > 0, one.total.unpruned_cached > 0) == (warm, warm, warm)


def test_a_model_without_a_price_is_marked(tmp_path: Path) -> None:
    assert not measure(recorded(tmp_path / "a.json", reads(3))).rows[0].known


def test_a_session_is_paid_at_the_price_of_its_own_model(tmp_path: Path) -> None:
    costs = {}
    for model in ("claude-sonnet-4-5", "gpt-5"):
        (one,) = measure(claude(tmp_path / f"{model}.jsonl", reads(6, lines=200), model)).rows
        assert (one.agent, one.model, one.known) == ("claude-code", model, True)
        costs[model] = one.total.unpruned
    # A write costs nothing extra at the second one.
    assert costs["gpt-5"] < costs["claude-sonnet-4-5"]


@pytest.mark.parametrize("data", [b"", b"\x1f\x8bnot gzip", b"\x00\x01", b'{"a": 1}', b"[[[["])
def test_a_file_that_cannot_be_read_is_named_and_not_fatal(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    found = measure(path)
    assert str(path) in found.failure
    assert found.rows == ()


def test_files_come_back_in_their_order_from_one_core_or_two(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = [recorded(tmp_path / f"{name}.json", reads(count)) for name, count in (("a", 3), ("b", 9), ("c", 5))]
    found = analyse(paths)
    assert [one.path for one in found] == [str(path) for path in paths]
    assert "3 of 3 files" in capfd.readouterr().err
    assert found == analyse(paths, workers=1, quiet=True)
    assert capfd.readouterr().err == ""


def test_sums_are_over_all_sessions_and_over_those_of_an_agent() -> None:
    rows = [row("a", 400), row("b", 300), row("c", 100, agent="pi")]
    assert (total(rows).sessions, total(rows).cost, total(rows).requests) == (3, 800.0, 30)
    agents = by_agent(rows)
    assert list(agents) == ["codex", "pi"]
    assert (agents["codex"].sessions, agents["codex"].cost) == (2, 700.0)
    assert total([]) == Total()


def test_strategies_are_summed_with_the_largest_saving_first() -> None:
    rows = [row("a", 1, old_errors=Tally(1, 10)), row("b", 1, old_errors=Tally(2, 5), stale_reads=Tally(1, 90))]
    assert list(strategies(rows).items()) == [("stale_reads", Tally(1, 90)), ("old_errors", Tally(3, 15))]


def test_the_least_gain_comes_first_and_among_equals_the_dearest() -> None:
    rows = [row("good", 100), row("small", 50, 50), row("large", 900, 900), row("dearer", 510)]
    assert [one.session for one in least(rows, 3)] == ["dearer", "large", "small"]


def test_a_share_of_nothing_is_all_of_it() -> None:
    assert (share(1, 4), share(0, 0)) == (0.25, 1.0)


def test_a_record_is_plain_data() -> None:
    plain = msgspec.json.decode(msgspec.json.encode(record(ROW)))
    assert plain["strategies"] == {"stale_reads": {"count": 2, "tokens": 200}}
    assert (plain["session"], plain["cost"], plain["unpruned"]) == ("a", 400.0, 500.0)


FILES = (
    File("a.jsonl", (ROW, row("<b>", 700, agent="pi", old_errors=Tally(1, 50))), skipped=3),
    File("b.jsonl", failure="b.jsonl: not a <session>"),
)
SECTION = Section("By agent", ("agent", "cost"), (("codex", "0.800"),), "A note.")


def charts(text: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def test_the_page_draws_agents_strategies_and_sessions() -> None:
    bars = [len(svg.findall("rect[@class='part']")) for svg in charts(page(FILES, "Saved.", [SECTION]))]
    assert bars == [2, 2, 2, 2]


def test_bars_stay_inside_their_chart_and_dearer_ones_pass_the_line() -> None:
    cost = charts(page(FILES, "Saved.", []))[0]
    line = cost.find("line")
    assert line is not None
    even = float(line.attrib["x1"])
    cheaper, dearer = (
        float(bar.attrib["x"]) + float(bar.attrib["width"]) for bar in cost.findall("rect[@class='part']")
    )
    assert cheaper < even < dearer <= 760


def test_the_page_needs_nothing_else_and_escapes_names() -> None:
    text = page(FILES, "1 < 2", [SECTION], ["a note & more"])
    assert not re.search(r"https?:|<script|<link|@import|url\(", text)
    assert "<b>" not in text
    assert "1 &lt; 2" in text
    assert "not a &lt;session&gt;" in text
    assert "a.jsonl: 3" in text


def test_the_page_of_nothing_has_no_charts() -> None:
    assert charts(page([], "Nothing.", [])) == []

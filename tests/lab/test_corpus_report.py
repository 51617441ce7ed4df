import random
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from prunus.errors import FormatError
from prunus.lab.corpus_report import CorpusReport, CorpusRow, report_files, write_rows
from prunus.lab.summary import summarise

duckdb = pytest.importorskip("duckdb", reason="needs prunus[fleet]")

ROW = CorpusRow(
    session="a", agent="pi", policy="mask:10", prices="own", requests=50, cost=60.0, unpruned=100.0,
    effective=65.0, tokens=40, unpruned_tokens=80, peak=10, unpruned_peak=20, breaks=5, flushes=4, undeclared=5,
    cold=0, invalid=0, lines=10, lines_kept=9, files=5, files_kept=5, soft=20, soft_kept=19,
    in_place=18, lost=1, fold=0, model="gpt-5.6", path="a.json",
)  # fmt: skip


def drawn(count: int) -> list[CorpusRow]:
    """Rows of many conversations under two policies, in the order of one run."""
    rng = random.Random(5)
    found = []
    for n in range(count):
        unpruned = rng.uniform(1e3, 1e7)
        more = {"session": f"s{n}", "path": f"s{n}.json", "model": rng.choice(("gpt-5.6", "claude-sonnet-4-5"))}
        for place, policy in enumerate(("none", "balanced")):
            cost = unpruned * (1 if policy == "none" else rng.uniform(0.3, 1.1))
            lost = rng.choice((0, 0, 0, 0, 1, 2)) if policy == "balanced" else 0
            row = replace(
                ROW, policy=policy, place=place, cost=cost, unpruned=unpruned, effective=cost * 1.01, lost=lost
            )
            found.append(replace(row, requests=rng.randint(5, 300), **more))
    return found


@pytest.mark.parametrize("count", [40, 2_500])
@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_shards_in_any_order_give_the_report_of_one_run_to_the_digit(
    tmp_path: Path, count: int, suffix: str
) -> None:
    rows = drawn(count)
    whole = CorpusReport()
    for row in rows:
        whole.add([row])
    random.Random(1).shuffle(rows)
    for k in range(4):
        write_rows(tmp_path / f"{k}{suffix}", rows[k::4])
    merged = report_files([tmp_path / f"{k}{suffix}" for k in (2, 0, 3, 1)])
    assert merged.summaries() == whole.summaries()
    assert merged.places == whole.places
    assert merged.summaries() == summarise(sorted(rows, key=lambda row: row.place))


def test_many_conversations_have_the_interval_that_resampling_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row in drawn(1_500) if row.policy == "balanced"]
    [resampled] = summarise(rows)
    monkeypatch.setattr("prunus.lab.cost._RESAMPLED", 0)
    [normal] = summarise(rows)
    assert normal.lost.value == resampled.lost.value
    width = resampled.lost.high - resampled.lost.low
    assert abs(normal.lost.low - resampled.lost.low) < width / 10
    assert abs(normal.lost.high - resampled.lost.high) < width / 10


def test_dollars_are_those_of_models_with_a_price(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.parquet", [ROW, replace(ROW, model="nobody knows", cost=1.0)])
    report = report_files([tmp_path / "rows.parquet"])
    assert report.dollars("own", {"gpt-5.6": 2.0, "nobody knows": None}) == {"mask:10": (200.0, 120.0)}


def test_failures_are_counted_and_make_no_line(tmp_path: Path) -> None:
    failed = replace(ROW, policy="", failure="damaged", short=2, skipped=3)
    write_rows(tmp_path / "rows.parquet", [ROW, failed, replace(failed, failure="")])
    report = report_files([tmp_path / "rows.parquet"])
    assert (report.failed, report.short, report.skipped) == (1, 4, 6)
    assert len(report.summaries()) == 1


@pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"a": 1')
    with pytest.raises(FormatError, match="these are no rows"):
        report_files([tmp_path / name])


@pytest.mark.parametrize("name", ["4.parquet", "4.jsonl", "talk.jsonl"])
def test_the_file_without_rows_is_named(tmp_path: Path, name: str) -> None:
    files = [tmp_path / other for other in ("1.jsonl", "2.parquet", "3.parquet")]
    for path in files:
        write_rows(path, [ROW])
    wrong = tmp_path / name
    if name == "talk.jsonl":
        wrong.write_text('{"role": "user"}\n')
    elif name == "4.jsonl":
        wrong.write_text('{"session": ["x"], "cost": "y"}\n')
    else:
        duckdb.sql(f"COPY (SELECT 1 AS session) TO '{wrong}' (FORMAT parquet)")
    for order in ([*files, wrong], [wrong, *files]):
        with pytest.raises(FormatError, match=f"{name}: these are no rows"):
            report_files(order)


def test_thousands_of_files_are_added_up_in_seconds(tmp_path: Path) -> None:
    write_rows(tmp_path / "0.parquet", [ROW])
    for number in range(1, 3_000):
        (tmp_path / f"{number}.parquet").hardlink_to(tmp_path / "0.parquet")
    began = time.process_time()
    [summary] = report_files(sorted(tmp_path.iterdir())).summaries()
    assert summary.conversations == 3_000
    assert time.process_time() - began < 8


def test_a_file_name_may_contain_a_quote(tmp_path: Path) -> None:
    path = tmp_path / "o'clock.parquet"
    write_rows(path, [ROW])
    assert len(report_files([path]).summaries()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
@pytest.mark.parametrize("name", ["a[1]", "a*", "a?"])
def test_a_file_name_that_looks_like_a_pattern_means_its_file(tmp_path: Path, name: str, suffix: str) -> None:
    write_rows(tmp_path / f"a1{suffix}", [ROW] * 5)
    write_rows(tmp_path / f"{name}{suffix}", [ROW])
    [summary] = report_files([tmp_path / f"{name}{suffix}"]).summaries()
    assert summary.conversations == 1

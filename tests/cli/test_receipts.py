import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus.store import open_store
from tests.store.samples import exchange, receipt

Run = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    store.record("", exchange("11aa"), [receipt("aaaaaa", 2), receipt("bbbbbb", 4)])
    store.record("", exchange("22bb", 2), [receipt("cccccc", 2, strategy="old_errors")])
    store.record("", exchange("33cc", 3))
    store.close()
    return url


def test_receipts_of_all_sessions_newest_first(run: Run, url: str) -> None:
    lines = run("receipts", "--store", url).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["cccccc", "aaaaaa", "bbbbbb"]
    assert lines[1].split() == [
        "cccccc", "22bb", "2", "3", "Read", "note", "100", "90", "0", "old_errors", "read", "again",
    ]  # fmt: skip
    assert "prunus restore ID" in lines[-1]


def test_receipts_of_one_session(run: Run, url: str) -> None:
    found = json.loads(run("receipts", "11", "--store", url, "--json").stdout)
    assert [one["id"] for one in found] == ["aaaaaa", "bbbbbb"]
    assert {one["conversation"] for one in found} == {"11aa"}


def test_receipts_says_that_nothing_was_cut(run: Run, url: str) -> None:
    assert run("receipts", "33", "--store", url).stdout == "Nothing was cut yet.\n"


def test_receipts_shows_the_newest_fifty_without_all(run: Run, url: str) -> None:
    store = open_store(url)
    store.record("", exchange("44dd", 9), [receipt(f"{n:06x}", n) for n in range(60)])
    store.close()
    assert len(run("receipts", "44", "--store", url).stdout.splitlines()) == 52
    assert len(run("receipts", "44", "--all", "--store", url).stdout.splitlines()) == 62


def test_receipts_marks_the_edits_of_shadow_runs(run: Run, url: str) -> None:
    store = open_store(url)
    store.record("", exchange("44dd", 4, shadow=True), [receipt("dddddd", 2)])
    store.close()
    lines = run("receipts", "--store", url).stdout.splitlines()
    assert ["(shadow)" in line for line in lines[1:-1]] == [True, False, False, False]
    assert (
        lines[-1]
        == "`prunus restore ID` shows what was cut. Of shadow runs: nothing was cut, this would have been."
    )
    last = run("receipts", "44", "--store", url).stdout.splitlines()[-1]
    assert last == "Of shadow runs: nothing was cut, this would have been."
    found = json.loads(run("receipts", "--store", url, "--json").stdout)
    assert [one["shadow"] for one in found] == [True, False, False, False]
    refused = run("restore", "dddddd", "--store", url)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "dddddd is of a shadow run: it was not cut" in refused.stderr

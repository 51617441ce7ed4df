import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from prunus.store import open_store
from tests.store.samples import exchange, receipt

Run = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with two sessions."""
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    store.record("", exchange("c1"), [receipt("aaaaaa")])
    store.record("", exchange("c2", 2))
    store.close()
    return url


def test_store_info_shows_the_place_and_the_size_of_the_store(run: Run, url: str) -> None:
    shown = run("store", "info", "--store", url).stdout
    assert url in shown
    rows = dict(line.split(maxsplit=1) for line in shown.splitlines())
    assert (rows["conversations"], rows["requests"], rows["receipts"]) == ("2", "2", "1")
    assert rows["size"].endswith("of it free")


def test_store_info_counts_a_single_day(run: Run, url: str) -> None:
    Path("prunus.toml").write_text(f'[store]\nurl = "{url}"\ndays = 1\n', encoding="utf-8")
    assert "1 day after the last request" in run("store", "info").stdout


def test_info_comes_as_json(run: Run, url: str) -> None:
    found = json.loads(run("store", "info", "--store", url, "--json").stdout)
    assert (found["url"], found["conversations"], found["originals"]) == (url, 2, 1)


def test_clear_asks_first(run: Run, url: str) -> None:
    refused = run("store", "clear", "--store", url, given=b"n\n")
    assert refused.exit_code == 1
    assert json.loads(run("store", "info", "--store", url, "--json").stdout)["conversations"] == 2
    agreed = run("store", "clear", "--store", url, given=b"y\n")
    assert "Removed 2 conversations and 1 receipt." in agreed.stdout
    assert json.loads(run("store", "info", "--store", url, "--json").stdout)["conversations"] == 0


def test_clear_asks_nothing_with_yes(run: Run, url: str) -> None:
    assert json.loads(run("store", "clear", "--yes", "--store", url, "--json").stdout) == {
        "conversations": 2,
        "receipts": 1,
    }


def test_vacuum_says_how_much_it_gave_back(run: Run, url: str) -> None:
    assert " now" in run("store", "vacuum", "--store", url).stdout
    sizes = json.loads(run("store", "vacuum", "--store", url, "--json").stdout)
    assert sizes["after"] <= sizes["before"]


@pytest.mark.parametrize(
    "command",
    [("store", "info"), ("store", "vacuum"), ("store", "clear"), ("stats",), ("sessions",), ("receipts",)],
)
def test_a_missing_store_is_reported_and_not_created(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "none" / "prunus.db"
    result = run(*command, "--store", f"sqlite:///{path}")
    assert result.exit_code == 0
    assert f"Nothing is stored yet in sqlite:///{path}" in result.stdout
    assert "prunus run claude" in result.stdout
    assert not path.parent.exists()
    json.loads(run(*command, "--store", f"sqlite:///{path}", "--json").stdout)


@pytest.mark.parametrize("command", ["stats", "sessions", "receipts"])
def test_store_info_says_that_the_store_is_off(run: Run, command: str) -> None:
    assert "The store is off" in run(command, "--store", "off").stdout


def test_the_store_of_the_settings_is_the_default(run: Run, url: str) -> None:
    Path("prunus.toml").write_text(f'[store]\nurl = "{url}"\n')
    assert url in run("store", "info").stdout


@pytest.mark.parametrize(
    "command", [("store", "info"), ("stats",), ("sessions",), ("receipts",), ("restore", "aaa")]
)
def test_a_file_that_is_no_store_is_an_error_and_stays(run: Run, file: str, command: tuple[str, ...]) -> None:
    before = Path(file).read_bytes()
    result = run(*command, "--store", f"sqlite:///{file}")
    assert result.exit_code == 2
    assert f"the store {file} is not a database" in result.stderr
    assert Path(file).read_bytes() == before


def test_a_wrong_url_is_an_error(run: Run) -> None:
    result = run("sessions", "--store", "mongo://x")
    assert result.exit_code == 2
    assert "expected sqlite:///PATH" in result.stderr


def test_tenants_are_chosen_by_name(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    store = open_store(url)
    for tenant in ("anna", "bert"):
        store.record(tenant, exchange(f"of-{tenant}"))
    store.close()
    assert "of-anna" in run("sessions", "--store", url, "--tenant", "anna").stdout
    assert "of-bert" not in run("sessions", "--store", url, "--tenant", "anna").stdout
    unsaid = run("sessions", "--store", url)
    assert unsaid.exit_code == 2
    assert "--tenant: anna, bert" in unsaid.stderr
    assert "no tenant 'carl'" in run("sessions", "--store", url, "--tenant", "carl").stderr


def test_info_reads_a_store_in_use(run: Run, url: str) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert run("sessions", "--store", url).exit_code == 0


def ids(url: str) -> list[str]:
    with closing(open_store(url)) as store:
        return [one.id for one in store.conversations("")]


def test_forget_lists_the_session_and_asks_first(run: Run, url: str) -> None:
    refused = run("store", "forget", "c1", "--store", url, given=b"n\n")
    assert refused.exit_code == 1
    assert "  c1  " in refused.stdout
    assert ids(url) == ["c2", "c1"]
    agreed = run("store", "forget", "C1", "--store", url, given=b"y\n")
    assert "Removed 1 session." in agreed.stdout
    assert ids(url) == ["c2"]


def test_forget_needs_an_id_that_names_one_session(run: Run, url: str) -> None:
    assert "several sessions begin with c" in run("store", "forget", "c", "--yes", "--store", url).stderr
    assert "no session x" in run("store", "forget", "x", "--yes", "--store", url).stderr
    assert ids(url) == ["c2", "c1"]


def test_forget_by_age_leaves_newer_sessions(run: Run, url: str) -> None:
    with closing(open_store(url)) as store:
        store.record("", exchange("new", time=time.time()))
        store.save_hidden("", "k", b"1")
    tried = run("store", "forget", "--older-than", "30d", "--dry-run", "--store", url)
    assert "2 sessions would be removed." in tried.stdout
    assert len(ids(url)) == 3
    done = run("store", "forget", "--older-than", "30d", "--yes", "--json", "--store", url)
    assert json.loads(done.stdout) == {"conversations": 2}
    assert ids(url) == ["new"]
    with closing(open_store(url)) as store:
        assert store.hidden("", ["k"]) == {"k": b"1"}
        assert store.totals("").requests == 3


def test_forgotten_words_are_no_longer_in_the_file(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/prunus.db"
    with closing(open_store(url)) as store:
        store.record("", exchange("c1", error="VERY PRIVATE"), [receipt("aaaaaa")])
        store.record("", exchange("c2", time=time.time()))
    assert b"VERY PRIVATE" in (tmp_path / "prunus.db").read_bytes()
    run("store", "forget", "c1", "--yes", "--store", url)
    assert not any(b"VERY PRIVATE" in file.read_bytes() for file in tmp_path.glob("prunus.db*"))


@pytest.mark.parametrize("words", [(), ("c1", "--older-than", "3d"), ("--older-than", "soon")])
def test_forget_wants_ids_or_an_age(run: Run, url: str, words: tuple[str, ...]) -> None:
    assert run("store", "forget", *words, "--store", url).exit_code == 2
    assert ids(url) == ["c2", "c1"]

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from prunus.store import open_store
from tests.store.samples import exchange, receipt

Run = Callable[..., Result]


def filled(tmp_path: Path, count: int) -> str:
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    for n in range(count):
        store.record("", exchange(f"c{n:02}", n + 1), [receipt("aaaaaa")])
    store.close()
    return url


def test_sessions_are_listed_newest_first(run: Run, tmp_path: Path) -> None:
    lines = run("sessions", "--store", filled(tmp_path, 3)).stdout.splitlines()
    assert lines[0].split() == ["session", "last", "client", "model", "requests", "tokens", "sent", "cuts", "saved"]
    assert [line.split()[0] for line in lines[1:]] == ["c02", "c01", "c00"]
    assert lines[1].split()[3:] == ["claude", "claude-sonnet-4-5", "1", "1K", "800", "1", "<$0.01", "20%"]


def test_sessions_shows_the_newest_twenty_without_all(run: Run, tmp_path: Path) -> None:
    url = filled(tmp_path, 25)
    shown = run("sessions", "--store", url).stdout.splitlines()
    assert len(shown) == 22
    assert "--all" in shown[-1]
    assert len(run("sessions", "--all", "--store", url).stdout.splitlines()) == 26
    assert len(json.loads(run("sessions", "--all", "--json", "--store", url).stdout)) == 25


def test_json_has_every_number(run: Run, tmp_path: Path) -> None:
    [found] = json.loads(run("sessions", "--json", "--store", filled(tmp_path, 1)).stdout)
    assert (found["id"], found["receipts"], found["cost"], found["cost_unpruned"]) == ("c00", 1, 400.0, 500.0)

"""`prunus sweep` queues a command that the next request carries out."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus.store import Exchange, open_store


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'prunus.db'}"
    store = open_store(url)
    for number, id in enumerate(("aaaa1111", "bbbb2222")):
        store.record(
            "", Exchange(id, 1, 100.0 + number, "claude", model="claude-x", tokens_after=1_000, status=200)
        )
    store.close()
    return url


def asked(url: str, conversation: str) -> tuple[str, ...]:
    store = open_store(url)
    try:
        return store.asked("", conversation)
    finally:
        store.close()


def test_sweep_takes_the_newest_session_unless_one_is_named(run: Callable[..., Result], url: str) -> None:
    result = run("sweep", "5", "--store", url)
    assert result.exit_code == 0 and "bbbb2222" in result.output and "the newest 5 results" in result.output
    assert asked(url, "bbbb2222") == ("sweep 5",)
    run("sweep", "--session", "aaaa", "--store", url)
    assert asked(url, "aaaa1111") == ("sweep",)


def test_sweep_prints_json(run: Callable[..., Result], url: str) -> None:
    assert json.loads(run("sweep", "--json", "--store", url).output) == {"session": "bbbb2222", "asked": "sweep"}


def test_an_unknown_session_is_named(run: Callable[..., Result], url: str) -> None:
    result = run("sweep", "--session", "cccc", "--store", url)
    assert result.exit_code == 2 and "no session cccc" in result.output


def test_an_empty_store_says_what_to_do(run: Callable[..., Result], tmp_path: Path) -> None:
    result = run("sweep", "--store", f"sqlite:///{tmp_path / 'none.db'}")
    assert result.exit_code == 2 and "prunus run claude" in result.output


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_a_wrong_number_is_refused(run: Callable[..., Result], url: str, count: str) -> None:
    assert run("sweep", "--store", url, "--", count).exit_code == 2
    assert asked(url, "bbbb2222") == ()

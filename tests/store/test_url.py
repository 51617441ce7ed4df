"""Store URLs and the files they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from prunus.errors import SettingsError
from prunus.store import default_path, open_store
from prunus.store.url import without_password
from tests.store import postgres_server, redis_server
from tests.store.samples import exchange

POSTGRES: Final = "postgresql://127.0.0.1:1/db"


def given(url: str) -> None:
    """Skip a test if the driver for an address is not installed."""
    missing = postgres_server.missing() if url.startswith("postgresql") else redis_server.missing()
    if missing:
        pytest.skip(missing)


def test_the_default_is_a_file_in_the_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store = open_store()
    store.record("", exchange())
    assert default_path().is_file()
    assert store.info().url == f"sqlite:///{default_path()}"
    store.close()


@pytest.mark.parametrize("url", ["sqlite:///some.db", "sqlite:///~/some.db", "sqlite:///{tmp}/some.db"])
def test_a_path_may_be_relative_absolute_or_in_the_home(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    store = open_store(url.format(tmp=tmp_path))
    store.record("", exchange())
    store.close()
    assert (tmp_path / "some.db").is_file()


@pytest.mark.parametrize("name", ["with space.db", "100%.db", "what?.db", "a#b.db"])
def test_the_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/{name}")
    store.record("", exchange())
    assert store.totals("").requests == 1
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("url", ["postgres://host/db", "/tmp/some.db", "sqlite://", "sqlite:///", "on"])
def test_another_url_is_refused_with_what_is_expected(url: str) -> None:
    with pytest.raises(SettingsError, match=r"store\.url.*expected sqlite:///PATH"):
        open_store(url)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/prunus", "redis://127.0.0.1:1/0/1", "rediss://127.0.0.1:1/x"])
def test_the_database_of_a_redis_server_has_a_number(url: str) -> None:
    """The driver would silently use database 0."""
    given(url)
    with pytest.raises(SettingsError, match="expected redis://HOST:PORT/NUMBER"):
        open_store(url)


@pytest.mark.parametrize("password", ["plum@word", "plum/word", "plum:wo/rd", "plum?wo/rd"])
def test_a_password_that_the_driver_would_take_as_a_host_or_port_is_refused(password: str) -> None:
    given(POSTGRES)
    with pytest.raises(SettingsError, match="write @ as %40") as refused:
        open_store(f"postgresql://anna:{password}@127.0.0.1:1/db")
    assert "plum" not in str(refused.value)


@pytest.mark.parametrize("password", ["plumword", "plum?word", "plum:word", "plum#word", "plum%40word"])
def test_an_address_is_shown_without_its_password(password: str) -> None:
    given(POSTGRES)
    url = f"postgresql://anna:{password}@127.0.0.1:1/db?connect_timeout=2"
    assert without_password(url) == "postgresql://anna@127.0.0.1:1/db"
    open_store(url).close()


@pytest.mark.parametrize(
    "place",
    ["", "/db", "host", "host:5432/db", "a:1,b:2/db", "[::1]:5432/db", "%2Frun/db", "/db?host=/run&user=a@b"],
)
def test_an_address_may_have_any_hosts(place: str) -> None:
    given(POSTGRES)
    open_store(f"postgresql://{place}").close()

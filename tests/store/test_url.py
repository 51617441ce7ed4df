"""Store URLs and the files they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from prunus.errors import SettingsError
from prunus.store import default_path, open_store
from tests.store.samples import exchange


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

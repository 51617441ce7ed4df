"""No command shows the password of a store, neither when it works nor when the server does not answer."""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from click.testing import Result

from tests.proxy.provider import Provider, behind
from tests.proxy.test_store_faults import play
from tests.store import postgres_server, redis_server

Run = Callable[..., Result]

POSTGRES: Final = "postgresql://anna:plumword@127.0.0.1:1/db"
OPTION: Final = "postgresql://127.0.0.1:1/db?user=anna&password=plumword"
REDIS: Final = "redis://anna:plumword@127.0.0.1:1/0"
_MISSING: Final = {"postgresql": postgres_server.missing(), "redis": redis_server.missing()}


def given(url: str) -> str:
    """The address of a server that does not exist, if its driver is installed."""
    missing = _MISSING[url.partition(":")[0]]
    if missing:
        pytest.skip(missing)
    return url


@pytest.mark.parametrize("url", [POSTGRES, REDIS])
@pytest.mark.parametrize(
    "words", [("store", "info"), ("doctor",), ("config", "show"), ("config", "show", "--json"), ("proxy", "--help")]
)
def test_a_command_does_not_show_the_password(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "here" / "prunus.toml").write_text(f'[store]\nurl = "{given(url)}"\n')
    shown = run(*words)
    assert "plumword" not in shown.output
    assert "plumword" not in shown.stderr


@pytest.mark.parametrize("url", [POSTGRES, OPTION, REDIS])
def test_the_log_of_a_proxy_does_not_show_the_password(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Provider() as provider, behind(provider, store={"url": given(url)}) as proxy:
        assert play(proxy.url, 2, 4) == [200, 200]
    assert "does not answer" in caplog.text
    assert "plumword" not in caplog.text


@pytest.mark.parametrize("url", [POSTGRES, REDIS])
def test_a_started_proxy_does_not_show_the_password(
    spawn: Callable[..., subprocess.Popen[bytes]], url: str
) -> None:
    """Nor does a driver write lines of its own between the JSON objects of the log."""
    process = spawn("proxy", "--port", "0", "--store", given(url), "-v", "--set", "proxy.log=json")
    assert process.stderr is not None
    said = [process.stderr.readline()]
    while said[-1] and b"listens on" not in said[-1]:
        said.append(process.stderr.readline())
    process.terminate()
    said += process.communicate()
    assert any(b"listens on" in line for line in said)
    assert b"plumword" not in b"".join(said)
    assert all(json.loads(line) for line in b"".join(said).splitlines())

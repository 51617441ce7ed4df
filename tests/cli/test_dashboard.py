"""`prunus dashboard` finds the proxy, and lets the browser in."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from prunus.cli import main
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind

Spawn = Callable[..., "subprocess.Popen[bytes]"]


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["dashboard", *words])
    return result.exit_code, result.output


def test_the_address_of_a_running_proxy_is_printed() -> None:
    with Provider() as provider, behind(provider) as proxy:
        code, said = run("--no-open", "--port", proxy.url.rpartition(":")[2])
    assert (code, said.strip()) == (0, f"{proxy.url}/dashboard/")


def test_with_a_token_the_address_signs_in_once() -> None:
    with Provider() as provider, behind(provider, proxy={"token": "alpha, beta"}) as proxy:
        port = proxy.url.rpartition(":")[2]
        code, said = run("--no-open", "--port", port, "--set", "proxy.token=alpha")
        path = said.strip().removeprefix(proxy.url)
        assert code == 0 and "alpha" not in said and path.startswith("/dashboard/enter?code=")
        assert call(proxy.url, "GET", path).status == 303
        assert call(proxy.url, "GET", path).status == 401
        code, said = run("--no-open", "--port", port, "--set", "proxy.token=wrong")
        assert code == 2 and "another token" in said


def test_the_browser_of_the_user_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spawn: Spawn) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with Provider() as provider, behind(provider, proxy={"token": "alpha"}) as proxy:
        port = proxy.url.rpartition(":")[2]
        said, _ = spawn("dashboard", "--port", port, "--set", "proxy.token=alpha").communicate()
        assert said.decode().strip() == f"Opened {proxy.url}/dashboard/ in the browser."
        path = opened.read_text().strip().removeprefix(proxy.url)
        assert call(proxy.url, "GET", path).status == 303


def test_the_dashboard_command_says_how_to_start_a_proxy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    code, said = run("--port", port)
    assert code == 2
    assert "`prunus proxy`" in said and port in said


def test_the_dashboard_command_recognises_that_another_server_answers() -> None:
    with Provider() as provider:
        code, said = run("--no-open", "--port", provider.url.rpartition(":")[2])
    assert code == 2
    assert "no proxy answers" in said

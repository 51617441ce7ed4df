"""New settings for a proxy that runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from tests.proxy.caller import PATIENCE, call, dial
from tests.proxy.provider import Provider
from tests.proxy.talk import body
from tests.proxy.test_grace import Held, read_until, workers

RAW = body("anthropic_messages")
PATH = "/v1/messages"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")


class Running:
    """A proxy in a process without a terminal, its settings file, and what it logs."""

    def __init__(self, folder: Path, provider: Provider, count: int, settings: str = "") -> None:
        self.file = folder / "prunus.toml"
        self.file.write_text(settings, encoding="utf-8")
        options = ["--port", "0", "--store", f"sqlite:///{folder / 'store.db'}", "--config", str(self.file)]
        options += ["--upstream", f"anthropic={provider.url}", "--set", f"proxy.workers={count}"]
        options += ["--preset", "acp", "--agent", "off", "--set", "proxy.deadline=600"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "prunus", "proxy", *options],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self.url = self.lines.get(timeout=PATIENCE).split()[3]

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as log:
            for line in log:
                self.lines.put(line)

    def kill(self) -> None:
        """End all processes."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        self._reader.join()

    def reload(self, settings: str) -> str:
        """Write the settings, send SIGHUP to all processes, and return what the log says of it."""
        self.file.write_text(settings, encoding="utf-8")
        os.killpg(self.process.pid, signal.SIGHUP)
        while "reloaded" not in (line := self.lines.get(timeout=PATIENCE)) and "restart" not in line:
            pass
        return line


@contextmanager
def running(folder: Path, provider: Provider, count: int, settings: str = "") -> Iterator[Running]:
    found = Running(folder, provider, count, settings)
    try:
        yield found
    finally:
        found.kill()


def shadow(provider: Provider) -> bool:
    """Whether the newest request went out unchanged."""
    return provider.asked[-1].body == RAW


def until(url: str, provider: Provider, want: bool) -> None:
    """Send requests until as many as there may be workers went out as wanted, one after the other."""
    found = 0
    while found < 12:
        assert call(url, "POST", PATH, RAW).status == 200
        found = found + 1 if shadow(provider) is want else 0
        time.sleep(0.01)


@workers
def test_new_settings_hold_in_all_workers(provider: Provider, tmp_path: Path, count: int) -> None:
    with running(tmp_path, provider, count) as proxy:
        until(proxy.url, provider, want=False)
        assert "the settings were reloaded" in proxy.reload("[proxy]\nshadow = true\n")
        until(proxy.url, provider, want=True)
        assert "the settings were reloaded" in proxy.reload("")
        until(proxy.url, provider, want=False)


@workers
def test_an_invalid_settings_file_keeps_the_old_settings_and_is_reported(
    provider: Provider, tmp_path: Path, count: int
) -> None:
    with running(tmp_path, provider, count, "[proxy]\nshadow = true\n") as proxy:
        line = proxy.reload("[proxy]\nshadow = 'perhaps'\n")
        assert "were not reloaded, the old ones stay" in line and "proxy.shadow" in line
        until(proxy.url, provider, want=True)


def test_a_changed_setting_that_needs_a_restart_is_named(provider: Provider, tmp_path: Path) -> None:
    with running(tmp_path, provider, 1) as proxy:
        line = proxy.reload("[proxy]\nhost = '::1'\nnames = ['mine']\n")
        assert line.endswith("only a restart puts it into force: proxy.host\n")
        while call(proxy.url, "GET", "/livez", headers=[("host", "mine")]).status != 200:
            time.sleep(0.05)


def test_a_reload_that_would_open_the_proxy_to_all_is_refused(provider: Provider, tmp_path: Path) -> None:
    with running(tmp_path, provider, 1, "[proxy]\nhost = '0.0.0.0'\ntoken = 'secret'\n") as proxy:
        assert "set proxy.token" in proxy.reload("")
        assert call(proxy.url, "POST", PATH, RAW).status == 401


def test_a_running_answer_is_finished_and_counters_go_on(tmp_path: Path) -> None:
    with Held() as held, running(tmp_path, held, 1) as proxy, dial(proxy.url, PATH, RAW) as line:
        read_until(line, b"first\n\n")
        proxy.reload("[proxy]\nshadow = true\n")
        held.release()
        assert read_until(line, b"0\r\n\r\n").endswith(b"data: last\n\n\r\n0\r\n\r\n")
        call(proxy.url, "POST", PATH, RAW)
        while (text := call(proxy.url, "GET", "/metrics").body.decode()).count('what="shadow"} 1.0') < 1:
            time.sleep(0.05)
        assert 'prunus_requests_total{format="anthropic_messages",what="pruned"} 1.0' in text


def test_a_conversation_keeps_its_bytes_over_a_reload(provider: Provider, tmp_path: Path) -> None:
    def play(first: int, last: int) -> None:
        for count in range(first, last):
            assert call(proxy.url, "POST", PATH, body("anthropic_messages", count)).status == 200

    with running(tmp_path, provider, 1) as proxy:
        play(2, 6)
        proxy.reload("notification = 'off'\n")
        play(6, 9)
    once = [asked.body for asked in provider.asked]
    provider.asked.clear()
    (tmp_path / "again").mkdir()
    with running(tmp_path / "again", provider, 1) as proxy:
        play(2, 9)
    assert [asked.body for asked in provider.asked] == once

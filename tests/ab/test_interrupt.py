"""Ctrl-C ends the agent at once; the next call makes the run again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from prunus.ab.exchanges import read_exchanges
from tests.ab.stage import AGENT, MODEL, compare, lay_out, script
from tests.upstream import Upstream


def test_an_interrupted_run_is_made_again(tmp_path: Path) -> None:
    folder = lay_out(tmp_path)
    with Upstream(script(reads=30)) as up:
        command = (
            sys.executable, "-m", "prunus", "ab", "--instances", str(folder), "--out", str(folder / "out"),
            "--agent", sys.executable, "--model", MODEL, "--upstream", f"openai={up.url}", "--budget", "5",
            "--", str(AGENT), "{model}", "{prompt}",
        )  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(
            command,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            # A test run that was started in the background ignores the signal, and its children would too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        while len(up.requests) < 5:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
        assert (process.returncode, told.splitlines()[-1]) == (130, "Interrupted: the same call goes on.")
        [stopped] = (folder / "out" / "runs" / "calc-1").iterdir()
        kept = len(list(read_exchanges(stopped)))
        assert 4 <= kept <= len(up.requests)
        done = compare(folder, up.url)
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (folder / "out" / "runs" / "calc-1").iterdir())
    assert names == ["1-behind", "1-without", "1-without.stopped-1"]

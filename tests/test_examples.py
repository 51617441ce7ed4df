"""The examples run as they are."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_agent_loop_runs_offline_and_sends_less_when_pruned() -> None:
    paths = os.pathsep.join([str(ROOT / "src"), *(path for path in sys.path if path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, str(ROOT / "examples" / "agent_loop.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    sent = {
        found[1].strip(): int(found[2].replace(",", ""))
        for found in re.finditer(r"^(\S.*?) +15 +([\d,]+) +[\d,]+$", done.stdout, re.M)
    }
    assert len(sent) == 4
    assert all(tokens < sent["no pruning"] * 0.6 for name, tokens in sent.items() if name != "no pruning")
    assert "Keep the last column (+1 -1" in done.stdout

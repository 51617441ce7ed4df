"""A process killed at any point leaves an intact store with every committed receipt."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os, random, signal, sqlite3, sys, time

from prunus.store import open_store
from tests.store.samples import edit, exchange, links, memo, receipt

url, rounds = sys.argv[1], int(sys.argv[2])
path = url.removeprefix("sqlite:///")
chance = random.Random(7)


def write(round, out):
    store = open_store(url, wait=30.0)
    memory = store.memory("")
    for n in range(100_000):
        name = f"c{round}-{n // 20}"
        memory.keep(memo(name, 2 * n + 2, (edit(n),)), links(2, f"{round}-{n}"), {})
        id = f"{round:03x}{n:05x}"
        store.record("", exchange(name, n, time=time.time()), [receipt(id, n, f"original of {id} " * 200)])
        os.write(out, f"{id}\\n".encode())


committed = []
awaited = 0
for round in range(rounds):
    into, out = os.pipe()
    child = os.fork()
    if not child:
        os.close(into)
        write(round, out)
    os.close(out)
    with os.fdopen(into) as lines:
        # The delay counts from some commit or the start, so that opening and migrating are killed too.
        commits = chance.randrange(1, 5) if round % 5 else 0
        seen = [lines.readline() for _ in range(commits)]
        awaited += commits
        time.sleep(chance.random() * 0.03)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        committed += [line.strip() for line in (*seen, *lines) if line.endswith("\\n")]
    check = sqlite3.connect(path) if os.path.exists(path) else None
    if check is not None:
        assert check.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        check.close()

store = open_store(url, existing=True, wait=30.0)
kept = {receipt.id: receipt.original for receipt in store.receipts("")}
missing = [id for id in committed if id not in kept]
assert not missing, missing
for id in committed:
    assert store.original("", kept[id]) == f"original of {id} " * 200
assert store.totals("").requests == len(kept)
store.close()
assert len(committed) >= awaited
print(len(committed))
"""


@pytest.mark.receipts
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork and no SIGKILL")
def test_kill_9_while_writing_loses_nothing(store_url: str) -> None:
    """50 times with a file. With a server 10 times, since `bench/kills.py` kills whole replicas."""
    rounds = 50 if store_url.startswith("sqlite") else 10
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{SCRIPT}"]
    run = subprocess.run([*command, store_url, str(rounds)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > rounds

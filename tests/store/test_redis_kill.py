"""kill -9 of replicas and of the Redis server: every request is as one process sends it, and every ledger is whole.

The requests of several conversations go to any replica. Between requests a replica or the server is killed and
started anew, 50 times in all.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from prunus import Pruner
from tests.laws.test_replicas import stepwise
from tests.store.redis_server import RedisServer, missing
from tests.store.test_outage import DEAR_READS

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

TALKS = (3, 7, 11)
"""The seeds of the conversations."""

REPLICA = """
import sys
from prunus import Pruner
from prunus.store import open_store
from tests.laws.test_replicas import stepwise
from tests.store.test_outage import DEAR_READS
store = open_store(sys.argv[1], wait=60.0)
pruner = Pruner(DEAR_READS, store.memory(""))
bodies = {seed: stepwise(seed) for seed in map(int, sys.argv[2:])}
for line in sys.stdin:
    seed, n = map(int, line.split())
    body = pruner.prune(bodies[seed][n], now=10.0 * n, owner=str(seed)).body
    sys.stdout.buffer.write(len(body).to_bytes(8) + body)
    sys.stdout.buffer.flush()
"""

WRITER = """
import os, random, signal, sys, time
from prunus.store import open_store
from tests.store.samples import edit, links, memo
url = sys.argv[1]
chance = random.Random(7)

def ledger(round, n):
    return memo("c1", 2_000 * round + 2 * n + 2, tuple(edit(k, f"round_{round}") for k in range(n % 60)))

def write(round, out):
    memory = open_store(url, wait=60.0).memory("")
    for n in range(900):
        kept = ledger(round, n)
        memory.keep(kept, links(2, f"{round}-{n}"), {})
        os.write(out, f"{n}\\n".encode())
    time.sleep(600)

for round in range(50):
    into, out = os.pipe()
    child = os.fork()
    if not child:
        os.close(into)
        write(round, out)
    os.close(out)
    with os.fdopen(into) as lines:
        said = [lines.readline() for _ in range(chance.randrange(1, 40))]
        time.sleep(chance.random() * 0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said += [line for line in lines if line.endswith("\\n")]
    store = open_store(url, wait=60.0)
    found = store.memory("").load("c1")
    store.close()
    last = int(said[-1])
    assert found in (ledger(round, last), ledger(round, last + 1)), (round, last)
"""


@contextmanager
def started(url: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Three replicas."""
    replicas = [start(url) for _ in range(3)]
    try:
        yield replicas
    finally:
        for replica in replicas:
            replica.kill()
            replica.communicate()


def start(url: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{REPLICA}", url, *map(str, TALKS)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(replica: subprocess.Popen[bytes], seed: int, n: int) -> bytes:
    assert replica.stdin is not None
    assert replica.stdout is not None
    replica.stdin.write(b"%d %d\n" % (seed, n))
    replica.stdin.flush()
    return replica.stdout.read(int.from_bytes(replica.stdout.read(8)))


def test_replicas_and_a_server_that_are_killed_50_times_send_what_one_process_sends(redis: RedisServer) -> None:
    chance = Random(5)
    steady = Pruner(DEAR_READS)
    bodies = {seed: stepwise(seed) for seed in TALKS}
    plan = [(seed, n) for n in range(len(bodies[TALKS[0]])) for seed in TALKS]
    kills = sorted(chance.sample(range(1, len(plan)), min(50, len(plan) - 1)))
    flushes = 0
    with started(redis.url) as replicas:
        for place, (seed, n) in enumerate(plan):
            if place in kills:
                if chance.random() < 0.5:
                    redis.kill()
                    redis.start()
                else:
                    which = chance.randrange(len(replicas))
                    replicas[which].kill()
                    replicas[which].communicate()
                    replicas[which] = start(redis.url)
            one = steady.prune(bodies[seed][n], now=10.0 * n, owner=str(seed))
            flushes += one.flush is not None
            assert ask(chance.choice(replicas), seed, n) == one.body, (seed, n)
    assert len(kills) == 50
    assert flushes > 3


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork and no SIGKILL")
def test_a_writer_that_is_killed_50_times_leaves_whole_ledgers(redis: RedisServer) -> None:
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{WRITER}", redis.url]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

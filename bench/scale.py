"""What several workers and replicas carry: requests per second, added latency, memory, and store traffic.

    python bench/scale.py                       all set-ups with 1,000 conversations at once, then 20,000 requests
    python bench/scale.py --only 1,2            some of them; nothing is written then
    python bench/scale.py --conversations 200 --turns 8 --only 1

Servers, the upstream and this client are processes on one machine. Each of the 1,000 conversations grows by one
tool call with every request, and the upstream streams 22 events. For each set-up all conversations first go as
fast as they are answered (`requests_s`, CPU per request of the servers). With so many waiting, some requests reach
`proxy.deadline` and are sent before Prunus has looked at them; `looked_s` counts only the others. `busy` is the
number of cores that the whole machine kept busy meanwhile: once it is near the number of cores that there are, more
workers cannot serve more. Once the servers are idle again, new conversations come at half of the latter rate, at
times that do not depend on the answers, so that Prunus looks at every request (`behind` says at how many it did
not). Conversations then begin and end all the time, so that short and long ones are under way side by side: if all
began together, they would all be new at one moment, and be cut at another. They go through Prunus and through a
bare pass-through in turns, in five rounds each, with the same times. The added latency is the median of the
differences of these rounds: median against median, and 99th percentile against 99th percentile. Times count from
when a request is due to its first event, so they contain what the client, the upstream and the processor keep it
waiting; that is why the bare pass-through is measured beside each round, and not once.
A conversation keeps its connection (sticky), or each of its requests takes any connection to any replica (random).
The store is SQLite for the workers of one host and Postgres or Redis for replicas; its traffic is what Postgres
writes to its log (WAL), what Redis receives, or what a process gives to the disk with SQLite. Postgres has its
default settings, and the files of its log are there before the load comes. The last part sends 20,000 requests of
2,000 conversations and looks at memory and open files. Compare figures of one run. Results land in
bench/results/scale.json.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxy import KB, cpu, free_port, running

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.store import postgres_server, redis_server

RESULTS = Path(__file__).parent / "results" / "scale.json"
HERE = Path(__file__).parent
PAUSE = 0.01
"""Seconds between two events of an answer."""
ROUNDS = 5
"""How often Prunus and the bare pass-through take turns at half load."""
IDLE = 30.0
"""Milliseconds of CPU in a second that idle servers use at most."""
SOURCE = "".join(f"    total_{n} = weigh(item, factor={n}) + rest  # the sides are in metres\\n" for n in range(52))
TOP = (
    b'{"model":"claude-sonnet-4-5","max_tokens":8000,"stream":true,"system":"Be brief.",'
    b'"tools":[{"name":"Read","description":"Read a file.","input_schema":{"type":"object"}},'
    b'{"name":"Bash","description":"Run a command.","input_schema":{"type":"object"}}],"messages":['
)


@dataclass(frozen=True)
class Setup:
    """A number of servers, and how requests find them."""

    name: str
    workers: int = 1
    replicas: int = 1
    sticky: bool = True
    store: str = "sqlite"


SETUPS = (
    Setup("1 worker"),
    Setup("2 workers", workers=2),
    Setup("4 workers", workers=4),
    Setup("3 replicas, sticky", replicas=3, store="postgres"),
    Setup("3 replicas, random", replicas=3, sticky=False, store="postgres"),
    Setup("3 replicas, sticky", replicas=3, store="redis"),
)
SERVERS = {"postgres": postgres_server, "redis": redis_server}


def turn(name: str, n: int) -> str:
    """A call with its result; every eighth one ends with new words of the user.

    Every third call is a command with a longer output, of which Prunus removes the middle before it is sent.
    """
    tool = f'"name":"Read","input":{{"file_path":"/srv/{n * 7 % 13}.py"}}'
    text = f"# {name} {n}\\n{SOURCE}"
    if n % 3 == 2:
        tool, text = '"name":"Bash","input":{"command":"make test"}', f"{text}{SOURCE}"
    call = f'{{"type":"tool_use","id":"t{n}",{tool}}}'
    result = f'{{"type":"tool_result","tool_use_id":"t{n}","content":"{text}"}}'
    words = f',{{"type":"text","text":"Now part {n} of it."}}' if n % 8 == 7 else ""
    return f'{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}{words}]}}'


def bodies(name: str, turns: int) -> Iterator[bytes]:
    """The requests of a conversation, each with one more call."""
    messages = [f'{{"role":"user","content":"Go on with {name}."}}'.encode()]
    for n in range(turns):
        yield TOP + b",".join(messages) + b"]}"
        messages.append(turn(name, n).encode())


class Line(asyncio.Protocol):
    """A connection to a server, for one request at a time."""

    _transport: Any
    _first: asyncio.Future[float]
    _end: asyncio.Future[None]
    _held: bytes
    closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    async def ask(self, body: bytes, key: str) -> float:
        """Send a request; return the time of its first event, once all have come."""
        loop = asyncio.get_running_loop()
        self._first, self._end, self._held = loop.create_future(), loop.create_future(), b""
        head = (
            f"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._transport.writelines([head.encode(), body])
        await self._end
        return self._first.result()

    def data_received(self, data: bytes) -> None:
        if not self._first.done() and b"data:" in data:
            self._first.set_result(time.perf_counter())
        self._held = (self._held + data)[-2_000:]
        if self._held.endswith(b"0\r\n\r\n"):
            self._finish(None if self._first.done() else RuntimeError(f"no events: {self._held[:200]!r}"))

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True
        self._finish(error or ConnectionError("the server closed the connection"))

    def _finish(self, error: Exception | None) -> None:
        end = getattr(self, "_end", None)
        if end is not None and not end.done():
            end.set_result(None) if error is None else end.set_exception(error)

    def close(self) -> None:
        self._transport.close()


class Lines:
    """The connections to all replicas."""

    def __init__(self, ports: list[int], sticky: bool) -> None:
        self._ports, self._sticky = ports, sticky
        self._own: dict[str, Line] = {}
        self._idle: list[Line] = []
        self._random = random.Random(1)

    async def ask(self, name: str, body: bytes) -> float:
        if self._sticky:
            # A bare pass-through closes a connection that was not used for some seconds.
            if name not in self._own or self._own[name].closed:
                self._own[name] = await self._dial(self._ports[hash(name) % len(self._ports)])
            return await self._own[name].ask(body, "key")
        line = self._any() or await self._dial(self._random.choice(self._ports))
        found = await line.ask(body, "key")
        self._idle.append(line)
        return found

    def _any(self) -> Line | None:
        """An idle connection, if there are enough of them to choose from."""
        if len(self._idle) < 4 * len(self._ports):
            return None
        at = self._random.randrange(len(self._idle))
        self._idle[at], self._idle[-1] = self._idle[-1], self._idle[at]
        return self._idle.pop()

    async def _dial(self, port: int) -> Line:
        _, line = await asyncio.get_running_loop().create_connection(Line, "127.0.0.1", port)
        return line

    def forget(self, name: str) -> None:
        if name in self._own:
            self._own.pop(name).close()

    def close(self) -> None:
        for line in (*self._own.values(), *self._idle):
            line.close()


@dataclass
class Load:
    """What a run of many conversations found."""

    waits: list[float]
    faults: list[str]
    answered: int = 0
    seconds: float = 0.0
    since: float = 0.0
    until: float = float("inf")
    """`waits` has the requests that came between these two times."""

    @property
    def rate(self) -> float:
        return len(self.waits) / self.seconds

    def percentile(self, share: float) -> float:
        """Milliseconds to the first event that this share of requests stays below."""
        ordered = sorted(self.waits)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


async def talk(lines: Lines, name: str, turns: int, load: Load, due: Callable[[int], float] | None) -> None:
    """One conversation; `due` gives the time of each request, else it follows the answer before."""
    for n, body in enumerate(bodies(name, turns)):
        begun = time.perf_counter()
        if due is not None:
            planned = due(n)
            await asyncio.sleep(max(0.0, planned - begun))
            begun = max(planned, begun) if n else planned
        try:
            first = await asyncio.wait_for(lines.ask(name, body), 120)
            load.answered += 1
            if load.since <= begun < load.until:
                load.waits.append(first - begun)
        except (OSError, RuntimeError, TimeoutError) as error:
            load.faults.append(f"{type(error).__name__}: {error}")
            break
    lines.forget(name)


async def converse(ports: list[int], sticky: bool, count: int, turns: int, rate: float = 0.0, at: int = 0) -> Load:
    """Many conversations at once: as fast as they are answered, or at a rate of requests per second."""
    lines, load, tag = Lines(ports, sticky), Load([], []), os.urandom(4).hex()
    plans: list[Callable[[int], float] | None] = [None] * count
    if rate:
        plans = _plans(count, turns, rate, at, load)
    talks = [talk(lines, f"{tag}-{n}", turns, load, due) for n, due in enumerate(plans)]
    started = time.perf_counter()
    await asyncio.gather(*talks)
    load.seconds = time.perf_counter() - started
    lines.close()
    return load


def _plans(count: int, turns: int, rate: float, at: int, load: Load) -> list[Callable[[int], float] | None]:
    """When the requests of conversations are due: at a steady rate, from `count` conversations side by side.

    Conversations begin and end at any time, so that short and long ones are under way together. The requests count
    that come after the first ones have ended, and before no more begin.
    """
    begun = time.perf_counter() + 0.2
    every = count / rate
    load.since, load.until = (begun + span * turns * every for span in (1, 2))
    rng = random.Random(at)

    def plan(offset: float) -> Callable[[int], float]:
        return lambda n: begun + (offset + n) * every

    return [plan(rng.random() * 2 * turns) for _ in range(2 * count)]


def run(ports: list[int], sticky: bool, count: int, turns: int, rate: float = 0.0, at: int = 0) -> Load:
    """Have many conversations; `at` chooses when they begin, the same for the same number."""
    import uvloop

    gc.collect()
    gc.disable()  # a collection in here would look like a slow server
    load = uvloop.run(converse(ports, sticky, count, turns, rate, at))
    gc.enable()
    if load.faults:
        print(f"  {len(load.faults)} faults: {sorted(set(load.faults))[:3]}", file=sys.stderr)
    return load


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += tree(int(child))
    return found


def resident(pid: int) -> float:
    """Megabytes of a process and its children; memory that they share counts once."""
    total = 0
    for one in tree(pid):
        lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        total += int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return total / 1024


def files(pid: int) -> int:
    return sum(len(list(Path(f"/proc/{one}/fd").iterdir())) for one in tree(pid))


def busy_seconds() -> float:
    """Seconds that all cores together have worked since the machine was started."""
    first = Path("/proc/stat").read_text().partition("\n")[0]
    user, nice, system, _idle, _wait, *interrupts = map(int, first.split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


class Cluster:
    """The servers of a set-up, ready for requests."""

    def __init__(self, setup: Setup, scratch: Path, held: ExitStack, target: int, settings: list[str]) -> None:
        self._setup = setup
        self._postgres: postgres_server.PostgresServer | None = None
        self._redis: redis_server.RedisServer | None = None
        url = f"sqlite:///{scratch / setup.name.replace(' ', '')}.db"
        if setup.store == "postgres":
            self._postgres = held.enter_context(postgres_server.running(("min_wal_size = 1GB",)))
            _fill_log(self._postgres)
            url = self._postgres.url()
        elif setup.store == "redis":
            self._redis = held.enter_context(redis_server.running())
            url = self._redis.url
        self.ports = [free_port() for _ in range(setup.replicas)]
        self.pids = []
        for port in self.ports:
            options = ["--upstream", f"anthropic=http://127.0.0.1:{target}", "--store", url, *settings]
            options += ["--set", f"proxy.workers={setup.workers}"]
            command = [sys.executable, "-m", "prunus", "proxy", "--port", str(port), *options]
            self.pids.append(held.enter_context(running(command, port, scratch / f"{port}.log")))
        run(self.ports, True, 8 * setup.workers * setup.replicas, 4)

    @property
    def cpu(self) -> float:
        return sum(map(cpu, self.pids))

    def settle(self) -> None:
        """Wait until the servers have done what was left, such as to record exchanges."""
        for _ in range(60):
            before = self.cpu
            time.sleep(1)
            if self.cpu - before < IDLE:
                return

    def commit_ms(self) -> list[float]:
        """Median and p99 of a commit of one row on an idle Postgres: every request waits for one."""
        if self._postgres is None:
            return []
        import psycopg

        times = []
        with psycopg.connect(self._postgres.url(), autocommit=True) as connection:
            connection.execute("CREATE TABLE bench_commits (n bigint)")
            for n in range(300):
                begun = time.perf_counter()
                connection.execute("INSERT INTO bench_commits VALUES (%s)", (n,))
                times.append((time.perf_counter() - begun) * 1000)
        return [round(statistics.median(times), 2), round(sorted(times)[int(len(times) * 0.99)], 2)]

    @property
    def behind(self) -> int:
        """The requests that were sent before Prunus has looked at them."""
        total = 0.0
        for port in self.ports:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                lines = answer.read().decode().splitlines()
            total += sum(float(line.split()[1]) for line in lines if line.startswith("prunus_behind_total "))
        return round(total)

    @property
    def memory(self) -> float:
        return sum(map(resident, self.pids))

    @property
    def store_bytes(self) -> int:
        """The bytes that the store has written so far."""
        if self._postgres is not None:
            import psycopg

            with psycopg.connect(self._postgres.url()) as connection:
                row = connection.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").fetchone()
                return int(row[0]) if row else 0
        if self._redis is not None:
            return int(self._redis.client().info("stats")["total_net_input_bytes"])
        written = 0
        for pid in (one for first in self.pids for one in tree(first)):
            lines = Path(f"/proc/{pid}/io").read_text().splitlines()
            written += int(next(line for line in lines if line.startswith("write_bytes")).split()[1])
        return written


def _fill_log(server: postgres_server.PostgresServer) -> None:
    """Let a new server write as many files of its log (WAL) as it will use, as one that has run for some time.

    It uses these files again. While it makes a new one, all requests wait for 40 ms.
    """
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as connection:
        for _ in range(32):
            connection.execute("SELECT pg_logical_emit_message(true, 'bench', repeat('x', 8000000))")
            connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")


@contextmanager
def upstream(scratch: Path) -> Iterator[int]:
    target = free_port()
    command = [sys.executable, str(HERE / "proxy.py"), "--serve-upstream", str(target), str(PAUSE)]
    with running(command, target, scratch / "upstream.log"):
        yield target


def measured(setup: Setup, count: int, turns: int) -> dict[str, Any]:
    """One set-up: full load, then half of it beside a bare pass-through."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        scratch = Path(folder)
        target = held.enter_context(upstream(scratch))
        # So many conversations at once shall stay in memory; `limits.memory` bounds it.
        cluster = Cluster(setup, scratch, held, target, ["--set", f"limits.conversations={2 * count}"])
        early = _phase(cluster, setup, count, max(2, turns // 4))
        before = cluster.memory
        full = _phase(cluster, setup, count, turns)
        memory = cluster.memory
        port = free_port()
        command = [sys.executable, str(HERE / "proxy.py"), "--serve-bare", str(port), str(target)]
        pid = held.enter_context(running(command, port, scratch / "bare.log"))
        run([port], True, 8, 4)
        looked = full["load"].rate * (1 - full["behind"] / len(full["load"].waits))
        begun, rate, behind = cpu(pid), looked / 2, cluster.behind
        rounds = []
        for at in range(ROUNDS):
            bare = run([port], True, count // 8, turns, rate, at)
            rounds.append((bare, run(cluster.ports, setup.sticky, count // 8, turns, rate, at)))
        bare_cpu = (cpu(pid) - begun) / sum(bare.answered for bare, _ in rounds)
        behind = cluster.behind - behind
        commit = cluster.commit_ms()
    load = full["load"]
    return {
        "setup": setup.name,
        "store": setup.store,
        "conversations": count,
        "turns": turns,
        "faults": len(load.faults) + sum(len(one.faults) for both in rounds for one in both),
        "requests_s": round(load.rate, 1),
        "busy": round(full["busy"], 2),
        "cpu_ms": round(full["cpu_ms"], 2),
        "bare_cpu_ms": round(bare_cpu, 2),
        "looked_s": round(looked, 1),
        "half_rate": round(rate, 1),
        "behind": behind,
        "added_p50_ms": _added(rounds, 0.5),
        "added_p99_ms": _added(rounds, 0.99),
        "bare_p99_ms": round(statistics.median(bare.percentile(0.99) for bare, _ in rounds), 2),
        "commit_ms": commit,
        "kb_a_conversation": round(max(0.0, memory - before) * KB / (count * setup.replicas), 1),
        "memory_mb": round(memory),
        "store_kb": round(full["store_kb"], 1),
        "store_kb_early": round(early["store_kb"], 1),
    }


def _added(rounds: list[tuple[Load, Load]], share: float) -> float:
    """Milliseconds that the second of each pair took longer, as the median of all pairs."""
    return round(statistics.median(ours.percentile(share) - bare.percentile(share) for bare, ours in rounds), 2)


def _phase(cluster: Cluster, setup: Setup, count: int, turns: int) -> dict[str, Any]:
    spent, written, behind = cluster.cpu, cluster.store_bytes, cluster.behind
    used = busy_seconds()
    load = run(cluster.ports, setup.sticky, count, turns)
    used = busy_seconds() - used
    cluster.settle()
    done = max(1, len(load.waits))
    return {
        "load": load,
        "cpu_ms": (cluster.cpu - spent) / done,
        "store_kb": (cluster.store_bytes - written) / KB / done,
        "behind": cluster.behind - behind,
        "busy": used / load.seconds,
    }


def endured(requests: int, conversations: int) -> dict[str, Any]:
    """Many conversations one batch after the other: memory and open files after each tenth."""
    turns, tenth = requests // conversations, conversations // 10
    memory, opened = [], []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        scratch = Path(folder)
        target = held.enter_context(upstream(scratch))
        cluster = Cluster(Setup("endured"), scratch, held, target, [])
        done = faults = 0
        for _n in range(10):
            load = run(cluster.ports, True, tenth, turns)
            done, faults = done + len(load.waits), faults + len(load.faults)
            memory.append(round(cluster.memory))
            opened.append(sum(map(files, cluster.pids)))
            print(f"  {done:6} requests, {memory[-1]:5} MB, {opened[-1]} open files", flush=True)
    return {
        "requests": done,
        "conversations": conversations,
        "faults": faults,
        "memory_mb": memory,
        "open_files": opened,
    }


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=12, help="requests of a conversation")
    parser.add_argument("--requests", type=int, default=20_000, help="of the last part; 0 leaves it out")
    parser.add_argument("--only", default="", help="the beginnings of names of set-ups, separated by commas")
    given = parser.parse_args()
    only = tuple(name for name in given.only.split(",") if name)
    rows = []
    for setup in SETUPS:
        if only and not setup.name.startswith(only):
            continue
        if setup.store in SERVERS and (missing := SERVERS[setup.store].missing()):
            print(f"{setup.name} with {setup.store} is skipped: {missing}")
            continue
        rows.append(measured(setup, given.conversations, given.turns))
        print(json.dumps(rows[-1]), flush=True)
    found: dict[str, Any] = {"cores": os.cpu_count(), "setups": rows}
    if given.requests:
        found["endured"] = endured(given.requests, max(10, given.requests // 10))
    if not only:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print(f"median CPU of a request: {statistics.median(row['cpu_ms'] for row in rows):.2f} ms" if rows else "")


if __name__ == "__main__":
    main()

"""What the proxy adds to a request, side by side in one run: nothing between, nginx, a bare pass-through, Prunus,
and litellm and headroom where they are installed; then many streams at once.

    python bench/proxy.py                        200 KB and 2 MB bodies
    python bench/proxy.py --load 60              and 200 streams at once for 60 seconds
    python bench/proxy.py --only bare,prunus

Every server is a process of its own on loopback and passes requests on to the same upstream, a bare socket that
answers with 22 events. Requests are those of an agent: each sends the history of the one before and two messages
more. The servers take turns in short rounds, and the medians of the rounds are shown. CPU is that of the server's
process and its threads, by the scheduler's own count. Machines differ and so do their neighbours: compare rows of
one run.

Peers are found on the PATH or by PRUNUS_BENCH_NGINX, PRUNUS_BENCH_LITELLM and PRUNUS_BENCH_HEADROOM; install them
in environments of their own: nginx, litellm[proxy], headroom-ai[proxy]. litellm runs without keys or a database,
headroom as a pass-through (--no-optimize), each the least it can do. Results land in bench/results/proxy.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVENTS = 22
WINDOW = 1_000_000
"""Tokens that the model is said to take: 2 MB are some 500,000, and no provider takes more than its window."""
KB = 1024


def history(size: int, steps: int) -> Iterator[bytes]:
    """Requests of one conversation that grow up to `size` bytes, two messages at a time."""
    source = "def area(width, height):\n    # the sides are in metres\n    return width * height\n" * 12
    count = max(steps + 1, size // (len(source) + 230))
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"Session {os.urandom(6).hex()}: clean up the geometry."}
    ]
    for i in range(count):
        given = {"file_path": f"/srv/geometry/part_{i % (count * 2 // 3)}.py"}
        call = {"type": "tool_use", "id": f"toolu_{i:08}", "name": "Read", "input": given}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{i:08}", "content": f"# part {i}\n{source}"}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    tools = [{"name": "Read", "description": "Read a file.", "input_schema": {"type": "object"}}]
    top = {"model": "claude-sonnet-4-5", "max_tokens": 8000, "stream": True, "system": "Be brief.", "tools": tools}
    for n in range(count - steps + 1, count + 1):
        yield json.dumps({**top, "messages": messages[: 1 + 2 * n]}, separators=(",", ":")).encode()


class Answering(asyncio.Protocol):
    """The upstream: reads a request, answers with events."""

    pause = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._held, self._left = b"", -1
        self._answering: asyncio.Task[None] | None = None

    def data_received(self, data: bytes) -> None:
        if self._left < 0:
            self._held += data
            end = self._held.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._held[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n")[0]) if at >= 0 else 0
            self._left = length - (len(self._held) - end - 4)
            self._held = b""
        else:
            self._left -= len(data)
        if self._left <= 0:
            self._left = -1
            self._answering = asyncio.ensure_future(self._answer())

    async def _answer(self) -> None:
        usage = '{"type":"message_start","message":{"usage":{"input_tokens":50000,"output_tokens":1}}}'
        delta = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words here "}}'
        self._transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        for n in range(EVENTS):
            event = f"data: {delta if n else usage}\n\n".encode()
            self._transport.write(b"%x\r\n%s\r\n" % (len(event), event))
            if self.pause and not self._transport.is_closing():
                await asyncio.sleep(self.pause)
        self._transport.write(b"0\r\n\r\n")


def upstream(port: int, pause: float = 0.0) -> None:
    """Serve the upstream."""
    import uvloop

    Answering.pause = pause

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", port, backlog=1024)
        await server.serve_forever()

    uvloop.run(run())


def bare(port: int, target: str) -> None:
    """The simplest pass-through: starlette and aiohttp, nothing looked at."""
    import aiohttp
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    held: dict[str, aiohttp.ClientSession] = {}

    async def forward(request: Request) -> StreamingResponse:
        if "session" not in held:
            held["session"] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), auto_decompress=False, timeout=aiohttp.ClientTimeout(None)
            )
        body = await request.body()
        headers = {k: v for k, v in request.headers.items() if k not in ("host", "content-length")}
        answer = await held["session"].post(target + request.url.path, data=body, headers=headers)
        kept = {k: v for k, v in answer.headers.items() if k.lower() not in ("transfer-encoding", "connection")}
        return StreamingResponse(answer.content.iter_any(), answer.status, kept)

    app = Starlette(routes=[Route("/{path:path}", forward, methods=["POST"])])
    uvicorn.run(app, port=port, log_level="critical", access_log=False, loop="uvloop", http="httptools")


NGINX = """
worker_processes 1; daemon off; pid {folder}/pid; error_log /dev/null;
events {{ worker_connections 1024; }}
http {{ access_log off; client_max_body_size 64m; client_body_buffer_size 8m; client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s;
  upstream up {{ server 127.0.0.1:{target}; keepalive 64; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://up; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_buffering off; }} }} }}
"""


@dataclass(frozen=True)
class Peer:
    """A server to measure: how it is started in front of an upstream, or why it cannot be."""

    name: str
    start: Callable[[int, int, Path], list[str]]
    missing: str = ""
    path: str = "/v1/messages"


def program(name: str) -> str:
    """Where a peer is installed; empty where it is not."""
    return os.environ.get(f"PRUNUS_BENCH_{name.upper()}") or shutil.which(name) or ""


def peers() -> list[Peer]:
    """Everything that can be compared."""
    me = [sys.executable, __file__]

    def prunus(*more: str) -> Callable[[int, int, Path], list[str]]:
        return lambda port, to, _: [
            sys.executable, "-m", "prunus", "proxy", "--port", str(port),
            "--upstream", f"anthropic=http://127.0.0.1:{to}", "--set", f"window={WINDOW}", *more,
        ]  # fmt: skip

    def nginx(port: int, to: int, folder: Path) -> list[str]:
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, port=port, target=to))
        return [program("nginx"), "-c", str(config), "-p", str(folder)]

    def stored(port: int, to: int, folder: Path) -> list[str]:
        return prunus("--store", f"sqlite:///{folder / 'bench.db'}")(port, to, folder)

    def litellm(port: int, to: int, folder: Path) -> list[str]:
        config = folder / "litellm.yaml"
        config.write_text(
            "model_list:\n- model_name: claude-sonnet-4-5\n"
            "  litellm_params:\n    model: anthropic/claude-sonnet-4-5\n"
            f"    api_base: http://127.0.0.1:{to}\n    api_key: dummy\n"
        )
        return [program("litellm"), "--config", str(config), "--port", str(port), "--host", "127.0.0.1"]

    def headroom(port: int, to: int, _: Path) -> list[str]:
        options = ["--no-optimize", "--no-rate-limit", "--anthropic-api-url", f"http://127.0.0.1:{to}"]
        return [program("headroom"), "proxy", "--port", str(port), *options]

    def absent(name: str) -> str:
        return "" if program(name) else f"not on the PATH, and no PRUNUS_BENCH_{name.upper()}"

    return [
        Peer("direct", lambda port, to, _: []),
        Peer("nginx", nginx, absent("nginx")),
        Peer("bare", lambda port, to, _: [*me, "--serve-bare", str(port), str(to)]),
        Peer("prunus", prunus("--store", "off")),
        Peer("prunus+store", stored),
        Peer("litellm", litellm, absent("litellm")),
        Peer("headroom", headroom, absent("headroom")),
    ]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[int]:
    """Start a server and wait for its port; gives the id of its process."""
    quiet = {
        "HOME": str(log.parent),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
        "HEADROOM_BEACON": "off",
    }
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env={**os.environ, **quiet}
        )
        try:
            for _ in range(1200):
                if process.poll() is not None:
                    raise RuntimeError(f"{command[0]} ended: {log.read_text()[-500:]}")
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def cpu(pid: int) -> float:
    """Milliseconds of CPU that a process, its threads and its children took so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
        children = (task / "children").read_text().split() if (task / "children").exists() else []
        total += sum(int(cpu(int(child)) * 1e6) for child in children)
    return total / 1e6


def memory(pid: int) -> float:
    """Resident megabytes of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


async def exchange(streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], path: str, body: bytes) -> float:
    """Send a request over an open connection; gives seconds to the first event, once all have come."""
    reader, writer = streams
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: dummy\r\nanthropic-version: 2023-06-01\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    begun = time.perf_counter()
    writer.write(head.encode())
    writer.write(body)
    await writer.drain()
    status = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in status.split(b"\r\n")[0]:
        raise RuntimeError(status[:200].decode(errors="replace"))
    await reader.readuntil(b"\n")
    await reader.readuntil(b"\n")
    first = time.perf_counter() - begun
    await reader.readuntil(b"\r\n0\r\n\r\n")
    return first


async def measure(port: int, path: str, pid: int | None, size: int, count: int) -> tuple[float, float]:
    """One conversation, request after request; the first ones are not counted."""
    streams = await asyncio.open_connection("127.0.0.1", port, limit=8 << 20)
    times = []
    begun = 0.0
    warm = max(3, count // 5)
    for n, body in enumerate(history(size, count + warm)):
        if n == warm:
            begun = cpu(pid) if pid else 0.0
        taken = await exchange(streams, path, body)
        if n >= warm:
            times.append(taken * 1000)
        await asyncio.sleep(0.002)
    spent = ((cpu(pid) - begun) / count) if pid else 0.0
    streams[1].close()
    return statistics.median(times), spent


async def load(port: int, pid: int, streams: int, seconds: float) -> dict[str, Any]:
    """Many conversations at once, each request as soon as the one before is answered."""
    done = 0
    faults: list[str] = []
    resident: list[float] = []
    end = time.perf_counter() + seconds

    async def talk(number: int) -> None:
        nonlocal done
        while time.perf_counter() < end:
            line = await asyncio.open_connection("127.0.0.1", port, limit=8 << 20)
            for body in history(200 * KB, 6 + number % 13):
                if time.perf_counter() >= end:
                    break
                try:
                    await asyncio.wait_for(exchange(line, "/v1/messages", body), 60)
                    done += 1
                except Exception as error:
                    faults.append(f"{type(error).__name__}: {error}")
            line[1].close()

    async def report() -> None:
        for _ in range(6):
            await asyncio.sleep(seconds / 6)
            resident.append(round(memory(pid)))
            print(f"  {done:7} answers, {len(faults)} errors, {resident[-1]:6} MB resident", flush=True)

    begun = cpu(pid)
    await asyncio.gather(report(), *map(talk, range(streams)))
    spent = (cpu(pid) - begun) / max(1, done)
    print(f"  {done / seconds:.0f} requests per second, {spent:.2f} ms CPU each, {len(faults)} errors")
    print("".join(f"  {fault}\n" for fault in sorted(set(faults))), end="")
    return {
        "streams": streams,
        "seconds": seconds,
        "answers": done,
        "errors": len(faults),
        "resident_mb": resident,
        "cpu_ms": round(spent, 3),
    }


def load_run(streams: int, seconds: float, pause: float) -> dict[str, Any]:
    """Prunus with a store under load."""
    print(f"\n{streams} streams at once for {seconds:.0f} s, 200 KB bodies, with a store")
    with tempfile.TemporaryDirectory() as scratch:
        folder, target, port = Path(scratch), free_port(), free_port()
        ours = next(peer for peer in peers() if peer.name == "prunus+store")
        with (
            running([sys.executable, __file__, "--serve-upstream", str(target), str(pause)], target, folder / "up"),
            running(ours.start(port, target, folder), port, folder / "peer") as pid,
        ):
            return asyncio.run(load(port, pid, streams, seconds))


def compare(sizes: list[int], count: int, rounds: int, only: set[str]) -> list[dict[str, Any]]:
    """Measure all servers at all sizes, and print a table for each size."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as servers:
        folder = Path(scratch)
        target = free_port()
        command = [sys.executable, __file__, "--serve-upstream", str(target), "0"]
        servers.enter_context(running(command, target, folder / "up.log"))
        ready: list[tuple[Peer, int, int | None]] = []
        for peer in peers():
            if only and peer.name not in only and peer.name != "direct":
                continue
            if peer.missing:
                print(f"{peer.name} is skipped: {peer.missing}")
                continue
            port = free_port()
            command = peer.start(port, target, folder)
            if command:
                server = running(command, port, folder / f"{peer.name}.log")
                ready.append((peer, port, servers.enter_context(server)))
            else:
                ready.append((peer, target, None))
        for size in sizes:
            found: dict[str, list[tuple[float, float]]] = {peer.name: [] for peer, _, _ in ready}
            for _ in range(rounds):
                for peer, port, pid in ready:
                    found[peer.name].append(asyncio.run(measure(port, peer.path, pid, size, count)))
            rows += show(size, count, found)
    return rows


def show(size: int, count: int, found: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    """Print what was found at one size, and give it as rows."""
    print(
        f"\n{size // KB} KB bodies, one stream, medians of {len(found['direct'])} rounds of {count} requests (ms)"
    )
    print(f"{'':14}{'first byte':>12}{'added':>10}{'CPU':>10}{'x bare':>10}")
    rows = []
    for name, rounds in found.items():
        first = statistics.median(first for first, _ in rounds)
        added = statistics.median(
            first - direct for (first, _), (direct, _) in zip(rounds, found["direct"], strict=True)
        )
        spent = statistics.median(spent for _, spent in rounds)
        row = {"kb": size // KB, "name": name, "first_ms": first, "added_ms": added, "cpu_ms": spent}
        line = f"{name:14}{first:12.2f}{added:10.2f}{spent:10.2f}"
        if "bare" in found:
            pairs = zip(rounds, found["bare"], strict=True)
            row["cpu_times_bare"] = statistics.median(spent / bare for (_, spent), (_, bare) in pairs)
            line += f"{row['cpu_times_bare']:10.2f}"
        print(line, flush=True)
        rows.append({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()})
    return rows


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="200,2000", help="kilobytes of a body, separated by commas")
    parser.add_argument("--requests", type=int, default=30, help="of one round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="names, separated by commas; nothing is written then")
    parser.add_argument("--load", type=float, default=0.0, help="seconds of the load run")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between events in the load run")
    parser.add_argument("--serve-upstream", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--serve-bare", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve_upstream:
        upstream(int(given.serve_upstream[0]), float(given.serve_upstream[1]))
        return
    if given.serve_bare:
        bare(int(given.serve_bare[0]), f"http://127.0.0.1:{given.serve_bare[1]}")
        return
    target = Path(__file__).parent / "results" / "proxy.json"
    result: dict[str, Any] = json.loads(target.read_text()) if target.exists() else {}
    only = {name for name in given.only.split(",") if name}
    sizes = [int(size) * KB for size in given.sizes.split(",") if size]
    if sizes:
        result["compared"] = compare(sizes, given.requests, given.rounds, only)
    if given.load:
        result["load"] = load_run(given.streams, given.load, given.pause)
    if not only:
        target.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Who waits for whom: a small request and /healthz beside a large body, and the first request after a restart.

    python bench/waiting.py

A proxy with its store and an upstream that answers at once, each a process of its own on loopback. First a small
conversation alone; then the same while another client sends a body of 60 MB, made of many results or of one result,
or one of 100,000 tiny messages. Then a conversation of 5,000 calls: the requests before the proxy is killed, and
the first one behind that. Times are of whole requests in seconds; compare figures of one run. Writes
bench/results/waiting.json.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sessions import anthropic, calls
from usage import show_help

RESULTS = Path(__file__).parent / "results"
MB = 1_000_000
ROUNDS = 12
ANSWER = b'{"usage":{"input_tokens":10,"output_tokens":5}}'
TOP = {"model": "claude-sonnet-4-5", "system": "Be brief. " * 300, "tools": [{"name": "Read", "input_schema": {}}]}


class Upstream(BaseHTTPRequestHandler):
    """Reads a request to its end and answers."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        left = int(self.headers["content-length"])
        while left:
            left -= len(self.rfile.read(min(left, 1 << 20)))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def started(*command: str) -> Iterator[int]:
    """A process that says on which port it listens."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                break
        rest = threading.Thread(target=process.stdout.read, daemon=True)
        rest.start()
        try:
            yield int(found[1]) if found else 0
        finally:
            process.kill()
            rest.join()


def proxy(upstream: int, folder: str) -> Any:
    program = Path(sys.executable).with_name("prunus")
    address = f"upstreams.anthropic=http://127.0.0.1:{upstream}"
    store = f"sqlite:///{folder}/store.db"
    return started(str(program), "proxy", "--port", "0", "--store", store, "--set", address)


def taken(port: int, method: str, path: str, body: bytes | None = None) -> float:
    """The seconds of one request."""
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    begun = time.perf_counter()
    connection.request(method, path, body, {"content-type": "application/json", "x-api-key": "k"})
    answer = connection.getresponse()
    answer.read()
    seconds = time.perf_counter() - begun
    connection.close()
    assert answer.status == 200, answer.status
    return seconds


def post(port: int, body: bytes) -> float:
    return taken(port, "POST", "/v1/messages", body)


def talk(name: str, steps: int, size: int) -> list[dict[str, Any]]:
    """So many reads of files of about this size."""
    rng = random.Random(name)
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Go on with {name}."}]
    for n in range(steps):
        lines = (f"{line}\tdef part_{n}_{line}(): return {rng.random()}" for line in range(size // 40))
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": f"/srv/{n % 50}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "\n".join(lines)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({**TOP, "messages": messages}).encode()


def many() -> bytes:
    return body(talk("many", 4_000, 12_000))


def one() -> bytes:
    return body(talk("one", 2, 23 * MB))


def tiny() -> bytes:
    roles = ("user", "assistant")
    return body([{"role": roles[n % 2], "content": f"word {n}"} for n in range(100_001)])


def beside(port: int, large: bytes, name: str) -> dict[str, float]:
    """A small conversation and /healthz, alone and while a large body is on its way."""
    small = [body(talk(f"small {name}", n, 4_000)) for n in range(8, 8 + 2 * ROUNDS + 40)]
    alone = [(post(port, request), taken(port, "GET", "/healthz")) for request in small[:ROUNDS]][2:]
    seconds: list[float] = []
    sender = threading.Thread(target=lambda: seconds.append(post(port, large)))
    sender.start()
    during = []
    for request in small[ROUNDS:]:
        during.append((post(port, request), taken(port, "GET", "/healthz")))
        if not sender.is_alive():
            break
    sender.join()
    return {
        "MB": round(len(large) / MB, 1),
        "large": round(seconds[0], 2),
        "small_alone": round(statistics.median(a for a, _ in alone), 3),
        "small_during": round(max(a for a, _ in during), 3),
        "health_alone": round(statistics.median(b for _, b in alone), 4),
        "health_during": round(max(b for _, b in during), 4),
    }


def restarted(upstream: int, count: int = 5_000) -> dict[str, float]:
    """A conversation of many calls: requests to a proxy that knows it, and the first to a new one."""
    whole = anthropic(calls(count + 6))
    grown = [{**whole, "messages": whole["messages"][: 1 + 2 * n]} for n in range(count, count + 6)]
    bodies = [json.dumps(request).encode() for request in grown]
    with tempfile.TemporaryDirectory() as folder:
        with proxy(upstream, folder) as port:
            first = post(port, bodies[0])
            # What the deadline left out of the first look is caught up with meanwhile.
            post(port, bodies[1])
            while not caught_up(port):
                time.sleep(1)
            others = [post(port, request) for request in bodies[2:5]]
        with proxy(upstream, folder) as port:
            again = post(port, bodies[5])
    return {
        "calls": count,
        "MB": round(len(bodies[0]) / MB, 1),
        "first_look": round(first, 2),
        "others": round(statistics.median(others), 3),
        "after_restart": round(again, 3),
    }


def caught_up(port: int) -> bool:
    """Whether the proxy is at rest: /healthz answers at once, several times."""
    return all(taken(port, "GET", "/healthz") < 0.02 for _ in range(20))


def main() -> None:
    shapes: dict[str, Callable[[], bytes]] = {"many results": many, "one result": one, "100,000 messages": tiny}
    found: dict[str, Any] = {}
    with started(sys.executable, __file__, "upstream") as upstream:
        for name, make in shapes.items():
            with tempfile.TemporaryDirectory() as folder, proxy(upstream, folder) as port:
                found[name] = beside(port, make(), name)
            print(name, found[name], flush=True)
        found["restart"] = restarted(upstream)
        print("restart", found["restart"])
    (RESULTS / "waiting.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    if sys.argv[1:] == ["upstream"]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
        print(f"127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
    main()

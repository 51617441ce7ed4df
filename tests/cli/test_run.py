"""`prunus run`: the client runs as it would alone, and its requests pass through Prunus."""

import json
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prunus.clients.launcher import Host, Launch, launcher_of, launchers
from tests.proxy.provider import Provider
from tests.proxy.talk import body

Spawn = Callable[..., "subprocess.Popen[bytes]"]
URL = "http://127.0.0.1:9999"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def program(folder: Path, text: str, name: str = "client") -> str:
    """A program that stands for a client."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def place(tmp_path: Path, **environment: str) -> Host:
    for name in ("home", "folder", "scratch"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Host(environment, tmp_path / "home", tmp_path / "folder", tmp_path / "scratch")


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
    assert second.startswith("Prunus left out ")


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


def test_a_proxy_of_the_network_does_not_come_between(
    spawn: Spawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "intra.example")
    text = "import os; print(os.environ['NO_PROXY'], os.environ['no_proxy'])"
    process = spawn("run", "--store", "off", program(tmp_path / "bin", text))
    assert process.communicate()[0].split() == [b"intra.example,127.0.0.1,localhost"] * 2


@pytest.mark.parametrize("offer", ["hidden", "mcp"])
def test_a_client_without_the_hidden_tool_is_said(
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


def test_an_interrupt_is_the_clients_to_handle(spawn: Spawn, tmp_path: Path) -> None:
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


def test_a_client_that_is_killed_gives_what_a_shell_gives(spawn: Spawn, tmp_path: Path) -> None:
    process = spawn("run", "--store", "off", program(tmp_path / "bin", "import os; os.kill(os.getpid(), 9)"))
    process.communicate()
    assert process.returncode == 128 + 9


def test_a_client_that_is_not_installed_is_said(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name, hint in (("claude", b"npm install"), ("no-such-program", b"not installed")):
        process = spawn("run", name)
        _, err = process.communicate()
        assert process.returncode == 127
        assert hint in err


def test_an_upstream_that_is_down_is_said_at_the_end(
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


def test_every_client_is_sent_to_the_proxy_and_nowhere_else(tmp_path: Path) -> None:
    here = place(tmp_path)
    for client in launchers().values():
        assert client.upstreams(here) == {}
        launch = client.launch(URL, here)
        scripts = "".join(path.read_text() for path in here.scratch.iterdir())
        assert URL in f"{launch.arguments}{launch.environment}{scripts}"
        assert list(client.problems(here)) == []
        assert list((tmp_path / "home").iterdir()) == []


def test_a_base_url_that_is_set_becomes_the_upstream_with_its_path(tmp_path: Path) -> None:
    claude, gemini, other = launcher_of("claude"), launcher_of("gemini"), launcher_of("/usr/bin/anything")
    here = place(
        tmp_path,
        ANTHROPIC_BASE_URL="https://gateway.example/anthropic/",
        OPENAI_BASE_URL="https://openai.example/api/v1",
        GOOGLE_GEMINI_BASE_URL="https://gemini.example",
    )
    assert claude.upstreams(here) == {"anthropic": "https://gateway.example"}
    assert claude.launch(URL, here) == Launch((), {"ANTHROPIC_BASE_URL": f"{URL}/@anthropic/anthropic"})
    assert gemini.launch(URL, here).environment == {"GOOGLE_GEMINI_BASE_URL": f"{URL}/@gemini"}
    assert other.upstreams(here)["openai"] == "https://openai.example"
    environment = other.launch(URL, here).environment
    assert environment["OPENAI_BASE_URL"] == environment["OPENAI_API_BASE"] == f"{URL}/@openai/api/v1"


def test_a_base_url_in_the_settings_of_claude_is_overridden_on_the_command_line(tmp_path: Path) -> None:
    here = place(tmp_path)
    (here.folder / ".claude").mkdir()
    (here.folder / ".claude" / "settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "https://g.example/x"}}')
    client = launcher_of("claude")
    assert client.upstreams(here) == {"anthropic": "https://g.example"}
    flag, value = client.launch(URL, here).arguments
    assert (flag, json.loads(value)) == ("--settings", {"env": {"ANTHROPIC_BASE_URL": f"{URL}/@anthropic/x"}})


def test_the_provider_that_codex_uses_is_the_one_that_is_pointed_at_the_proxy(tmp_path: Path) -> None:
    here = place(tmp_path)
    client = launcher_of("codex")
    assert client.launch(URL, here).arguments == ("-c", f'openai_base_url="{URL}/v1"')
    home = here.home / ".codex"
    home.mkdir()
    (home / "auth.json").write_text('{"tokens": {"access_token": "t"}, "OPENAI_API_KEY": null}')
    assert client.upstreams(here) == {"openai": "https://chatgpt.com"}
    assert client.launch(URL, here).arguments == ("-c", f'openai_base_url="{URL}/@openai/backend-api/codex"')
    (home / "config.toml").write_text(
        'model_provider = "mine"\n[model_providers.mine]\nbase_url = "https://m.example/v1"\n'
    )
    assert client.upstreams(here) == {"openai": "https://m.example"}
    assert client.launch(URL, here).arguments == ("-c", f'model_providers.mine.base_url="{URL}/@openai/v1"')


def test_every_provider_of_opencode_is_pointed_at_the_proxy(tmp_path: Path) -> None:
    here = place(
        tmp_path, OPENCODE_CONFIG_CONTENT='{"model": "a/b", "provider": {"a": {"options": {"apiKey": "k"}}}}'
    )
    (here.folder / "opencode.jsonc").write_text(
        '{"provider": {"a": {"options": {"baseURL": "https://a.example/v1"}}}, /* mine */}'
    )
    client = launcher_of("opencode")
    assert client.upstreams(here) == {"a": "https://a.example"}
    config = json.loads(client.launch(URL, here).environment["OPENCODE_CONFIG_CONTENT"])
    assert config["model"] == "a/b"
    assert config["provider"]["a"]["options"] == {"apiKey": "k", "baseURL": f"{URL}/@a/v1"}
    assert config["provider"]["anthropic"]["options"]["baseURL"] == f"{URL}/v1"


def test_providers_of_pi_are_pointed_at_the_proxy_by_an_extension(tmp_path: Path) -> None:
    here = place(tmp_path)
    folder = here.home / ".pi" / "agent"
    folder.mkdir(parents=True)
    (folder / "models.json").write_text('{"providers": {"mine": {"baseUrl": "https://m.example/v1"}}}')
    client = launcher_of("pi")
    assert client.upstreams(here) == {"mine": "https://m.example"}
    flag, path = client.launch(URL, here).arguments
    assert flag == "--extension"
    text = Path(path).read_text()
    assert f'pi.registerProvider("mine", {{ baseUrl: "{URL}/@mine/v1" }});' in text
    assert f'pi.registerProvider("anthropic", {{ baseUrl: "{URL}" }});' in text


@pytest.mark.parametrize(
    ("name", "files", "environment", "says"),
    [
        ("claude", {}, {"CLAUDE_CODE_USE_BEDROCK": "1"}, "Bedrock"),
        ("gemini", {".gemini/settings.json": '{"selectedAuthType": "oauth-personal"}'}, {}, "API key"),
        ("codex", {".codex/config.toml": 'model_provider = "ollama"'}, {}, "ollama"),
    ],
)  # fmt: skip
def test_what_keeps_requests_from_the_proxy_is_said(
    tmp_path: Path, name: str, files: dict[str, str], environment: dict[str, str], says: str
) -> None:
    here = place(tmp_path, **environment)
    for file, text in files.items():
        (here.home / file).parent.mkdir(parents=True)
        (here.home / file).write_text(text)
    [problem] = launcher_of(name).problems(here)
    assert says in problem


def test_broken_files_of_clients_are_passed_over(tmp_path: Path) -> None:
    here = place(tmp_path)
    for file in (".codex/config.toml", ".codex/auth.json", ".claude/settings.json", ".pi/agent/models.json"):
        (here.home / file).parent.mkdir(parents=True, exist_ok=True)
        (here.home / file).write_bytes(b"\xff{[")
    for client in launchers().values():
        assert client.upstreams(here) == {}
        assert client.launch(URL, here)

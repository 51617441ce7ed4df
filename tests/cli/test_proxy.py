"""`prunus proxy`, started as a process like a user would."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from tests.proxy.caller import call
from tests.proxy.provider import Provider
from tests.proxy.talk import BODIES, body, steps

Spawn = Callable[..., "subprocess.Popen[bytes]"]
Run = Callable[..., Result]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


@contextmanager
def listening(process: "subprocess.Popen[bytes]") -> Iterator[str]:
    """Start a proxy, yield the URL it prints, and stop it like Ctrl-C."""
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    found = re.search(r"http://\S+", line)
    assert found is not None, line
    try:
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)


def test_the_proxy_prints_its_address_prunes_and_stops(spawn: Spawn, provider: Provider, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    given = ["--port", "0", "--upstream", f"anthropic={provider.url}", "--store", f"sqlite:///{store}", "-v"]
    process = spawn("proxy", *given, "--preset", "acp")
    with listening(process) as url:
        assert call(url, "POST", "/v1/messages", body("anthropic_messages")).status == 200
        assert call(url, "GET", "/healthz").status == 200
    out, err = process.communicate()
    assert process.returncode == 0
    assert len(provider.asked[0].body) < len(body("anthropic_messages"))
    assert "POST /v1/messages -> anthropic 200" in err.decode()
    assert "[auto-supersede] 📁 file" in err.decode()
    assert err.decode().count("--schedule cache") == 1
    assert out == b""
    assert store.exists()


def test_the_log_has_a_status_line_for_the_agents_own_pruning(spawn: Spawn, provider: Provider) -> None:
    decision = ("context_prune", {"action": "discard", "targets": [["tools"]]}, "Noted.")
    given = json.dumps(BODIES["openai_chat"]([*steps(), decision])).encode()
    more = ["--preset", "acp", "--agent", "mcp", "--set", "notification=detailed"]
    process = spawn("proxy", "--port", "0", "--store", "off", "--upstream", f"openai={provider.url}", *more)
    with listening(process) as url:
        assert call(url, "POST", "/v1/chat/completions", given).status == 200
    _, err = process.communicate()
    [line] = [line for line in err.decode().splitlines() if "▼" in line]
    assert re.fullmatch(r"[\d:]{8} 「 ⚙️  5\([\d.]+K\) ▼ 」 - Bash \(x4\), Read", line)


def test_the_proxy_announces_shadow_mode(spawn: Spawn, provider: Provider) -> None:
    process = spawn("proxy", "--port", "0", "--shadow", "--store", "off", "--upstream", f"openai={provider.url}")
    with listening(process) as url:
        call(url, "POST", "/v1/chat/completions", body("openai_chat"))
    _, err = process.communicate()
    assert provider.asked[0].body == body("openai_chat")
    assert b"shadow" in err


def test_clients_reach_a_named_upstream_by_its_name(spawn: Spawn, provider: Provider) -> None:
    process = spawn("proxy", "--port", "0", "--store", "off", "--upstream", f"groq={provider.url}/openai")
    with listening(process) as url:
        call(url, "POST", "/@groq/v1/chat/completions", body("openai_chat"))
    process.communicate()
    assert provider.asked[0].target == "/openai/v1/chat/completions"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that share a listener")
def test_two_workers_on_one_store_give_the_same_bytes(spawn: Spawn, provider: Provider, tmp_path: Path) -> None:
    given = ["--port", "0", "--upstream", f"anthropic={provider.url}"]
    turns = range(2, 14)
    for name, workers in (("one", "1"), ("two", "2")):
        store = f"sqlite:///{tmp_path / name}.db"
        process = spawn("proxy", *given, "--store", store, "--workers", workers, "--set", "proxy.deadline=600")
        with listening(process) as url:
            for count in turns:
                assert call(url, "POST", "/v1/messages", body("anthropic_messages", count)).status == 200
        process.communicate()
    sent = [asked.body for asked in provider.asked]
    assert sent[: len(turns)] == sent[len(turns) :]


def test_the_proxy_prints_the_headers_to_hash_on(run: Run) -> None:
    rows = [line.split("\t") for line in run("proxy", "--routing-key").output.splitlines()]
    assert rows[0] == ["x-prunus-session", "any client"]
    assert ["x-claude-code-session-id", "claude_code"] in rows


@pytest.mark.parametrize("balancer", ["nginx", "haproxy", "envoy"])
def test_the_proxy_prints_the_configuration_of_a_balancer(run: Run, balancer: str) -> None:
    result = run("proxy", "--routing-key", balancer)
    assert result.exit_code == 0
    assert "prunus-3" in result.output


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--host", "0.0.0.0"], "proxy.token"),
        (["--upstream", "anthropic"], "expected NAME=URL"),
        (["--upstream", "anthropic=ftp://x"], "expected NAME=URL"),
        (["--set", "proxy.port=many"], "proxy.port"),
        (["--agent", "loud"], "loud"),
        (
            ["--store", "/somewhere/prunus.db"],
            "expected sqlite:///PATH, postgresql://HOST/DATABASE, redis://HOST, off",
        ),
    ],
)
def test_the_proxy_refuses_invalid_options_with_a_reason(run: Run, given: list[str], says: str) -> None:
    result = run("proxy", *given)
    assert result.exit_code == 2
    assert says in result.output


def test_the_proxy_names_missing_packages(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prunus.proxy.serve._NEEDED", ("uvicorn", "no_such_package"))
    for command in (["proxy", "--port", "0"], ["run", "--store", "off", "true"]):
        result = run(*command)
        assert result.exit_code == 2
        assert "the proxy needs no-such-package: pip install no-such-package" in result.output


def test_the_proxy_says_that_its_port_is_taken(run: Run, provider: Provider) -> None:
    port = provider.url.rpartition(":")[2]
    result = run("proxy", "--port", port)
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1:{port}" in result.output
    assert "--port 0" in result.output


@pytest.mark.parametrize("command", [("proxy", "--port", "0"), ("run",)])
def test_a_text_file_given_as_store_is_refused_and_stays(
    spawn: Spawn, tmp_path: Path, command: tuple[str, ...]
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("milk, eggs\n" * 100)
    process = spawn(*command, "--store", f"sqlite:///{notes}", *(["true"] if command == ("run",) else []))
    assert process.stderr is not None
    assert f"the store {notes} is not a database" in process.stderr.readline().decode()
    process.kill()
    process.communicate()
    assert notes.read_text() == "milk, eggs\n" * 100
    assert [file.name for file in tmp_path.glob("notes*")] == ["notes.txt"]


def test_the_proxy_says_at_the_start_whose_credentials_it_sends(spawn: Spawn, provider: Provider) -> None:
    url = provider.url.replace("http://", "http://me:secret@")
    process = spawn("proxy", "--port", "0", "--store", "off", "--upstream", f"openai={url}")
    with listening(process) as listened:
        got = call(listened, "GET", "/v1/models", headers=[("authorization", "Bearer of-the-client")])
        assert got.status == 200
        assert process.stderr is not None
        said = process.stderr.readline().decode()
    process.communicate()
    assert "upstream openai: the user and password of its URL are sent as Authorization" in said
    assert "secret" not in said
    assert provider.asked[0].header("authorization") == "Basic bWU6c2VjcmV0"


def test_the_proxy_refuses_an_invalid_upstream_before_it_listens(run: Run) -> None:
    result = run("proxy", "--upstream", "openai=http://me:secret@host:port")
    assert result.exit_code == 2
    assert "upstreams.openai" in result.output
    assert "secret" not in result.output

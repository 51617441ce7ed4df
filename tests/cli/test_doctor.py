"""`prunus doctor` finds problems and says how to fix them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from prunus.cli.doctor import answers
from tests.proxy.provider import Provider

Run = Callable[..., Result]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


@pytest.fixture(autouse=True)
def _nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def install(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bin" / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def test_doctor_exits_with_zero_when_all_is_well(run: Run, tmp_path: Path, provider: Provider) -> None:
    install(tmp_path, "codex")
    sets = [f"upstreams.{name}={provider.url}" for name in ("anthropic", "openai", "gemini")]
    result = run("doctor", "--set", "proxy.port=0", *(part for one in sets for part in ("--set", one)))
    assert result.exit_code == 0, result.output
    assert "prunus run codex" in result.output
    assert "npm install -g @anthropic-ai/claude-code" in result.output
    assert f"{provider.url} answers" in result.output
    assert "To do" not in result.output
    assert not (tmp_path / "data").exists()


def test_an_upstream_that_does_not_answer_is_a_problem(run: Run, provider: Provider) -> None:
    sets = ["upstreams.anthropic=http://127.0.0.1:9", f"upstreams.openai={provider.url}"]
    sets += [f"upstreams.gemini={provider.url}", "proxy.port=0"]
    result = run("doctor", *(part for one in sets for part in ("--set", one)))
    assert result.exit_code == 1
    assert "http://127.0.0.1:9: " in result.output
    assert "--upstream anthropic=URL" in result.output


def test_a_client_that_bypasses_prunus_is_a_problem(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "claude")
    monkeypatch.setenv("CLAUDE_CODE_USE_VERTEX", "1")
    result = run("doctor", "--offline", "--set", "proxy.port=0")
    assert result.exit_code == 1
    assert "Vertex" in result.output
    assert "unset it" in result.output


@pytest.mark.parametrize(("name", "offer"), [("gemini", "hidden"), ("gemini", "mcp"), ("codex", "hidden")])
def test_a_client_without_the_hidden_tool_is_reported(run: Run, tmp_path: Path, name: str, offer: str) -> None:
    install(tmp_path, name)
    result = run("doctor", "--offline", "--set", "proxy.port=0", "--set", f"agent.offer={offer}")
    missing = (name, offer) == ("gemini", "hidden")
    assert (result.exit_code == 1) is missing
    assert ("gemini: use --agent mcp" in result.output) is missing


def test_settings_that_prune_nothing_are_a_problem(run: Run) -> None:
    result = run("doctor", "--offline", "--preset", "off", "--set", "proxy.port=0")
    assert result.exit_code == 1
    assert "nothing is pruned" in result.output


def test_a_store_that_cannot_be_read_is_a_problem(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database " * 100)
    sets = ["--set", "proxy.port=0", "--set", f"store.url=sqlite:///{broken}"]
    result = run("doctor", "--offline", *sets)
    assert result.exit_code == 1
    assert broken.read_bytes().startswith(b"this is no database")


def test_a_port_that_is_taken_is_a_problem(run: Run, provider: Provider) -> None:
    port = provider.url.rpartition(":")[2]
    result = run("doctor", "--offline", "--set", f"proxy.port={port}")
    assert f"127.0.0.1:{port}" in result.output


@pytest.mark.parametrize(("name", "none"), [("claude", False), ("codex", True)])
def test_a_client_whose_cache_cannot_live_longer_is_reported(
    run: Run, tmp_path: Path, name: str, none: bool
) -> None:
    install(tmp_path, name)
    result = run("doctor", "--offline", "--set", "proxy.port=0", "--set", "cache.lifetime=1h")
    said = " ".join(result.output.split())
    assert "takes effect only in the proxy" in said
    assert ("cache.lifetime: no effect" in said) is none


def test_an_agent_whose_proxy_is_gone_is_a_problem(run: Run, tmp_path: Path) -> None:
    install(tmp_path, "codex")
    Path("prunus.toml").write_text("[proxy]\nport = 9\n")
    run("setup", "codex", "--yes")
    result = run("doctor", "--offline")
    assert result.exit_code == 1
    assert "its settings send requests to http://127.0.0.1:9, where no proxy listens" in " ".join(
        result.output.split()
    )
    assert "codex: start `prunus proxy`, or run `prunus setup codex --undo`" in result.output


def test_an_address_of_this_machine_is_not_asked_through_the_network_proxy(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert answers(provider.url).isdigit()


def test_a_store_that_cannot_be_made_is_a_problem(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("doctor", "--offline", "--set", f"store.url=sqlite:///{tmp_path / 'file' / 'prunus.db'}")
    assert result.exit_code == 1 and "prunus.db: cannot be made" in result.output

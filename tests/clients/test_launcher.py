"""Each agent is pointed at the proxy without a change to its own files."""

import json
from pathlib import Path

import pytest

from prunus.clients.launcher import Host, Launch, launcher_of, launchers

URL = "http://127.0.0.1:9999"


def host(tmp_path: Path, **environment: str) -> Host:
    for name in ("home", "folder", "scratch"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Host(environment, tmp_path / "home", tmp_path / "folder", tmp_path / "scratch")


def test_every_client_is_sent_to_the_proxy_and_nowhere_else(tmp_path: Path) -> None:
    here = host(tmp_path)
    for client in launchers().values():
        assert client.upstreams(here) == {}
        launch = client.launch(URL, here)
        scripts = "".join(path.read_text() for path in here.scratch.iterdir())
        assert URL in f"{launch.arguments}{launch.environment}{scripts}"
        assert list(client.problems(here)) == []
        assert list((tmp_path / "home").iterdir()) == []


def test_a_base_url_that_is_set_becomes_the_upstream_with_its_path(tmp_path: Path) -> None:
    claude, gemini, other = launcher_of("claude"), launcher_of("gemini"), launcher_of("/usr/bin/anything")
    here = host(
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
    here = host(tmp_path)
    (here.folder / ".claude").mkdir()
    (here.folder / ".claude" / "settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "https://g.example/x"}}')
    client = launcher_of("claude")
    assert client.upstreams(here) == {"anthropic": "https://g.example"}
    flag, value = client.launch(URL, here).arguments
    assert (flag, json.loads(value)) == ("--settings", {"env": {"ANTHROPIC_BASE_URL": f"{URL}/@anthropic/x"}})


def test_the_provider_that_codex_uses_is_the_one_that_is_pointed_at_the_proxy(tmp_path: Path) -> None:
    here = host(tmp_path)
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
    here = host(
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
    here = host(tmp_path)
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
def test_the_launcher_names_what_keeps_requests_from_the_proxy(
    tmp_path: Path, name: str, files: dict[str, str], environment: dict[str, str], says: str
) -> None:
    here = host(tmp_path, **environment)
    for file, text in files.items():
        (here.home / file).parent.mkdir(parents=True)
        (here.home / file).write_text(text)
    [problem] = launcher_of(name).problems(here)
    assert says in problem


def test_broken_files_of_clients_are_passed_over(tmp_path: Path) -> None:
    here = host(tmp_path)
    for file in (".codex/config.toml", ".codex/auth.json", ".claude/settings.json", ".pi/agent/models.json"):
        (here.home / file).parent.mkdir(parents=True, exist_ok=True)
        (here.home / file).write_bytes(b"\xff{[")
    for client in launchers().values():
        assert client.upstreams(here) == {}
        assert client.launch(URL, here)

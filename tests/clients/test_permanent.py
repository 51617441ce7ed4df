"""An agent is kept behind the proxy by its own settings file, and let go again without a trace."""

from pathlib import Path

import pytest

from prunus.clients.launcher import Host, is_own, launcher_of, launchers
from prunus.clients.permanent import plan_setup, plan_undo, setup_state
from prunus.errors import SettingsError

URL = "http://127.0.0.1:8787"
FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/config.toml",
    "opencode": ".config/opencode/opencode.json",
    "gemini": ".gemini/.env",
    "pi": ".pi/agent/models.json",
    "mini": ".config/mini-swe-agent/.env",
}
GATEWAYS = {
    "claude": '// mine\n{\n  "env": {\n    "ANTHROPIC_BASE_URL": "https://gw.example/a", // a\n    "B": 1\n  }}\n',
    "codex": '# mine\nmodel_provider = "gw"\n\n[model_providers.gw]\nbase_url = "https://gw.example/a" # work\n',
    "opencode": '{\n\t// mine\n\t"provider": {"gw": {"options": {"baseURL": "https://gw.example/a"}}},\n}\n',
    "gemini": "# mine\nGEMINI_API_KEY=secret\nGOOGLE_GEMINI_BASE_URL=https://gw.example/a\n",
    "pi": '{"providers": {"gw": {"baseUrl": "https://gw.example/a", "models": []}}}',
    "mini": "OPENAI_API_BASE='https://gw.example/a'\nMSWEA_MODEL_NAME=openai/x\n",
}  # fmt: skip


def host(tmp_path: Path, **environment: str) -> Host:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Host(environment, home, tmp_path, tmp_path)


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def setup(name: str, here: Host, url: str = URL) -> int:
    changes = plan_setup(launcher_of(name), url, here, here.home / "prunus.toml")
    for change in changes:
        change.write()
    return len(changes)


def undo(name: str, here: Host) -> int:
    changes = plan_undo(launcher_of(name), URL, here, here.home / "prunus.toml")
    for change in changes:
        change.write()
    return len(changes)


def write(here: Host, name: str, text: str) -> Path:
    path = here.home / FILES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_the_agents_with_a_known_settings_file_are_these(tmp_path: Path) -> None:
    here = host(tmp_path)
    paths = {name: setup_state(client, URL, here).paths for name, client in launchers().items()}
    assert {name: path for name, (path,) in ((n, p) for n, p in paths.items() if p)} == {
        name: here.home / file for name, file in FILES.items()
    }


@pytest.mark.parametrize("name", FILES)
def test_a_new_file_is_made_once_and_removed_by_undo(name: str, tmp_path: Path) -> None:
    here = host(tmp_path)
    assert setup(name, here) == 1
    made = tree(here.home)
    assert list(made) == [FILES[name]] and f"{URL}/@" in made[FILES[name]]
    assert setup(name, here) == 0
    assert setup_state(launcher_of(name), URL, here).urls == (URL,)
    assert undo(name, here) == 1
    assert tree(here.home) == {}
    assert undo(name, here) == 0


@pytest.mark.parametrize("name", FILES)
def test_a_gateway_becomes_an_upstream_and_undo_restores_every_byte(name: str, tmp_path: Path) -> None:
    here = host(tmp_path)
    path = write(here, name, GATEWAYS[name])
    path.chmod(0o640)
    assert setup(name, here) == 2
    text = path.read_text()
    assert f"{URL}/@gw.example/a" in text and "https://gw.example" not in text
    assert "mine" in text or "mine" not in GATEWAYS[name]
    assert '"gw.example=https://gw.example"' in (here.home / "prunus.toml").read_text()
    assert path.stat().st_mode & 0o777 == 0o640
    copy = path.with_name(path.name + ".before-prunus")
    assert (copy.read_text(), copy.stat().st_mode & 0o777) == (GATEWAYS[name], 0o640)
    assert setup(name, here) == 0
    assert undo(name, here) == 2
    assert tree(here.home) == {FILES[name]: GATEWAYS[name]}


@pytest.mark.parametrize("name", FILES)
def test_later_changes_of_the_user_survive_undo(name: str, tmp_path: Path) -> None:
    here = host(tmp_path)
    path = write(here, name, GATEWAYS[name])
    setup(name, here)
    later = "\n# later\n" if path.suffix == ".toml" or path.name == ".env" else "\n// later\n"
    path.write_text(path.read_text() + later)
    undo(name, here)
    text = path.read_text()
    assert later in text and "https://gw.example/a" in text and "/@" not in text


@pytest.mark.parametrize("name", FILES)
def test_another_port_moves_the_agent_and_keeps_the_first_copy(name: str, tmp_path: Path) -> None:
    here = host(tmp_path)
    write(here, name, GATEWAYS[name])
    setup(name, here)
    assert setup(name, here, "http://127.0.0.1:9999") == 1
    assert setup_state(launcher_of(name), URL, here).urls == ("http://127.0.0.1:9999",)
    undo(name, here)
    assert tree(here.home) == {FILES[name]: GATEWAYS[name]}


@pytest.mark.parametrize("name", FILES)
def test_run_goes_around_the_proxy_of_setup(name: str, tmp_path: Path) -> None:
    """`prunus run` has a proxy of its own, which must not send requests through the other one."""
    here = host(tmp_path)
    setup(name, here)
    client = launcher_of(name)
    assert client.upstreams(here) == {}
    launch = client.launch("http://127.0.0.1:1", here)
    extension = tmp_path / "prunus.js"
    shown = f"{launch}{extension.read_text() if extension.exists() else ''}"
    assert "127.0.0.1:1" in shown and "8787" not in shown


def test_an_upstream_stays_while_another_agent_needs_it(tmp_path: Path) -> None:
    here = host(tmp_path)
    for name in ("claude", "pi"):
        write(here, name, GATEWAYS[name])
        setup(name, here)
    own = here.home / "prunus.toml"
    own.write_text(own.read_text() + "[proxy]\nport = 8787\n")
    undo("claude", here)
    assert "gw.example=" in own.read_text()
    undo("pi", here)
    assert "gw.example=" not in own.read_text() and "port = 8787" in own.read_text()


def test_an_account_of_codex_is_an_upstream_of_its_own(tmp_path: Path) -> None:
    here = host(tmp_path)
    (here.home / ".codex").mkdir()
    (here.home / ".codex" / "auth.json").write_text('{"tokens": {"access_token": "t"}}')
    setup("codex", here)
    assert f'"{URL}/@chatgpt.com/backend-api/codex"' in (here.home / FILES["codex"]).read_text()
    assert '"chatgpt.com=https://chatgpt.com"' in (here.home / "prunus.toml").read_text()


@pytest.mark.parametrize("name", ["claude", "codex", "opencode", "pi"])
@pytest.mark.parametrize("text", [b'{"a": ', b"\xff\xfe", b'{"env": 1, "provider": 2, "providers": 3}'])
def test_a_damaged_file_is_refused_and_stays(name: str, text: bytes, tmp_path: Path) -> None:
    here = host(tmp_path)
    path = write(here, name, "")
    path.write_bytes(text)
    with pytest.raises(SettingsError, match=f"{path.name} cannot be (read|changed): "):
        setup(name, here)
    assert [p for p in here.home.rglob("*") if p.is_file()] == [path] and path.read_bytes() == text


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    here = host(tmp_path)
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}")
    (here.home / ".claude").mkdir()
    (here.home / FILES["claude"]).symlink_to(kept)
    setup("claude", here)
    assert (here.home / FILES["claude"]).is_symlink() and "@anthropic" in kept.read_text()


def test_the_diff_shows_what_will_change_and_nothing_far_from_it(tmp_path: Path) -> None:
    here = host(tmp_path)
    write(here, "gemini", "GEMINI_API_KEY=secret\n\n\n\nGOOGLE_GEMINI_BASE_URL=https://gw.example\n")
    diff = plan_setup(launcher_of("gemini"), URL, here, here.home / "prunus.toml")[1].diff()
    assert "-GOOGLE_GEMINI_BASE_URL=https://gw.example\n" in diff
    assert f"+GOOGLE_GEMINI_BASE_URL={URL}/@gw.example" in diff
    assert "secret" not in diff


@pytest.mark.parametrize(
    ("url", "own"),
    [
        (f"{URL}/@anthropic", True),
        ("http://localhost:1/@x/v1", True),
        (URL, False),
        ("https://gw.example/@x", False),
        ("http://[::1", False),
        (3, False),
    ],
)
def test_only_addresses_of_setup_are_our_own(url: object, own: bool) -> None:
    assert is_own(url) == own

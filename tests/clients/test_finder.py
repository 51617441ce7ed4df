"""Session files are found where each agent keeps them, whatever else lies there."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prunus.clients.sessions import READERS, SessionFile, find, load, looked_in

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file below the temporary folder, changed at the given time."""

    def written(path: str, content: str = "{}", changed: float = 1000.0) -> Path:
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        os.utime(target, (changed, changed))
        return target

    return written


def found(home: Path, env: dict[str, str] | None = None) -> list[tuple[str, str]]:
    return [(file.agent, file.path.relative_to(home).as_posix()) for file in find(home, env)]


def test_a_home_without_agents_has_no_sessions(tmp_path: Path) -> None:
    assert list(find(tmp_path)) == []


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("claude-code", ".claude/projects/-home-me-app/0a1b.jsonl"),
        ("claude-code", ".claude/projects/-home-me-app/0a1b/subagents/agent-1.jsonl"),
        ("codex", ".codex/sessions/2026/11/15/rollout-2026-11-15T08-00-00-0a1b.jsonl"),
        ("codex", ".codex/archived_sessions/rollout-2026-01-01T08-00-00-0a1b.jsonl"),
        ("opencode", ".local/share/opencode/opencode.db"),
        ("opencode", ".local/share/opencode/opencode-dev.db"),
        ("pi", ".pi/agent/sessions/--home-me-app--/2026_0a1b.jsonl"),
        ("gemini-cli", ".gemini/tmp/app/chats/session-2026-11-15-0a1b.json"),
        ("gemini-cli", ".gemini/tmp/app/chats/session-2026-11-15-0a1b.jsonl"),
        ("gemini-cli", ".gemini/tmp/app/chats/parent/0a1b.jsonl"),
        ("qwen-code", ".qwen/projects/-home-me-app/chats/0a1b.jsonl"),
        ("qwen-code", ".qwen/projects/-home-me-app/subagents/0a1b/agent-1.jsonl"),
        ("qwen-code", ".qwen/tmp/app/chats/session-0a1b.json"),
        ("opencode", ".local/share/opencode/storage/session/app/ses_0a1b.json"),
        ("openhands-sdk", ".openhands/conversations/0a1b/events/event-00000-2c3d.json"),
        ("openhands", ".openhands/sessions/0a1b/events/0.json"),
        ("copilot-cli", ".copilot/session-state/0a1b/events.jsonl"),
        ("copilot-cli", ".copilot/session-state/0a1b.jsonl"),
    ],
)
def test_a_session_is_found_where_its_agent_keeps_it(put: Put, tmp_path: Path, agent: str, path: str) -> None:
    put(path)
    assert found(tmp_path) == [(agent, path)]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folder differs there")
def test_the_last_run_of_mini_swe_agent_lies_beside_its_settings(put: Put, tmp_path: Path) -> None:
    put(".config/mini-swe-agent/last_mini_run.traj.json")
    put("xdg/mini-swe-agent/last_mini_run.traj.json")
    assert found(tmp_path) == [("mini-swe-agent", ".config/mini-swe-agent/last_mini_run.traj.json")]
    moved = found(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert moved == [("mini-swe-agent", "xdg/mini-swe-agent/last_mini_run.traj.json")]


@pytest.mark.parametrize(
    "path",
    [
        ".claude/history.jsonl",
        ".claude/projects/app/memory/notes.md",
        ".codex/history.jsonl",
        ".codex/sessions/2026/notes.jsonl",
        ".local/share/opencode/opencode.db-wal",
        ".local/share/opencode/snapshot/opencode.db",
        ".gemini/tmp/app/logs.json",
        ".local/share/opencode/storage/message/ses_0a1b/msg_1.json",
        ".openhands/conversations/0a1b/events/event-00001-2c3d.json",
        ".openhands/conversations/0a1b/base_state.json",
        ".qwen/projects/app/subagents/0a1b/agent-1.meta.json",
        ".qwen/settings.json",
        ".gemini/settings.json",
        ".copilot/session-state/0a1b/files/data.jsonl",
        ".config/mini-swe-agent/.env",
    ],
)
def test_other_files_of_an_agent_are_no_sessions(put: Put, tmp_path: Path, path: str) -> None:
    put(path)
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("variable", "value", "agent", "path"),
    [
        ("CLAUDE_CONFIG_DIR", "moved", "claude-code", "moved/projects/app/a.jsonl"),
        ("CODEX_HOME", "moved", "codex", "moved/sessions/2026/rollout-a.jsonl"),
        ("XDG_DATA_HOME", "moved", "opencode", "moved/opencode/opencode.db"),
        ("OPENCODE_DB", "moved/a[1].db", "opencode", "moved/a[1].db"),
        ("PI_CODING_AGENT_DIR", "moved", "pi", "moved/sessions/app/a.jsonl"),
        ("PI_CODING_AGENT_SESSION_DIR", "moved", "pi", "moved/app/a.jsonl"),
        ("GEMINI_CLI_HOME", "moved", "gemini-cli", "moved/.gemini/tmp/app/chats/a.json"),
        ("COPILOT_HOME", "moved", "copilot-cli", "moved/session-state/a/events.jsonl"),
        ("XDG_DATA_HOME", "moved", "opencode", "moved/opencode/storage/session/app/ses_a.json"),
        ("QWEN_HOME", "moved", "qwen-code", "moved/projects/app/chats/a.jsonl"),
        ("QWEN_RUNTIME_DIR", "moved", "qwen-code", "moved/projects/app/chats/a.jsonl"),
        ("OPENHANDS_PERSISTENCE_DIR", "moved", "openhands-sdk", "moved/conversations/a/events/event-00000-b.json"),
        ("OPENHANDS_CONVERSATIONS_DIR", "moved", "openhands-sdk", "moved/a/events/event-00000-b.json"),
        ("SWE_AGENT_TRAJECTORY_DIR", "moved", "swe-agent", "moved/me/run/a/a.traj"),
        ("MSWEA_GLOBAL_CONFIG_DIR", "moved", "mini-swe-agent", "moved/a.traj.json"),
    ],
)
def test_a_variable_moves_the_folder(
    put: Put, tmp_path: Path, variable: str, value: str, agent: str, path: str
) -> None:
    put(path)
    assert found(tmp_path) == []
    assert found(tmp_path, {variable: str(tmp_path / value)}) == [(agent, path)]
    assert found(tmp_path, {variable: f"~/{value}"}) == [(agent, path)]


def test_a_relative_database_of_opencode_lies_in_its_data_folder(put: Put, tmp_path: Path) -> None:
    put(".local/share/opencode/mine.db")
    assert found(tmp_path, {"OPENCODE_DB": "mine.db"}) == [("opencode", ".local/share/opencode/mine.db")]


def test_files_that_the_database_of_opencode_took_over_are_not_found_again(put: Put, tmp_path: Path) -> None:
    put(".local/share/opencode/storage/session/app/ses_a.json")
    put(".local/share/opencode/opencode.db")
    assert found(tmp_path) == [("opencode", ".local/share/opencode/opencode.db")]


@pytest.mark.parametrize("value", ["", ":memory:"])
def test_a_database_in_memory_is_no_file(put: Put, tmp_path: Path, value: str) -> None:
    put(".local/share/opencode/opencode.db")
    assert len(found(tmp_path, {"OPENCODE_DB": value, "CODEX_HOME": " "})) == 1


def test_this_users_environment_counts_only_for_this_users_home(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("moved/projects/app/a.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert list(find(tmp_path)) == []
    assert [file.path for file in find() if file.agent == "claude-code"] == [
        tmp_path / "moved" / "projects" / "app" / "a.jsonl"
    ]


def test_the_newest_comes_first_across_agents(put: Put, tmp_path: Path) -> None:
    put(".claude/projects/app/old.jsonl", changed=10)
    put(".codex/sessions/rollout-new.jsonl", changed=30)
    put(".claude/projects/app/middle.jsonl", changed=20)
    assert [file.path.stem for file in find(tmp_path)] == ["rollout-new", "middle", "old"]


def test_a_found_session_has_its_modification_time_and_size(put: Put, tmp_path: Path) -> None:
    path = put(".claude/projects/app/a.jsonl", "12345", changed=77.0)
    assert list(find(tmp_path)) == [SessionFile("claude-code", path, 77.0, 5)]


def test_empty_files_folders_and_dangling_links_are_left_out(put: Put, tmp_path: Path) -> None:
    kept = put(".claude/projects/app/kept.jsonl")
    put(".claude/projects/app/empty.jsonl", "")
    (kept.parent / "folder.jsonl").mkdir()
    (kept.parent / "dangling.jsonl").symlink_to(tmp_path / "nowhere")
    (kept.parent / "itself.jsonl").symlink_to(kept.parent / "itself.jsonl")
    assert [file.path for file in find(tmp_path)] == [kept]


def test_linked_folders_are_followed_but_not_in_circles(put: Put, tmp_path: Path) -> None:
    put("disk/app/a.jsonl")
    projects = tmp_path / ".claude" / "projects"
    projects.mkdir(parents=True)
    (projects / "app").symlink_to(tmp_path / "disk" / "app")
    (tmp_path / "disk" / "app" / "back").symlink_to(projects)
    (tmp_path / "disk" / "app" / "self").symlink_to(tmp_path / "disk" / "app")
    assert found(tmp_path) == [("claude-code", ".claude/projects/app/a.jsonl")]


def test_a_file_of_two_names_is_found_once(put: Put, tmp_path: Path) -> None:
    path = put(".claude/projects/app/a.jsonl")
    (path.parent / "b.jsonl").symlink_to(path)
    assert len(list(find(tmp_path))) == 1


def test_a_folder_that_cannot_be_listed_hides_only_itself(put: Put, tmp_path: Path) -> None:
    put(".codex/sessions/rollout-a.jsonl")
    put(".claude/projects", "a file where a folder should be")
    shut = put(".codex/sessions/shut/rollout-b.jsonl").parent
    shut.chmod(0)
    try:
        stems = {file.path.stem for file in find(tmp_path)}
    finally:
        shut.chmod(0o700)
    assert "rollout-a" in stems
    assert stems <= {"rollout-a", "rollout-b"}  # root can list any folder


def test_the_finder_names_the_folders_it_searched_even_if_they_are_empty(tmp_path: Path) -> None:
    looked = looked_in(tmp_path, {"CODEX_HOME": "/elsewhere"})
    assert ("claude-code", tmp_path / ".claude" / "projects") in looked
    assert ("codex", Path("/elsewhere/sessions")) in looked
    assert {agent for agent, _ in looked} <= set(READERS)


def test_every_found_session_can_be_loaded(put: Put, tmp_path: Path) -> None:
    lines = [
        {"type": "user", "uuid": "a", "sessionId": "s", "message": {"role": "user", "content": "Hello"}},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s"}
        | {"message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Hi"}]}},
    ]
    put(".claude/projects/app/talk.jsonl", "\n".join(json.dumps(line) for line in lines))
    (file,) = find(tmp_path)
    assert [(session.name, session.agent) for session in load(file.path)] == [("talk", file.agent)]

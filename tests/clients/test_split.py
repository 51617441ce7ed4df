"""A session in many small files is the one that a single file would hold."""

import json
from pathlib import Path
from typing import Any

import pytest

from prunus.clients.sessions import load
from tests.recorded.files import recorded
from tests.recorded.writers import Told


def put(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def opencode_files(folder: Path, document: dict[str, Any]) -> Path:
    """What OpenCode wrote before it had a database."""
    for message in document["messages"]:
        info = message["info"]
        put(folder / "message" / info["sessionID"] / f"{info['id']}.json", info)
        for number, part in enumerate(message["parts"]):
            put(folder / "part" / info["id"] / f"prt_{number:03}.json", part)
    return put(folder / "session" / "project" / f"{document['info']['id']}.json", document["info"])


@pytest.mark.parametrize("compact", [0, 13])
def test_files_of_opencode_give_what_an_export_gives(tmp_path: Path, compact: int) -> None:
    told = Told(compact=compact, session="ses_1")
    exported = recorded(tmp_path, "opencode", told)
    document = json.loads((tmp_path / "opencode-ses_1.json").read_text())
    loaded = load(opencode_files(tmp_path / "storage", document))
    assert [(s.messages, s.requests, s.times) for s in loaded] == [
        (s.messages, s.requests, s.times) for s in exported
    ]
    assert [s.name for s in loaded] == ["ses_1", "ses_1#2"][: len(exported)]


def test_damaged_files_of_opencode_are_counted(tmp_path: Path) -> None:
    recorded(tmp_path, "opencode", Told(session="ses_1"))
    path = opencode_files(tmp_path / "storage", json.loads((tmp_path / "opencode-ses_1.json").read_text()))
    put(tmp_path / "storage" / "message" / "ses_1" / "msg_zzz.json", "{cut")
    put(tmp_path / "storage" / "part" / "msg_ses_1_000" / "prt_zzz.json", "[1]")
    (session,) = load(path)
    assert session.skipped == 2
    assert len(session.requests) == 26


@pytest.mark.parametrize(("agent", "name"), [("openhands", "{}.json"), ("openhands-sdk", "event-{:05}-0a1b.json")])
def test_events_of_openhands_are_read_in_the_order_of_their_numbers(tmp_path: Path, agent: str, name: str) -> None:
    whole = recorded(tmp_path, agent)
    events = json.loads((tmp_path / f"{agent}-s1.json").read_text())
    folder = tmp_path / "0a1b" / "events"
    for number, event in enumerate(events):
        put(folder / name.format(number), event)
    put(folder / name.format(len(events)), "{cut")
    put(folder / "notes.json", {})
    (session,) = load(folder / name.format(0))
    assert (session.messages, session.requests, session.times) == (
        whole[0].messages,
        whole[0].requests,
        whole[0].times,
    )
    assert (session.name, session.agent, session.skipped) == ("0a1b", agent, 1)


def test_a_file_in_a_folder_named_session_is_read_by_itself(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    (session,) = load(put(tmp_path / "session" / "x" / "talk.json", chat))
    assert session.agent == "openai-chat"

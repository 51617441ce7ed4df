"""What every folder below `prunus.clients` must offer, and that nothing else knows a client by name."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prunus.calls.meaning import Tool
from prunus.clients.client import ALL, Client, Home
from prunus.clients.dialect import Dialect, pattern, words
from prunus.clients.launcher import Launcher, launcher_of, launchers
from prunus.clients.sessions import READERS
from tests.recorded.files import WRITERS, recorded
from tests.sources import python_files

SOURCE = Path(__file__).parent.parent.parent / "src" / "prunus"

NAMES = re.compile(
    r"claude.?code|codex|opencode|gemini.?cli|qwen.?code|\bpi\b|swe.?agent|openhands|copilot|aider"
    r"|system-reminder",
    re.I,
)
ALLOWED = {
    "providers": "OpenCode's own messages are one of the formats",
    "strategies/step_markers.py": "markers that only OpenCode's own messages have",
    "shell": "agents are also programs that a command may start",
    "schedule/prices.py": "names of models, and where a price was found",
    "settings/acp.py": "a setting of an OpenCode plugin",
    "cli": "help for users",
    "integrations/mini_swe_agent.py": "what serves the library of a client is named after it",
    "integrations/openhands.py": "what serves the library of a client is named after it",
}
"""Where the name of a client may stand, and why."""

every_client = pytest.mark.parametrize("client", ALL, ids=[client.name for client in ALL])


def test_every_folder_is_on_the_list_once() -> None:
    folders = {path.parent.name for path in (SOURCE / "clients").glob("*/*.py")}
    names = [client.name for client in ALL]
    assert len(set(names)) == len(names)
    assert folders <= set(names)


@every_client
def test_a_folder_holds_known_modules_and_a_table_of_tools(client: Client) -> None:
    if not (SOURCE / "clients" / client.name).exists():
        return
    modules = {path.name for path in (SOURCE / "clients" / client.name).glob("*.py")}
    assert modules <= {"__init__.py", "sessions.py", "launch.py"}
    tools = client.module().TOOLS
    assert all(isinstance(tool, Tool) for tool in tools)
    rows = [(tool.name, tool.needs, tool.when, tool.metadata) for tool in tools]
    assert len(set(rows)) == len(rows), "a row that never applies"


@every_client
def test_a_dialect_is_data_that_fits_its_fields(client: Client) -> None:
    dialect = getattr(client.module(), "DIALECT", None)
    if dialect is None:
        return
    assert isinstance(dialect, Dialect)
    assert Dialect() != dialect, "an empty dialect needs no value"


def test_every_field_of_a_dialect_has_words_of_some_client() -> None:
    for field in Dialect.__dataclass_fields__:
        assert words(field), field
    for field in ("exit_code_first", "exit_code_last", "process_id"):
        assert pattern(field).groups >= len(words(field))


@every_client
def test_a_reader_of_sessions_has_a_name_and_knows_its_folders(client: Client, tmp_path: Path) -> None:
    module = client.module("sessions")
    if module is None:
        return
    assert READERS[client.name.replace("_", "-")] is module
    for name, parameters in (("recognise", 1), ("sessions", 1), ("folders", 1)):
        assert len(inspect.signature(getattr(module, name)).parameters) == parameters
    for folder, patterns in module.folders(Home(tmp_path, {})):
        assert folder.is_relative_to(tmp_path)
        assert patterns


@pytest.mark.parametrize("agent", sorted(set(WRITERS) & set(READERS)))
def test_the_first_reader_that_recognises_a_recording_is_its_own(tmp_path: Path, agent: str) -> None:
    [session, *_] = recorded(tmp_path, agent)
    assert session.agent == agent


@every_client
def test_a_launcher_starts_one_program(client: Client) -> None:
    if client.program:
        assert client.install
        assert launcher_of(client.program) == launchers()[client.program]
    if module := client.module("launch"):
        assert isinstance(launchers()[client.program], module.LAUNCHER)
        assert issubclass(module.LAUNCHER, Launcher)


def test_the_library_loads_no_reader_of_sessions_and_no_launcher() -> None:
    code = "import prunus, sys; prunus.prune({'messages': []}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "prunus.clients.codex" in loaded
    assert not [
        name for name in loaded if name.startswith("prunus.clients") and name.endswith(("sessions", "launch"))
    ]


def named(path: Path) -> Iterator[str]:
    """The lines of a file that name a client."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if NAMES.search(line) and not line.lstrip().startswith("from prunus.clients."):
            yield f"{path.relative_to(SOURCE).as_posix()}:{number}: {line.strip()}"


def test_only_a_client_knows_its_name() -> None:
    allowed = [SOURCE / "clients", *(SOURCE / place for place in ALLOWED)]
    found = [
        line
        for path in python_files(SOURCE)
        if not any(path.is_relative_to(place) for place in allowed)
        for line in named(path)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("place", ALLOWED)
def test_every_allowed_place_still_needs_its_exception(place: str) -> None:
    root = SOURCE / place
    paths = [root] if root.is_file() else sorted(root.rglob("*.py"))
    assert any(line for path in paths for line in named(path))

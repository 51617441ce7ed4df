from collections.abc import Callable
from pathlib import Path

import pytest

from prunus.files import FileHistory, render, style_source
from tests.files.agents import Agent, Claude, OpenCode, OpenHands, Pi
from tests.files.talk import edit, history, read


@pytest.mark.parametrize(
    "make",
    [Claude, lambda: Claude("→", 6), OpenCode, OpenHands, Pi],
    ids=["claude", "claude-1", "opencode", "openhands", "pi"],
)
def test_a_view_looks_like_what_the_agent_would_read(make: Callable[[], Agent], tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("".join(f"line {number}\n" for number in range(1, 13)))
    agent = make()
    agent.read(path)
    agent.edit(path, "line 3", "third\nand more")
    files = FileHistory(tuple(agent.talk.messages))
    [file] = files.files
    like = next(mention for mention in file.mentions if mention.use == 0)
    shown = render(files.file_state_at(str(path)), like)
    agent.read(path)
    assert shown == agent.talk.messages[-1].parts[0].text  # type: ignore[union-attr]


def test_chosen_lines_keep_their_numbers() -> None:
    files = history(read("/w/a.py", "a", "b", "c"))
    [file] = files.files
    like = style_source(file)
    assert like is not None
    assert render(files.file_state_at("/w/a.py"), like, (1, 3)) == "1\ta\n3\tc\n4\t"


def test_a_format_without_numbers_shows_no_gaps() -> None:
    files = history(("read", {"path": "/w/a.py"}, "a\nb\nc\n"))
    [file] = files.files
    like = style_source(file)
    assert like is not None
    assert render(files.file_state_at("/w/a.py"), like, (1, 3)) is None
    assert render(files.file_state_at("/w/a.py"), like, (2, 3)) is None
    assert render(files.file_state_at("/w/a.py"), like, (1, 2)) == "a\nb"


def test_an_edit_is_no_model_for_a_view() -> None:
    files = history(edit("/w/a.py", "a", "b"))
    [file] = files.files
    assert style_source(file) is None

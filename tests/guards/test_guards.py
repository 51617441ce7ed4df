"""Every case of the pages in this folder, and what no strategy proposes."""

from pathlib import Path

import pytest

from prunus.edits import Note, Proposal
from prunus.guards.feasible import OpenCalls
from prunus.guards.protected import Critical, Definitions
from prunus.history import Ref
from prunus.providers import read
from prunus.settings import Settings
from prunus.view.view import View
from tests.strategies.notation import Case, page
from tests.strategies.run import check, formats_of

PAGES = sorted(Path(__file__).parent.glob("*.md"))


@pytest.mark.parametrize(
    ("guard", "case", "format"),
    [
        pytest.param(path.stem, case, format, id=f"{path.stem}: {case.title} ({format})")
        for path in PAGES
        for case in page(path)
        for format in formats_of(case)
    ],
)
def test_case(guard: str, case: Case, format: str) -> None:
    problems = check(case, guard, format)
    assert not problems, "\n".join(problems)


def view_of(body: bytes) -> View:
    """A view that has heard all of a request."""
    history = read(body)
    settings = Settings()
    view = View(settings.toolbox(), settings.counter())
    view.look_at(history.messages.__getitem__)
    for message in history.messages:
        view.extend(message)
    return view


def cut(message: int, part: int, *, only_code: bool = False) -> Proposal:
    note = Note("[Prunus: it is gone.]")
    return Proposal(Ref(message, part), note, "any", "because", only_code=only_code)


CHAT = b"""{"messages": [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hi.", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
    {"role": "user", "content": "Never mind."}
]}"""


def test_a_call_without_a_result_is_held_back() -> None:
    held = OpenCalls().hold(cut(2, 1), view_of(CHAT))
    assert held is not None and "not both there" in held.reason


@pytest.mark.parametrize(("message", "owner"), [(0, "system"), (1, "user")])
def test_words_of_the_user_and_the_system_are_held_back(message: int, owner: str) -> None:
    held = Critical().hold(cut(message, 0), view_of(CHAT))
    assert held is not None and owner in held.reason


def test_only_fenced_code_of_the_user_may_be_shortened() -> None:
    view = view_of(CHAT)
    assert Critical().hold(cut(1, 0, only_code=True), view) is None
    assert Critical().hold(cut(0, 0, only_code=True), view) is not None


def test_words_of_the_assistant_are_not_critical() -> None:
    assert Critical().hold(cut(2, 0), view_of(CHAT)) is None


def test_an_item_with_tool_definitions_is_held_back() -> None:
    body = b"""{"input": [{"type": "additional_tools", "tools": [{"name": "look"}]},
        {"type": "message", "role": "user", "content": "Hello."}]}"""
    view = view_of(body)
    assert Definitions().hold(cut(0, 0), view) is not None
    assert Definitions().hold(cut(1, 0), view) is None

"""Shown lines: agents that really edit a file; a read that points elsewhere is shown there, line for line."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from tests.files.agents import AGENTS, Agent, lines_of
from tests.laws.edited_file import Author, Step, body_of, every_agent, few, settled, shrunk, worked

Numbered = dict[int, str]
"""Lines by their numbers."""

LOW: Final = {"enabled": True, "over": 100}
ALONE: Final = Settings(preset="off", schedule="eager", strategies={"shown_lines": LOW})
AUTO: Final = Settings(preset="auto", schedule="eager", strategies={"shown_lines": LOW})
IMPATIENT: Final = Settings(
    preset="auto",
    schedule="eager",
    strategies={
        "shown_lines": LOW,
        "finished_results": {"idle": 1, "shell": 1, "over": 100},
        "finished_inputs": {"idle": 1, "over": 20, "edits": True},
        "folded_views": {"share": 0.0, "least": 1, "idle": 2, "gone": 4},
    },
)
PATIENT: Final = Settings(
    preset="auto",
    strategies={"shown_lines": LOW, "finished_results": {"idle": 1, "shell": 1, "over": 100}},
    prices=[{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}],
    schedules={"cache": {"patience": 0.5, "stake": 1.0}},
)
COMMANDS: Final = (
    "ls",
    "cat file.txt",
    "sed -n '2,14p' file.txt",
    "sed -i '2,4d' file.txt",
    "sed -i 's/value/worth/' file.txt",
    "sed -i '3a added by a command' file.txt",
    "echo more >> file.txt",
    "python3 change.py",
    "./change.sh",
)
PRINTED: Final = {"cat file.txt": (1, None), "sed -n '2,14p' file.txt": (2, 13)}
READS: Final = st.one_of(
    st.tuples(st.just("read"), st.none(), st.none()),
    st.tuples(st.just("read"), st.integers(1, 6), st.integers(5, 30)),
)
STEPS: Final = st.one_of(
    READS,
    READS,
    READS,
    st.tuples(st.just("edit"), st.tuples(st.integers(0, 30), st.integers(0, 2), st.integers(0, 3)), st.none()),
    st.tuples(st.just("write"), st.integers(12, 25), st.none()),
    st.tuples(st.just("shell"), st.sampled_from(COMMANDS), st.none()),
)
MOVED: Final = re.compile(r"; lines (\d+)-(\d+) are lines (\d+)-\d+ there\.\]\Z")
NUMBER: Final = re.compile(r" *(\d+)(?:→|\t|: )(.*)\Z")


def told(start: int, steps: list[Step], make: Callable[[], Agent]) -> Iterator[tuple[Any, dict[int, Numbered]]]:
    """The request after each step, and the lines of the file that its reads and writes show, by message."""
    shown: dict[int, Numbered] = {}
    for step, (body, path) in zip(steps, worked(start, steps, make), strict=True):
        result = len(body["messages"]) - 1
        match step:
            case ("read", first, count):
                shown[result] = window(path, first or 1, count)
            case ("shell", command, _) if command in PRINTED:
                shown[result] = window(path, *PRINTED[command])
            case ("write", _, _):
                shown[result - 1] = window(path, 1, None)
        yield body, shown


def window(path: Path, first: int, count: int | None) -> Numbered:
    lines = lines_of(path)
    last = len(lines) if count is None else first + count - 1
    return {number: line for number, line in enumerate(lines, 1) if first <= number <= last}


def text_of(message: Any) -> str:
    """What a message shows: the text of a result, or the arguments of a call as the model wrote them."""
    match message["content"][0]:
        case {"type": "tool_result", "content": text}:
            return str(text)
        case {"type": "tool_use", "input": given}:
            return "\n".join(map(str, given.values()))
    raise AssertionError(message)


def numbered(text: str) -> Numbered:
    """The lines of a text that show their numbers."""
    found = filter(None, map(NUMBER.match, text.split("\n")))
    return {int(one[1]): one[2] for one in found}


def check(body: Any, outcome: Outcome, shown: dict[int, Numbered]) -> int:
    """Every read that points elsewhere is shown there; how many do."""
    assert outcome.error is None
    touched = {edit.target for edit in outcome.edits}
    assert touched.isdisjoint(edit.points_to for edit in outcome.edits)
    pointers = [edit for edit in outcome.edits if edit.strategy == "shown_lines"]
    for edit in pointers:
        assert edit.points_to is not None and edit.points_to < edit.target
        source = body["messages"][edit.points_to.message]
        assert outcome.body["messages"][edit.points_to.message] == source
        moved = MOVED.search(text_of(outcome.body["messages"][edit.target.message]))
        first, last, there = map(int, moved.groups()) if moved else (1, 1, 1)
        own, text = shown[edit.target.message], text_of(source)
        assert not moved or (first, last) == (min(own), max(own))
        removed = {number - first + there: line for number, line in own.items()}
        assert len(text_of(body["messages"][edit.target.message])) > 100
        numbers = numbered(text)
        held = shown.get(edit.points_to.message, numbers)
        assert removed and removed.items() <= held.items()
        assert not numbers or removed.items() <= numbers.items()
        assert {line for line in removed.values() if line} <= set(text.split("\n")) | set(numbers.values())
    return len(pointers)


sessions = given(start=st.integers(12, 40), steps=st.lists(STEPS, min_size=4, max_size=10))


@every_agent
@few
@sessions
def test_a_read_that_points_elsewhere_is_shown_there(name: str, start: int, steps: list[Step]) -> None:
    pruners = [Pruner(chosen) for chosen in (ALONE, AUTO, IMPATIENT, PATIENT)]
    for time, (body, shown) in enumerate(told(start, steps, AGENTS[name])):
        for pruner in pruners:
            check(body, pruner.prune(body, now=float(time)), shown)


@every_agent
@few
@sessions
def test_pointers_shrink_stay_and_are_the_same_at_once_and_step_by_step(
    name: str, start: int, steps: list[Step]
) -> None:
    chosen = (ALONE, AUTO, IMPATIENT)
    pruners = [Pruner(one) for one in chosen]
    for body, _ in told(start, steps, AGENTS[name]):
        for one, pruner in zip(chosen, pruners, strict=True):
            settled(shrunk(pruner, one, body), one)


def last(name: str, *steps: Step, chosen: Settings = ALONE) -> tuple[Any, Outcome, dict[int, Numbered]]:
    """What becomes of a session that then goes on with something else."""
    pruner, rest = Pruner(chosen), [("shell", "ls", None)] * 2
    *_, (body, outcome, shown) = (
        (body, pruner.prune(body, now=0.0), shown) for body, shown in told(40, [*steps, *rest], AGENTS[name])
    )
    return body, outcome, shown


WHOLE: Final = ("read", None, None)
FIRST, SOME, OTHERS = ("read", 2, 30), ("read", 3, 20), ("read", 5, 12)
WRITTEN: Final = ("write", 40, None)


@every_agent
@pytest.mark.parametrize(
    ("steps", "source"), [((WHOLE, SOME, OTHERS), 2), ((FIRST, SOME, OTHERS), 2), ((WRITTEN, SOME, OTHERS), 1)]
)
def test_every_agent_reads_what_is_shown_already(name: str, steps: tuple[Step, ...], source: int) -> None:
    """The laws are not kept by doing nothing."""
    body, outcome, shown = last(name, *steps)
    assert check(body, outcome, shown) == 2
    assert {edit.points_to for edit in outcome.edits} == {(source, 0)}


@every_agent
@pytest.mark.parametrize("change", ["sed -i '2,4d' file.txt", "./change.sh"])
def test_lines_that_moved_are_shown_again(name: str, change: str) -> None:
    for first in WHOLE, WRITTEN:
        _, outcome, _ = last(name, first, ("shell", change, None), SOME)
        assert outcome.edits == ()


@pytest.mark.parametrize("name", ["claude", "opencode", "openhands"])
def test_a_note_gives_both_numbers_of_lines_that_an_edit_has_moved(name: str) -> None:
    body, outcome, shown = last(name, WHOLE, ("edit", (2, 0, 3), None), ("read", 10, 20))
    assert check(body, outcome, shown) == 1
    assert "; lines 10-29 are lines 8-27 there.]" in text_of(outcome.body["messages"][6])


@every_agent
def test_lines_that_changed_are_shown_again(name: str) -> None:
    for first in WHOLE, WRITTEN:
        _, outcome, _ = last(name, first, ("edit", (10, 1, 2), None), SOME)
        assert outcome.edits == ()


@every_agent
def test_a_file_that_somebody_else_has_changed_is_shown_again(name: str) -> None:
    """Nothing in the history tells of it but the read itself."""
    pruner, agent = Pruner(ALONE), AGENTS[name]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.txt"
        path.write_text("\n".join(Author().lines(40)) + "\n")
        agent.read(path)
        path.write_text(path.read_text().replace("value_9 ", "worth_9 "))
        agent.read(path, 3, 20)
        agent.shell(path, "ls")
        agent.shell(path, "ls")
        assert pruner.prune(body_of(agent.talk.messages, folder), now=0.0).edits == ()


def test_a_read_of_shown_lines_is_never_sent_in_full() -> None:
    """With the schedule `cache` the note stands there from the first request on, so that no cache is lost."""
    chosen = Settings(preset="off", strategies={"shown_lines": LOW})
    pruner, before = Pruner(chosen), list[Any]()
    for time, (body, shown) in enumerate(told(80, [WHOLE, SOME, OTHERS, ("shell", "ls", None)], AGENTS["pi"])):
        outcome = pruner.prune(body, now=float(time))
        assert check(body, outcome, shown) == min(time, 2)
        assert outcome.flush is None and outcome.body["messages"][: len(before)] == before
        before = outcome.body["messages"]


@every_agent
def test_a_command_that_computed_lines_does_not_show_them(name: str) -> None:
    body, outcome, shown = last(name, WHOLE, ("shell", "sed -i 's/value/worth/' file.txt", None), SOME)
    check(body, outcome, shown)
    assert outcome.edits == ()


@every_agent
def test_the_new_end_of_a_file_is_shown(name: str) -> None:
    """Only the new read tells where the file ends now: the earlier one shows lines that are gone."""
    _, outcome, _ = last(name, WHOLE, ("shell", "sed -i '30,40d' file.txt", None), WHOLE)
    assert outcome.edits == ()

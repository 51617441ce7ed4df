"""Folds: agents that really edit a file; no wrong line is ever shown, and no edit becomes impossible."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from prunus.edits import Shorter
from prunus.notes import is_view, split_outlines
from tests.files.agents import AGENTS, Agent, Claude, lines_of
from tests.laws.edited_file import Step, every_agent, few, settled, shrunk, worked

FOLDING: Final = {"enabled": True, "share": 0.0, "least": 1, "idle": 1_000, "gone": 1_000}
LASTING: Final = Settings(preset="off", schedule="eager", strategies={"folded_views": FOLDING})
PATIENT: Final = Settings(
    preset="off",
    strategies={"folded_views": FOLDING},
    schedules={"cache": {"patience": 1.0, "stake": 1.0}},
    prices=[{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}],
)
FADING: Final = Settings(
    preset="off", schedule="eager", strategies={"folded_views": {**FOLDING, "share": 0.2, "idle": 1, "gone": 3}}
)
COMPRESSED: Final = Settings(
    preset="off", schedule="eager", strategies={"old_edits": {"enabled": True, "turns": 1, "run": 2}}
)
PLACES: Final = st.tuples(st.integers(0, 30), st.integers(0, 4), st.integers(0, 4))
STEPS: Final = st.one_of(
    st.tuples(st.just("read"), st.none(), st.none()),
    st.tuples(st.just("read"), st.integers(1, 30), st.integers(1, 20)),
    st.tuples(st.just("edit"), PLACES, st.none()),
    st.tuples(st.just("edit"), PLACES, st.none()),
    st.tuples(st.just("edit"), PLACES, st.none()),
    st.tuples(st.just("fail"), st.none(), st.none()),
    st.tuples(st.just("write"), st.integers(0, 25), st.none()),
    st.tuples(
        st.just("shell"),
        st.sampled_from(
            [
                "ls",
                "sed -i '2,4d' file.txt",
                "sed -i '3a added by a command' file.txt",
                "echo more >> file.txt",
                "cat file.txt",
                "sed -n '2,14p' file.txt",
                "python3 change.py",
                "./change.sh",
            ]
        ),
        st.none(),
    ),
)


def told(start: int, steps: list[Step], make: Callable[[], Agent]) -> Iterator[tuple[Any, list[str]]]:
    """The request after each step, and the file as it then is."""
    return ((body, lines_of(path)) for body, path in worked(start, steps, make))


def texts(body: Any) -> Iterator[str]:
    """Every text of a request, with the numbers of lines and without."""
    match body:
        case str():
            yield body
            yield re.sub(r"(?m)^ *\d+(?:→|\t|: )|^[+-]", "", body)
        case list():
            for inner in body:
                yield from texts(inner)
        case dict():
            for inner in body.values():
                yield from texts(inner)


def lost(truth: list[str], before: Any, after: Any) -> list[str]:
    """The lines of the file that an edit could have named before and cannot any more, if it is the only one."""
    full, pruned = (
        {line for text in texts(body["messages"]) for line in text.split("\n")} for body in (before, after)
    )
    return [line for line in truth if line in full and line not in pruned and "value_" in line]


def views(outcome: Outcome) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The views of a request: the message that each stands in, and its lines by number."""
    for edit in outcome.edits:
        if edit.covers and isinstance(edit.replacement, Shorter):
            lines: list[tuple[int, str]] = []
            # Behind the view of a file that was written may stand an outline of what was written.
            text, *_ = split_outlines(edit.replacement.text)
            for line in text.split("\n")[_head(text) + 1 :]:
                if run := re.fullmatch(r"\[lines (\d+)-\d+\]", line):
                    number = int(run[1]) - 1
                elif numbered := re.match(r" *(\d+)(?:→|\t|: )(.*)\Z", line):
                    lines.append((int(numbered[1]), numbered[2]))
                else:
                    number += 1
                    lines.append((number, line))
            yield edit.target.message, lines


def _head(text: str) -> int:
    return next(at for at, line in enumerate(text.split("\n")) if is_view(line))


sessions = given(start=st.integers(5, 40), steps=st.lists(STEPS, min_size=3, max_size=12))


@every_agent
@few
@sessions
def test_no_wrong_line_is_shown_and_no_edit_becomes_impossible(name: str, start: int, steps: list[Step]) -> None:
    pruner, states = Pruner(LASTING), dict[int, list[str]]()
    for body, truth in told(start, steps, AGENTS[name]):
        states[len(body["messages"]) - 1] = truth
        outcome = pruner.prune(body, now=0.0)
        assert outcome.error is None
        assert lost(truth, body, outcome.body) == []
        for message, lines in views(outcome):
            for number, line in lines:
                assert states[message][number - 1] == line


@every_agent
@few
@sessions
def test_a_fold_waits_for_its_time_and_is_made_as_a_whole(name: str, start: int, steps: list[Step]) -> None:
    pruner, before = Pruner(PATIENT), list[Any]()
    for time, (body, truth) in enumerate(told(start, steps, AGENTS[name])):
        outcome = pruner.prune(body, now=float(time))
        assert outcome.error is None
        assert lost(truth, body, outcome.body) == []
        after = outcome.body["messages"]
        assert outcome.flush is not None or after[: len(before)] == before
        before = after


@every_agent
@few
@sessions
def test_folds_shrink_and_are_the_same_at_once_and_step_by_step(name: str, start: int, steps: list[Step]) -> None:
    for chosen in (LASTING, FADING, COMPRESSED):
        pruner = Pruner(chosen)
        for body, _ in told(start, steps, AGENTS[name]):
            outcome = shrunk(pruner, chosen, body)
        settled(outcome, chosen)


def test_a_view_is_not_shown_if_the_parts_that_it_covers_are_protected() -> None:
    steps = [("read", None, None), ("edit", (3, 2, 4), None), ("read", 2, 20), ("shell", "ls", None)]
    protected = Settings(
        preset="off",
        schedule="eager",
        strategies={"folded_views": FOLDING},
        guards={"protected_tools": {"victims": ["Read", "Edit"]}},
    )
    free, held = (
        [Pruner(chosen).prune(body, now=0.0) for body, _ in told(40, steps, Claude)][-1]
        for chosen in (LASTING, protected)
    )
    assert free.edits and not held.edits


def test_old_edits_are_compressed_when_the_context_runs_short() -> None:
    steps = [*(("edit", (at, 3, 4), None) for at in range(0, 20, 2)), *[("shell", "ls", None)] * 6]
    for pressure, compressed in ({}, False), ({"moderate": 0.001, "high": 0.002, "relief": 0.0001}, True):
        chosen = Settings(preset="off", strategies={"old_edits": {"enabled": True}}, pressure=pressure)
        pruner = Pruner(chosen)
        *_, outcome = (pruner.prune(body, now=0.0) for body, _ in told(40, steps, Claude))
        assert (
            any("10 changes between turns 1-10]" in str(edit.replacement) for edit in outcome.edits) == compressed
        )
        assert outcome.report.tokens_after <= outcome.report.tokens_before

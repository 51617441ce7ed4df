"""Hypothesis strategies for agent sessions.

Only small numbers are drawn, so that examples are quick to make and shrink well; texts follow from them. Files
have versions: reading one twice without a change between shows the same text.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.generate.session import Action, Ask, Kind, Session, Step

__all__ = ["build", "random_session", "sessions", "words"]

_WORDS = (
    "value", "return", "self", "import", "index", "buffer", "naïve", "queue", "parse", "result", "error", "filter",
    "Größe", "table", "widget", "日本", "signal", "worker", "config", "number", "client", "socket", "lambda",
    "header", "render", "token", "branch", "🌱", "module", "object", "window", "total",
)  # fmt: skip
_PATHS = (
    "/home/user/app/src/main.py",
    "/home/user/app/src/parse.py",
    "/home/user/app/README.md",
    "/home/user/app/pyproject.toml",
)
_COMMANDS = ("ls -la", "git status", "npm test", "cd src", "python -m pytest -q", "git log --oneline", "make build")
STUB = "File unchanged since last read. The content from the earlier Read tool_result is still current."
_SIZES = (0, 3, 40, 90, 300)
_KINDS: tuple[Kind, ...] = (
    "read", "read", "read", "read_lines", "write", "edit", "shell", "shell", "local", "todo", "fetch", "search",
    "list", "task", "tools", "snapshot", "other", "hosted", "remote", "program",
)  # fmt: skip
_ODDITIES = (
    "",
    "",
    "",
    "",
    "",
    "",
    "failed",
    "failed",
    "stub",
    "missing",
    "compacted",
    "running",
    "long",
    "picture",
    "blocks",
)


@lru_cache(4096)
def words(seed: int, count: int) -> str:
    """Words that follow from a number, some lines of them."""
    found: list[str] = []
    for i in range(count):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        found.append(_WORDS[(seed >> 8) % len(_WORDS)] + ("\n" if i % 9 == 8 else " "))
    return "".join(found).rstrip()


_THINKING = ("", "", "open", "hidden")
_SAID = (0, 6, 40)
_ASKS = ("plain", "code", "picture")
_ASKED = (4, 30)
_actions = st.tuples(
    st.sampled_from(_KINDS),
    st.integers(0, 3),
    st.integers(0, 2),
    st.sampled_from(_SIZES),
    st.sampled_from(_ODDITIES),
)
_steps = st.tuples(
    st.lists(_actions, min_size=0, max_size=3),
    st.sampled_from(_THINKING),
    st.sampled_from(_SAID),
)
_asks = st.tuples(st.sampled_from(_ASKS), st.sampled_from(_ASKED))


@st.composite
def sessions(draw: Any, most: int = 24) -> Session:
    """Sessions of a few to `most` events."""
    events = st.one_of(_steps, _steps, _steps, _asks)
    few, many = st.lists(events, min_size=1, max_size=6), st.lists(events, min_size=most // 2, max_size=most)
    drawn = draw(st.one_of(few, many, many))
    return build(drawn, repeats_ids=draw(st.booleans()), extras=draw(st.booleans()))


def random_session(seed: int, most: int) -> Session:
    """A session of the same kinds of events, without Hypothesis: the same for the same seed, on any machine."""
    rng = Random(seed)

    def event() -> Any:
        if rng.random() < 0.25:
            return rng.choice(_ASKS), rng.choice(_ASKED)
        moves = [
            (rng.choice(_KINDS), rng.randint(0, 3), rng.randint(0, 2), rng.choice(_SIZES), rng.choice(_ODDITIES))
            for _ in range(rng.randint(0, 3))
        ]
        return moves, rng.choice(_THINKING), rng.choice(_SAID)

    drawn = [event() for _ in range(rng.randint(most // 2, most))]
    return build(drawn, repeats_ids=rng.random() < 0.5, extras=rng.random() < 0.5)


def build(drawn: list[Any], *, repeats_ids: bool = False, extras: bool = False) -> Session:
    """The session that follows from what was drawn."""
    versions = [0] * len(_PATHS)
    events: list[Ask | Step] = [Ask("Please make the tests pass, and explain what you did.")]
    for number, event in enumerate(drawn):
        if isinstance(event[0], str):
            if isinstance(events[-1], Step) and not _unanswered(events[-1]):
                events.append(_ask(number, *event))
            continue
        moves, thinking, said = event
        if isinstance(events[-1], Step) and not events[-1].actions:
            # The model is asked again only when someone else has spoken.
            events.append(Ask(f"Go on with part {number}."))
        actions = tuple(_action(number * 10 + i, versions, *move) for i, move in enumerate(moves))
        says = words(number + 7, said) if said or not actions else ""
        events.append(
            Step(actions, says or "Done.", words(number + 99, 30) if thinking else "", thinking == "hidden")
        )
    recipe = f"build({drawn!r}, repeats_ids={repeats_ids}, extras={extras})"
    return Session(_settled(events), repeats_ids, extras, recipe)


def _unanswered(step: Step) -> bool:
    return any(action.answer in ("missing", "running") for action in step.actions)


def _settled(events: list[Ask | Step]) -> tuple[Ask | Step, ...]:
    """Only the last step can wait for an answer; a request ends with words or results, not with the model."""
    if isinstance(events[-1], Step) and not events[-1].actions:
        events.append(Ask("Thanks. What is left to do?"))
    return tuple(events)


def _ask(number: int, kind: str, size: int) -> Ask:
    text = words(number + 50, size)
    if kind == "code":
        text = f"{text}\n```python\n{words(number, 120)}\n```\nIs that right?"
    return Ask(text, 4000 if kind == "picture" else 0)


def _action(seed: int, versions: list[int], kind: Kind, file: int, variant: int, size: int, odd: str) -> Action:
    path = _PATHS[file]
    content = words(file * 1000 + versions[file], max(size, 40))
    match kind:
        case "read":
            action = Action("read", path, result=numbered(content))
        case "read_lines":
            first = 1 + variant * 2
            lines = (first, first + 3)
            action = Action("read_lines", path, lines=lines, result=numbered(content, *lines))
        case "write":
            action = Action("write", path, text=words(seed, size), result=f"Wrote {path} successfully.")
        case "edit":
            action = Action("edit", path, old=content[:40], text=words(seed, size), result=f"Edited {path}.")
        case "shell" | "remote":
            action = Action(
                kind, command=_COMMANDS[(file * 3 + variant) % len(_COMMANDS)], result=words(variant, size)
            )
        case "todo":
            mark = f"{'🔴🟡🟢🔵'[seed // 2 % 4]} {path}: " if seed % 2 else ""
            items = tuple(f"{mark}{words(seed + i, 12)}" for i in range(1 + variant * 2))
            action = Action("todo", items=items, result=words(seed, 20))
        case "fetch":
            action = Action("fetch", command=f"https://example.org/page/{variant}", result=words(variant, size))
        case "search" | "list":
            action = Action(kind, "/home/user/app", command=f"{words(variant, 1)}*", result=words(seed, size))
        case _:
            action = Action(kind, command=words(variant, 5), result=words(seed, size))
    action = _odd(action, seed, odd)
    if kind in ("write", "edit") and not action.failed:
        versions[file] += 1
    return action


def _odd(action: Action, seed: int, odd: str) -> Action:
    match odd:
        case "failed":
            return replace(action, failed=True, result=f"Error: {words(seed, 5)}\n{words(seed, 120)}")
        case "stub" if action.kind == "read":
            return replace(action, result=STUB)
        case "missing" | "compacted" | "running":
            return replace(action, answer=odd)
        case "long":
            return replace(action, result=words(seed, 2500))
        case "picture":
            return replace(action, picture=3000, blocks=True)
        case "blocks":
            return replace(action, blocks=True)
    return action


def numbered(text: str, first: int = 1, last: int = 10_000) -> str:
    """A file as agents show it, with line numbers."""
    lines = text.split("\n")[first - 1 : last]
    return "\n".join(f"{i:6}→{line}" for i, line in enumerate(lines, first))

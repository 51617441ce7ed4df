"""How likely it is that a part will be used again.

A logistic model of seven readable facts, fitted by `bench/likelihood.py` on recorded sessions: 100,000 looks at
parts of 84 conversations, each with the question whether a later edit replaced a line that only this part showed
and its outline would not. What it says in words: a read that led to no edit yet is a plan still to be carried out,
unless the user has given another task since; inputs and outputs of a task that is over are hardly used; large
parts are used more often, but by far less than they cost more to carry.

Left out one agent at a time, it ranks the parts of the agent that it has not seen almost as well as with it
(area under the curve 0.84 to 0.97, against 0.85 to 0.97); how often they are used differs more, by agent from
one in a hundred to one in twelve. The agent that edits by commands only says nothing about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log2
from typing import Final, Literal

from prunus.view import Use

__all__ = ["PartKind", "chance", "chance_of", "is_document"]

PartKind = Literal["read", "edited read", "shell", "search", "other", "write", "edit"]

KINDS: Final[Mapping[PartKind, tuple[float, float]]] = {
    "read": (-1.064, -0.079),
    "edited read": (-2.272, -0.219),
    "shell": (-2.878, -0.294),
    "search": (-1.755, -0.206),
    "other": (-2.296, -0.818),
    "write": (-1.843, -0.082),
    "edit": (-1.537, -0.173),
}
"""Log-odds of a part of 500 tokens that was just seen, and how they change each time its idle turns double.

The first five are results, the last two inputs. An edited read is one whose file was changed since.
"""

SIZE: Final = 0.387
"""Each time the part is twice as large."""
PAST_TASK: Final = -0.483
"""The user has spoken since."""
PAST_TASKS: Final = -0.525
"""Each time the number of tasks since, and one more, doubles."""
PAST_READ: Final = -0.468
"""A read that led to no edit in its own task."""
DOCUMENT: Final = -0.171
"""Prose, data or settings instead of code."""
RANGE: Final = -0.315
"""Some lines of a file, not all of it."""
TOUCHED: Final = -0.241
"""Its file was used again since, so that something newer shows it."""
FAILED: Final = -0.902

_LONGEST: Final = 60
_MOST_TASKS: Final = 8
_DOCUMENTS: Final = frozenset(
    {
        "cfg", "csv", "html", "ini", "json", "lock", "log", "md", "mdx", "rst", "svg", "toml", "txt", "xml",
        "yaml", "yml",
    }
)  # fmt: skip


def is_document(path: str) -> bool:
    """Whether a file holds prose, data or settings."""
    return path.rpartition(".")[2].lower() in _DOCUMENTS


def chance(
    kind: PartKind,
    tokens: int,
    idle: int,
    tasks: int,
    *,
    document: bool = False,
    ranged: bool = False,
    touched: bool = False,
    failed: bool = False,
) -> float:
    """The probability that a part will be used again.

    `idle` counts the turns since its file was used last, or since it came; `tasks` how often the user has spoken
    since.
    """
    start, slope = KINDS[kind]
    odds = start + slope * log2(1 + min(idle, _LONGEST)) + SIZE * log2(max(1, tokens) / 500)
    if tasks:
        odds += PAST_TASK + PAST_TASKS * log2(1 + min(tasks, _MOST_TASKS)) + PAST_READ * (kind == "read")
    odds += DOCUMENT * document + RANGE * ranged + TOUCHED * touched + FAILED * failed
    return 1 / (1 + exp(-odds))


def chance_of(use: Use, kind: PartKind, tokens: int, idle: int, tasks: int = 0) -> float:
    """The probability that the result or the input of a call will be used again."""
    touch = use.touches[0] if use.touches else None
    return chance(
        kind,
        tokens,
        idle,
        tasks,
        document=touch is not None and is_document(touch.path),
        ranged=touch is not None and touch.span.end is not None,
        touched=kind == "edited read",
        failed=not use.ok,
    )

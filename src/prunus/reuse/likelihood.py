"""How likely it is that a part will be used again.

`bench/likelihood.py` fitted a logistic model to 84 recorded conversations. It looked 100,000 times at a part and
asked whether a later edit replaced a line that this part was the last to show and that its outline would not keep.
The model knows the kind of a part, its idle time, and ten more facts. In words, it says:

- A read that led to no edit yet is a plan still to be carried out, unless the user has given another task since.
- Inputs and outputs of a finished task are hardly ever used.
- Large parts are used more often, but their cost grows much faster than their use.

Fewer lines are lost than the model expects: an earlier part often still shows such a line, above all the output of
a command.

A model that was fitted without one agent ranks the parts of that agent almost as well as the full model (area under
the curve 0.84 to 0.96, against 0.84 to 0.97). How often parts are used again differs more between agents: from one
part in 150 to one in twelve.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log2
from typing import Final, Literal

from prunus.view.uses import Use
from prunus.view.view import View

PartKind = Literal["read", "edited read", "shell", "search", "other", "write", "edit"]

KINDS: Final[Mapping[PartKind, tuple[float, float]]] = {
    "read": (-0.913, -0.089),
    "edited read": (-2.073, -0.276),
    "shell": (-2.680, -0.327),
    "search": (-1.678, -0.226),
    "other": (-2.103, -0.726),
    "write": (-1.784, -0.129),
    "edit": (-1.409, -0.236),
}
"""Log-odds of a part of 500 tokens that was just seen, and how they change each time its idle turns double.

The first five are results, the last two inputs. An edited read is one whose file was changed since.
"""

# Each of these numbers is added to the log-odds if the text below it is true of the part.
SIZE: Final = 0.38
"""Each time the part is twice as large."""
PAST_TASK: Final = -0.543
"""The user has spoken since."""
PAST_TASKS: Final = -0.466
"""Each time that the number of tasks since, plus one, doubles."""
PAST_READ: Final = -0.709
"""A read that led to no edit in its own task."""
LATE_READ: Final = -1.157
"""A read that came after the first change of a file in its own task, and led to no edit yet."""
DOCUMENT: Final = -0.095
"""Prose, data or settings instead of code."""
RANGE: Final = 0.304
"""Some lines of a file, not all of it."""
PAST_INPUT: Final = 0.308
"""Text that was written or edited in a task that is over."""
READ_AGAIN: Final = -0.584
"""Each time that the number of reads of its file since, plus one, doubles: a newer part shows it."""
FAILED: Final = -0.743

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


def reuse_probability(
    kind: PartKind,
    tokens: int,
    idle: int,
    tasks: int,
    *,
    document: bool = False,
    ranged: bool = False,
    reads: int = 0,
    failed: bool = False,
    late: bool = False,
    offset: float = 0.0,
) -> float:
    """Return the probability that a part will be used again.

    `idle` counts the turns since its file was last used, or since the part came. `tasks` is how often the user has
    spoken since, and `reads` is how often its file was read since. A read is `late` if a file was changed before it
    in its task. `offset` is what Prunus has learned about the agent, in log-odds.
    """
    start, slope = KINDS[kind]
    odds = start + slope * log2(1 + min(idle, _LONGEST)) + SIZE * log2(max(1, tokens) / 500)
    if tasks:
        odds += PAST_TASK + PAST_TASKS * log2(1 + min(tasks, _MOST_TASKS))
        odds += PAST_READ * (kind == "read") + PAST_INPUT * (kind in ("write", "edit"))
    odds += LATE_READ * (late and kind == "read" and not tasks)
    odds += READ_AGAIN * log2(1 + reads) + DOCUMENT * document + RANGE * ranged + FAILED * failed
    return 1 / (1 + exp(-odds - offset))


def reuse_of(
    use: Use, kind: PartKind, view: View, idle: int, tasks: int = 0, reads: int = 0, *, late: bool = False
) -> float:
    """Return the probability that the result of a call, or the input of a write or an edit, will be used again."""
    touch = use.touches[0] if use.touches else None
    return reuse_probability(
        kind,
        use.input_tokens if kind in ("write", "edit") else use.tokens,
        idle,
        tasks,
        document=touch is not None and is_document(touch.path),
        ranged=touch is not None and touch.span.end is not None,
        reads=reads,
        failed=not use.ok,
        late=late,
        offset=view.offset(kind),
    )

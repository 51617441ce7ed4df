"""Pruning as a function from messages to messages, for a loop of one's own.

    shorten = compose(smart_tool_retention(), projection("old_thinking", turns=1))
    answer = client.chat.completions.create(model=..., messages=shorten(messages))

A projection never changes the list that it is given, and keeps the order of messages and the pairs of calls and
results. What comes back depends on the given list alone; that a projection remembers what it saw only makes the
next look cheaper.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, Final, TypeAlias

from prunus.errors import FormatError, SettingsError
from prunus.pruner import Pruner
from prunus.settings import Settings
from prunus.strategies import ALL, strategy_named

Projection: TypeAlias = Callable[[Sequence[Any]], list[Any]]
"""From a list of chat messages to a list of chat messages."""

_ENDS: Final = 2_000
"""Characters of a long shell output that stay at its beginning, and as many at its end."""
_ALWAYS: Final = 2
"""The first and the last read of a file, which stay whatever happens."""


class Pruning:
    """A projection that prunes by some settings."""

    __slots__ = ("_pruner", "settings")

    def __init__(self, settings: Settings) -> None:
        if settings.schedule != "eager":
            raise SettingsError(
                f"a projection makes its edits at once, so its schedule is eager, not {settings.schedule}; "
                "to prune when it pays, keep a Pruner"
            )
        self.settings = settings
        self._pruner = Pruner(settings)

    def __call__(self, messages: Sequence[Any]) -> list[Any]:
        """The messages as they may be sent. Messages that Prunus cannot read are a FormatError."""
        if isinstance(messages, str | bytes) or not isinstance(messages, Sequence):
            raise TypeError(f"expected a list of messages, not {type(messages).__name__}")
        given = list(messages)
        outcome = self._pruner.prune(given)
        kind, _, message = (outcome.error or "").partition(": ")
        if kind == FormatError.__name__:
            raise FormatError(message)
        return outcome.body

    def __repr__(self) -> str:
        return f"Pruning({', '.join(strategy.name for strategy in self.settings.active_strategies())})"


def smart_tool_retention(
    max_file_reads: int = 5,
    keep_all_edits: bool = True,
    bash_truncate: int = 10_000,
    *,
    settings: Settings | None = None,
) -> Pruning:
    """Keep of each file the first read, the last and some between; keep every edit; cut long shell output.

    The table and the code sketch of the design this comes from disagree about three to five reads: by the sketch
    all of them stay. Here the table counts.

    | full reads of a file | what stays |
    |---|---|
    | 1 or 2 | all |
    | 3 to 5 | the first and the last; those between become pointers |
    | 6 and more | also up to `max_file_reads - 2` evenly spaced ones between |

    A pointer says "shows the same text" only where that is so; where the file changed it says that.

    With `keep_all_edits` the arguments of edits and writes always stay whole. Without it, those of a file that was
    left alone for 30 turns keep only what identifies them. Shell output with more than `bash_truncate` characters
    keeps its first and last 2,000 (a fifth of `bash_truncate`, if that is less), also the newest. Listings and
    searches stay as long as they are among the newest ten.

    Of `settings` the tools, the guards and the limits are taken: how your tools name their arguments, and what
    must stay.
    """
    if max_file_reads < _ALWAYS:
        raise SettingsError(
            f"max_file_reads = {max_file_reads}: expected 2 or more, the first and the last read stay"
        )
    if bash_truncate < 0:
        raise SettingsError(f"bash_truncate = {bash_truncate}: expected 0 or more")
    ends = min(_ENDS, bash_truncate // 5)
    strategies: dict[str, Any] = {
        "middle_reads": {"samples": max_file_reads - _ALWAYS},
        "long_outputs": {
            "over": bash_truncate,
            "marked": min(1_000, bash_truncate),
            "head": ends,
            "tail": ends,
            "at_once": True,
        },
    }
    if keep_all_edits:
        strategies["old_edits"] = {"enabled": False}
    else:
        strategies["finished_inputs"] = {"enabled": True, "idle": 30, "over": 200}
    return Pruning(_settings("smart", strategies, settings, early=True))


def projection(name: str, *, settings: Settings | None = None, **fields: Any) -> Pruning:
    """One strategy as a projection, its fields given by name: `projection("old_errors", turns=2)`.

    `spent_inputs` follows what other strategies find, so alone it finds nothing: `compose` it with them. Of
    `settings` the tools, the guards and the limits are taken.
    """
    owner = strategy_named(name)
    names = [strategy.name for strategy in ALL]
    if owner is None:
        raise SettingsError(f"no strategy {name!r}{_close(name, names)} There are {', '.join(names)}")
    known = [field.name for field in dataclasses.fields(owner)]  # type: ignore[arg-type]  # all are dataclasses
    for field in fields:
        if field not in known:
            has = f"It has {', '.join(known)}" if known else "It has none"
            raise SettingsError(f"{name}: no field {field!r}{_close(field, known)} {has}")
    return Pruning(_settings("off", {name: {"enabled": True, **fields}}, settings))


def compose(*projections: Projection) -> Projection:
    """One projection that does what the given ones do, from left to right.

    Neighbours that come from Prunus look at the history together: each part gets one edit, and no strategy takes
    the note of another for what the tool said. Any other function from messages to messages may stand among them.
    """
    steps: list[Projection] = []
    for step in projections:
        if not callable(step):
            raise TypeError(f"expected functions from messages to messages, not {type(step).__name__}")
        last = steps[-1] if steps else None
        joint = _together(last, step) if isinstance(last, Pruning) and isinstance(step, Pruning) else None
        if joint is None:
            steps.append(step)
        else:
            steps[-1] = joint
    if len(steps) == 1:
        return steps[0]

    def composed(messages: Sequence[Any]) -> list[Any]:
        found = list(messages)
        for step in steps:
            found = step(found)
        return found

    return composed


def _settings(preset: str, strategies: dict[str, Any], base: Settings | None, *, early: bool = False) -> Settings:
    values = (base or Settings()).dump()
    taken = {key: values[key] for key in ("tools", "guards", "limits", "tokens", "window", "pressure", "budget")}
    if early:
        taken["guards"] = {**taken["guards"], "same_turn": {"early": True}}
    return Settings(preset=preset, schedule="eager", strategies=strategies, **taken)


def _together(first: Pruning, second: Pruning) -> Pruning | None:
    """Both as one, unless they contradict each other."""
    one, other = first.settings.dump(), second.settings.dump()
    strategies = {**one["strategies"]}
    for name, fields in other["strategies"].items():
        if fields["enabled"] and strategies[name]["enabled"] and fields != strategies[name]:
            return None
        if fields["enabled"]:
            strategies[name] = fields
    early = {"same_turn": {"early": True}}
    if {**one["guards"], **early} != {**other["guards"], **early}:
        return None
    eager = one["guards"]["same_turn"]["early"] or other["guards"]["same_turn"]["early"]
    rest = [key for key in one if key not in ("preset", "strategies", "guards")]
    if any(one[key] != other[key] for key in rest):
        return None
    guards = {**one["guards"], "same_turn": {"early": eager}}
    return Pruning(Settings(**{**one, "preset": "off", "strategies": strategies, "guards": guards}))


def _close(name: str, names: list[str]) -> str:
    found = get_close_matches(name, names, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(found)}?" if found else "."

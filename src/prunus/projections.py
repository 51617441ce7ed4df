"""Projections: pruning as a function from messages to messages, for your own agent loop.

    shorten = compose(smart_tool_retention(), projection("old_thinking", turns=1))
    answer = client.chat.completions.create(model=..., messages=shorten(messages))

A projection never changes its input list. It keeps the order of messages, and keeps each call with its result. The
returned list depends on the input list alone; a projection remembers earlier lists only to work faster.
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
"""A function from a list of chat messages to a list of chat messages."""

_ENDS: Final = 2_000
"""A long shell output keeps this many characters at its start and at its end."""
_ALWAYS: Final = 2
"""The first and the last read of a file always stay."""


class Pruning:
    """A projection that prunes with the given settings."""

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
        """Return the pruned messages. Raises FormatError for messages that Prunus cannot read."""
        if isinstance(messages, str | bytes) or not isinstance(messages, Sequence):
            raise TypeError(f"expected a list of messages, not {type(messages).__name__}")
        outcome = self._pruner.prune(list(messages))
        if isinstance(outcome.fault, FormatError):
            raise outcome.fault
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
    """Return a projection that samples the reads of each file, keeps every edit, and shortens long shell output.

    The rules come from a design whose table and code sketch disagree about three to five reads: the sketch keeps
    all of them. This projection follows the table:

    | full reads of a file | what stays |
    |---|---|
    | 1 or 2 | all |
    | 3 to 5 | the first and the last; the reads in between become pointers |
    | 6 and more | also up to `max_file_reads - 2` evenly spaced reads in between |

    A pointer says "shows the same text" only if the text is the same. If the file changed, the pointer says so.

    With `keep_all_edits` the arguments of edits and writes always stay whole. Without it, once a file was not
    touched for 30 turns, its edits and writes keep only the arguments that identify them. Shell output over
    `bash_truncate` characters keeps its first and last 2,000 characters (or a fifth of `bash_truncate`, if that is
    less); this includes the newest output. The newest ten listings and searches stay.

    The projection uses the tools, the guards and the limits of `settings`: how your tools name their arguments, and
    which content must stay.
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
    """Return one strategy as a projection; give its fields by name: `projection("old_errors", turns=2)`.

    `spent_inputs` acts on the findings of other strategies, so it finds nothing alone: `compose` it with them. The
    projection uses the tools, the guards and the limits of `settings`.
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
    """Return one projection that applies the given projections from left to right.

    Adjacent Prunus projections run as one: each part gets one edit, and no strategy mistakes the note of another
    strategy for a tool result. You may also pass any other function from messages to messages.
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

    def run_all(messages: Sequence[Any]) -> list[Any]:
        found = list(messages)
        for step in steps:
            found = step(found)
        return found

    return run_all


def _settings(preset: str, strategies: dict[str, Any], base: Settings | None, *, early: bool = False) -> Settings:
    values = (base or Settings()).dump()
    taken = {key: values[key] for key in ("tools", "guards", "limits", "tokens", "window", "pressure", "budget")}
    if early:
        taken["guards"] = {**taken["guards"], "same_turn": {"early": True}}
    return Settings(preset=preset, schedule="eager", strategies=strategies, **taken)


def _together(first: Pruning, second: Pruning) -> Pruning | None:
    """Return both projections as one, or None if their settings contradict each other."""
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

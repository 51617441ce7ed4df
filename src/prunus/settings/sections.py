"""Create settings sections from the fields of strategies, guards, schedules and tool rows.

A field is declared once, in the class that uses it. A new strategy in `strategies.ALL` gets its section from here.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, cast, get_type_hints

from pathspec import PathSpec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, create_model

from prunus import guards, strategies
from prunus.calls.meaning import Tool
from prunus.schedule import cache as schedule
from prunus.schedule.budget import Budget
from prunus.schedule.pressure import Pressure

Count = Annotated[int, Field(strict=True, ge=0)]
"""A whole number, 0 or more."""


class Section(BaseModel):
    """A table of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def fields_of(section: Section, owner: type) -> dict[str, Any]:
    """Return the arguments to construct `owner`: its fields with the values of the section."""
    return {field.name: getattr(section, field.name) for field in dataclasses.fields(owner)}


def _regexes(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(f"(?:{pattern})")
        except re.error as error:
            raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
    try:
        re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    except re.error as error:
        raise ValueError(f"these patterns cannot be combined: {error}") from error
    return patterns


def _globs(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            PathSpec.from_lines("gitignore", [pattern])
        except ValueError as error:
            raise ValueError(f"{pattern!r} is not a pattern of .gitignore") from error
    return patterns


def _named(name: str) -> str:
    if not name:
        raise ValueError("expected the name of a tool")
    return name


_CHECKS: Final[Mapping[tuple[str, str], Callable[[Any], Any]]] = {
    ("RepeatedQueries", "patterns"): _regexes,
    ("ProtectedPaths", "patterns"): _globs,
    ("Tool", "name"): _named,
}


def _section(owner: type, **more: Any) -> type[Section]:
    """Create a section with the fields of a dataclass, and the fields `more` before them."""
    hints = get_type_hints(owner)
    fields: dict[str, Any] = dict(more)
    for field in dataclasses.fields(owner):
        hint = {int: Count, bool: StrictBool}.get(hints[field.name], hints[field.name])
        check = _CHECKS.get((owner.__name__, field.name))
        default = ... if field.default is dataclasses.MISSING else field.default
        fields[field.name] = (Annotated[hint, AfterValidator(check)] if check else hint, default)
    return create_model(owner.__name__, __base__=Section, __module__=__name__, **fields)


def _sections(title: str, sections: Mapping[str, type[Section]]) -> type[Section]:
    fields: dict[str, Any] = {name: (section, Field(default_factory=section)) for name, section in sections.items()}
    return create_model(title, __base__=Section, __module__=__name__, **fields)


STRATEGIES: Final = {owner.name: owner for owner in strategies.ALL}
GUARDS: Final = {owner.name: owner for owner in guards.ALL if dataclasses.fields(cast(Any, owner))}
SCHEDULES: Final = {owner.name: owner for owner in schedule.SCHEDULES if dataclasses.fields(cast(Any, owner))}

if TYPE_CHECKING:
    Strategies: TypeAlias = Section
    Guards: TypeAlias = Section
    ToolRow: TypeAlias = Section
    BudgetSection: TypeAlias = Section
    PressureSection: TypeAlias = Section
    Schedules: TypeAlias = Section
else:
    Strategies = _sections(
        "Strategies", {name: _section(owner, enabled=(StrictBool, False)) for name, owner in STRATEGIES.items()}
    )
    Guards = _sections("Guards", {name: _section(owner) for name, owner in GUARDS.items()})
    ToolRow = _section(Tool)
    BudgetSection = _section(Budget)
    PressureSection = _section(Pressure)
    Schedules = _sections("Schedules", {name: _section(owner) for name, owner in SCHEDULES.items()})

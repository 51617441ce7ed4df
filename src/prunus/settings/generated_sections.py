"""Settings sections, made from the fields of strategies, guards, schedules and tool rows, and their checks.

A field is declared once, in the class that uses it. A new strategy in `strategies.ALL` gets its section from here.
`check` describes what is wrong with the values of a layer for the author of the settings file.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeAlias, cast, get_args, get_type_hints

from pathspec import PathSpec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, ValidationError, create_model
from pydantic_core import ErrorDetails

from prunus import guards, strategies
from prunus.calls.meaning import Tool
from prunus.schedule import cache as schedule
from prunus.schedule.budget import Budget
from prunus.schedule.pressure import Pressure
from prunus.schedule.reminders import Reminders
from prunus.settings.acp import SHORTHANDS, known_at
from prunus.settings.layers import MISSING, Layer, SettingPlace, similar

Count = Annotated[int, Field(strict=True, ge=0)]
"""A whole number, 0 or more."""


class Section(BaseModel):
    """A table of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    owner: ClassVar[type | None] = None
    """The class whose fields the table has; None for a table with fields of its own."""

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


_CHECKS: Final[Mapping[tuple[str, str], Any]] = {
    ("RepeatedQueries", "patterns"): AfterValidator(_regexes),
    ("ProtectedPaths", "patterns"): AfterValidator(_globs),
    ("Reminders", "pressure_at"): Field(ge=0, le=1),
    ("Tool", "name"): AfterValidator(_named),
}


def summary(owner: type) -> str:
    """Return the first paragraph of a class's docstring."""
    return (inspect.getdoc(owner) or "").partition("\n\n")[0].replace("\n", " ")


def _section(owner: type, **more: Any) -> type[Section]:
    """Create a section with the fields of a dataclass, and the fields `more` before them."""
    hints = get_type_hints(owner)
    fields: dict[str, Any] = dict(more)
    for field in dataclasses.fields(owner):
        hint = {int: Count, bool: StrictBool}.get(hints[field.name], hints[field.name])
        check = _CHECKS.get((owner.__name__, field.name))
        default = ... if field.default is dataclasses.MISSING else field.default
        fields[field.name] = (Annotated[hint, check] if check else hint, default)
    made = create_model(owner.__name__, __base__=Section, __doc__=summary(owner), __module__=__name__, **fields)
    made.owner = owner
    return made


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
    RemindersSection: TypeAlias = Section
    Schedules: TypeAlias = Section
else:
    Strategies = _sections(
        "Strategies", {name: _section(owner, enabled=(StrictBool, False)) for name, owner in STRATEGIES.items()}
    )
    Guards = _sections("Guards", {name: _section(owner) for name, owner in GUARDS.items()})
    ToolRow = _section(Tool)
    BudgetSection = _section(Budget)
    PressureSection = _section(Pressure)
    RemindersSection = _section(Reminders)
    Schedules = _sections("Schedules", {name: _section(owner) for name, owner in SCHEDULES.items()})


_EXPECTED: Mapping[str, str] = {
    "bool_type": "expected true or false",
    "float_type": "expected a number",
    "int_type": "expected a whole number",
    "model_attributes_type": "expected a table",
    "model_type": "expected a table",
    "string_type": "expected a text",
    "tuple_type": "expected a list",
}


def check(model: type[BaseModel], values: Mapping[str, Any], layer: Layer) -> None:
    """Add a problem to the layer for each value that the model refuses."""
    try:
        model.model_validate(values)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            place = details["loc"]
            value = MISSING if details["type"] == "missing" else details["input"]
            layer.complain(layer.name(place), value, _text(details, model))


def _text(details: ErrorDetails, model: type[BaseModel]) -> str:
    context = details.get("ctx", {})
    match details["type"]:
        case "extra_forbidden":
            return _unknown(details["loc"], model)
        case "missing":
            return "required, but missing"
        case "greater_than":
            return f"expected more than {context['gt']:g}"
        case "greater_than_equal":
            return f"expected {context['ge']:g} or more"
        case "less_than_equal":
            return f"expected {context['le']:g} or less"
        case "literal_error":
            return f"expected {context['expected']}"
        case "value_error":
            return str(context["error"])
        case "string_pattern_mismatch":
            # All patterns are those of addresses.
            named = "NAME=" if "=" in context["pattern"] else ""
            return f"expected {named}http://HOST or {named}https://HOST"
        case "too_long" | "too_short":
            return "expected a list of another length"
        case kind:
            return _EXPECTED.get(kind, details["msg"])


def _unknown(place: SettingPlace, model: type[BaseModel]) -> str:
    *parents, key = place
    table: type[BaseModel] | None = model
    for step in parents:
        table = table if isinstance(step, int) or table is None else _tables(table).get(step)
    names = [field.alias or name for name, field in table.model_fields.items()] if table else []
    if not any(isinstance(step, int) for step in parents):
        names += known_at(".".join(map(str, parents)))
    keys = [*_keys(model, ""), *SHORTHANDS]
    elsewhere = {full.rpartition(".")[2]: full for full in keys}
    unique = {name: full for name, full in elsewhere.items() if sum(k.endswith(f".{name}") for k in keys) == 1}
    return similar(str(key), names, unique)


def _tables(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return the tables inside a table by name; a list of tables counts as one table."""
    found = {}
    for name, field in model.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                found[name] = kind
    return found


def _keys(model: type[BaseModel], start: str) -> Iterator[str]:
    """Yield the full name of every key below a table."""
    tables = _tables(model)
    for name, field in model.model_fields.items():
        yield f"{start}{field.alias or name}"
        if name in tables and name != "tools":
            yield from _keys(tables[name], f"{start}{name}.")

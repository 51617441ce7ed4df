"""Check the values of a layer against the model, and describe problems for the author of a settings file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from prunus.settings.acp import SHORTHANDS, known_at
from prunus.settings.layers import MISSING, Layer, Place, similar

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
        case "greater_than_equal":
            return f"expected {context['ge']} or more"
        case "less_than_equal":
            return f"expected {context['le']} or less"
        case "literal_error":
            return f"expected {context['expected']}"
        case "value_error":
            return str(context["error"])
        case "too_long" | "too_short":
            return "expected a list of another length"
        case kind:
            return _EXPECTED.get(kind, details["msg"])


def _unknown(place: Place, model: type[BaseModel]) -> str:
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

"""Values: dataclasses whose fields never change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make a dataclass whose fields must not be assigned to: the type checker refuses it, as for a frozen one.

    A frozen dataclass also refuses it at run time and is built five times as slowly for that. The first look at a
    conversation builds dozens of values for each tool call.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


_LAYOUTS: Final[dict[type, tuple[Callable[[Any], tuple[Any, ...]], dict[str, int]]]] = {}
"""For each class, a function that reads the fields from which it is built, and the place of each field."""


def replace(one: T, **changes: Any) -> T:
    """Return a value with some fields changed, in half the time of `dataclasses.replace`."""
    cls = type(one)
    layout = _LAYOUTS.get(cls)
    if layout is None:
        names = [field.name for field in fields(cls) if field.init]  # type: ignore[arg-type]
        # With a single name, attrgetter would not return a tuple.
        read = attrgetter(*names) if len(names) > 1 else lambda one: (getattr(one, names[0]),)
        layout = _LAYOUTS[cls] = read, {name: place for place, name in enumerate(names)}
    read, places = layout
    every = list(read(one))
    for name, changed in changes.items():
        every[places[name]] = changed
    return cls(*every)

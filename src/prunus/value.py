"""Values: dataclasses whose fields never change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make a dataclass whose fields must not be assigned to: the type checker refuses it, as for a frozen one.

    A frozen dataclass also refuses it at run time and is built five times as slowly for that. The first look at a
    conversation builds dozens of values for each tool call.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)

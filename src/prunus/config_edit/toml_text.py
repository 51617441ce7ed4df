"""TOML; comments, order and spacing stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError


def parse(text: str) -> Mapping[str, Any]:
    """Return the values."""
    return _document(text).unwrap()


def with_value(text: str, key: tuple[str, ...], value: str | list[str]) -> str:
    """Return the text with one value changed or added; missing tables are added at the end."""
    document = _document(text)
    table: Any = document
    for name in key[:-1]:
        if name not in table:
            table[name] = tomlkit.table()
        table = table[name]
        if not isinstance(table, Mapping):
            raise ValueError(f"{name} is not a table")
    table[key[-1]] = value
    return document.as_string()


def without_value(text: str, key: tuple[str, ...]) -> str:
    """Return the text without one value, and without tables that are empty then."""
    document = _document(text)
    tables: list[Any] = [document]
    for name in key[:-1]:
        tables.append(tables[-1][name])
    for table, name in zip(reversed(tables), reversed(key), strict=True):
        del table[name]
        if table:
            break
    return document.as_string()


def _document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise ValueError(str(error)) from error

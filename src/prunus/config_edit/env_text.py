"""Lines of `NAME=value`, as programs read them from a file `.env`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_LINE: Final = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=(.*)")


def parse(text: str) -> Mapping[str, Any]:
    """Return the variables; if a name occurs twice, the last value counts."""
    return {name: value for name, value, _ in _variables(text)}


def with_value(text: str, key: tuple[str, ...], value: str | list[str]) -> str:
    """Return the text with a variable changed in its line, or added as the last line."""
    [name] = key
    if not isinstance(value, str):
        raise ValueError("a variable holds one text")
    lines = text.splitlines(keepends=True)
    places = [number for found, _, number in _variables(text) if found == name]
    if places:
        line = lines[places[-1]]
        content = line.rstrip("\r\n")
        lines[places[-1]] = f"{content.partition('=')[0]}={value}{line[len(content) :]}"
        return "".join(lines)
    newline = "\r\n" if "\r\n" in text else "\n"
    joint = "" if not text or text.endswith("\n") else newline
    return f"{text}{joint}{name}={value}{newline}"


def without_value(text: str, key: tuple[str, ...]) -> str:
    """Return the text without the lines that set a variable."""
    [name] = key
    gone = {number for found, _, number in _variables(text) if found == name}
    return "".join(line for number, line in enumerate(text.splitlines(keepends=True)) if number not in gone)


def _variables(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield each variable with its value and the number of its line."""
    for number, line in enumerate(text.splitlines()):
        if found := _LINE.match(line):
            value = found[2].strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            yield found[1], value[1:-1] if quoted else value, number

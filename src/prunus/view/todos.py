"""Todo lists: their items, and what items with a coloured mark say about the rest of the context.

An agent may mark an item by its priority: 🔴 critical, 🟡 important, 🟢 normal, 🔵 safe to discard. What the item
names then has the priority of the item: a file, a line of a file (`src/app.py:42`), a part by its id, or words in
quotation marks that stand in the part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Literal

from prunus.value import value

Colour = Literal["🔴", "🟡", "🟢", "🔵"]

COLOURS: Final[Mapping[Colour, str]] = {
    "🔴": "critical: never goes",
    "🟡": "important: goes only when nothing else is left",
    "🟢": "normal: may be distilled or pruned",
    "🔵": "ephemeral: safe to discard at any time",
}

_LISTS: Final = ("todos", "plan", "items", "tasks", "task_list", "todoList", "todo_list")
_NAMES: Final = ("content", "step", "title", "description", "text", "subject", "task")
_MARK: Final = re.compile("[🔴🟡🟢🔵]")
_QUOTED: Final = re.compile(r'"([^"\n]{8,400})"|`([^`\n]{8,400})`|“([^”\n]{8,400})”|«([^»\n]{8,400})»')
_WORD: Final = re.compile(r"[^\s\"'`“”«»()<>\[\]{},;]+")
_FILE: Final = re.compile(r"(?:[^:/]*+/[^:]++|[\w-][\w.-]*\.[A-Za-z]\w{0,7})(?::(\d{1,7})(?:-\d{1,7})?)?")
_ID: Final = re.compile(r"[0-9a-f]{6,32}")
_MOST: Final = 100
"""Files, and as many quotes, that the items of one colour may name; every part is compared with all of them."""


@value
class Task:
    """One item of a todo list."""

    id: str
    name: str
    status: str


@value
class Named:
    """The content that the items of one colour name."""

    ids: frozenset[str] = frozenset()
    files: frozenset[tuple[str, int]] = frozenset()
    """Paths as they are written, each with the line that is meant; 0 for the whole file."""
    quotes: frozenset[str] = frozenset()

    def takes(self, id: str, places: Iterable[tuple[str, int, int | None]], text: str) -> bool:
        """Whether a part is named: by its id, by the files and lines that it shows, or by its words."""
        if id in self.ids or any(quote in text for quote in self.quotes):
            return True
        return any(
            _is(path, name) and _shows(first, last, line)
            for path, first, last in places
            for name, line in self.files
        )


@value
class Colours:
    """The content that the coloured items of a todo list name, the gravest colour first."""

    named: tuple[tuple[Colour, Named], ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.named)

    def of(self, id: str, places: Iterable[tuple[str, int, int | None]], text: str) -> Colour | None:
        """The gravest colour of an item that names a part; None where no item does.

        `places` are the files that the part shows, each with the first and the last line.
        """
        shown = tuple(places)
        return next((colour for colour, named in self.named if named.takes(id, shown, text)), None)


def tasks_in(given: Mapping[str, Any] | str) -> list[Task]:
    """The items of a todo list, from the arguments of the call that wrote it."""
    if not isinstance(given, Mapping):
        return []
    listed: list[Any] = next((given[key] for key in _LISTS if isinstance(given.get(key), list)), [])
    return list(_items(listed))


def colours_of(tasks: Iterable[Task]) -> Colours:
    """Return the content that items with a coloured mark name."""
    items: dict[str, list[str]] = {}
    for task in tasks:
        mark = _MARK.search(task.name)
        if mark is not None:
            items.setdefault(mark[0], []).append(task.name)
    found = ((colour, _named(items[colour])) for colour in COLOURS if colour in items)
    return Colours(tuple((colour, named) for colour, named in found if named != Named()))


def _items(listed: list[Any]) -> Iterator[Task]:
    for item in listed:
        if isinstance(item, Mapping):
            name = next((str(item[key]) for key in _NAMES if item.get(key)), "")
            yield Task(str(item.get("id") or ""), name, str(item.get("status") or "").lower())


def _named(items: Iterable[str]) -> Named:
    ids: set[str] = set()
    files: dict[tuple[str, int], None] = {}
    quotes: dict[str, None] = {}
    for item in items:
        quotes |= dict.fromkeys(next(filter(None, found.groups())) for found in _QUOTED.finditer(item))
        for word in _WORD.findall(item):
            plain = word.rstrip(".:!?")
            file = _FILE.fullmatch(plain)
            if _ID.fullmatch(plain):
                ids.add(plain)
            elif file is not None:
                path = plain if file[1] is None else plain[: plain.rindex(":")]
                files[path.removeprefix("./"), int(file[1] or 0)] = None
    return Named(frozenset(ids), frozenset([*files][:_MOST]), frozenset([*quotes][:_MOST]))


def _is(path: str, name: str) -> bool:
    """Whether a name that someone wrote is that of a file."""
    return path == name or path.endswith(f"/{name.lstrip('/')}")


def _shows(first: int, last: int | None, line: int) -> bool:
    """Whether lines of a file contain a line; a negative first line counts from the end, which nobody knows."""
    return not line or first < 0 or (first <= line and (last is None or line <= last))

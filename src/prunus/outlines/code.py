"""The outline of a file: what it defines and on which line, then the names in it.

By regular expressions, one for each family of languages: they find what the grammars of tree-sitter find, in less
than a tenth of the time (`docs/outlines.md`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from prunus.calls.results import headed
from prunus.numbers import as_number
from prunus.outlines.texts import LONGEST, names, paths, squeezed

Definition = tuple[int, str, str]
"""The number of a line, the name that it defines, and the line."""

_SCRIPT: Final = (
    r"(?:(?:export|default|declare|abstract|public|private|protected|static|readonly|override|async) +)*+"
    r"(?:(?:function\*?|class|interface|type|enum|namespace) +([\w$]+)"
    r"|(?:const|let|var) +([\w$]+)[^=\n]{0,200}= *(?:async *)?(?:function\b|\([^\n]{0,300}=>|\w+ *=>|\($)"
    r"|(?!if\b|for\b|while\b|switch\b|return\b|catch\b)([\w$]++)\([^;\n]{0,300}\)[^;=\n]{0,200}\{[ \t]*$)"
)
_TYPES: Final = r"class|interface|enum|record|struct|object|trait|protocol|extension|namespace|fun|func|function"
_TYPED: Final = (
    rf"(?:(?:{_TYPES}|def) +([\w.]+)|(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|"
    r"override|async|virtual|open|data|suspend|readonly|synchronized|mutating) +)++"
    rf"(?:(?:{_TYPES}) +([\w.]+)|[\w<>\[\],.?]++ +(\w+)\())"
)
_C: Final = (
    r"(?:(?:typedef +)?(?:class|struct|enum|union|namespace) +(\w+)|#define +(\w+)"
    r"|(?!return\b|else\b)\w[\w:<>,*& ]{0,120}[ *&]([\w:~]+)\([^;\n]{0,300}$)"
)
_RUST: Final = (
    r"(?:(?:pub(?:\([^)\n]*\))?|async|unsafe|const|default|extern) +)*+"
    r"(?:fn|struct|enum|trait|type|mod|macro_rules!|impl(?:<[^>\n]*>)?) +([\w:]+)"
)
_SQL: Final = (
    r"(?i:create +(?:\w+ +){0,2}?(?:table|view|index|function|type|trigger|procedure) +(?:if not exists +)?)"
    r"([\w.\"`]+)"
)
_INDENT: Final = r"[ \t]*+"
_FAMILIES: Final[Mapping[str, str]] = {
    "py pyi": _INDENT + r"(?:async +)?(?:def|class) +(\w+)",
    "js jsx ts tsx mjs cjs mts cts vue svelte": _INDENT + _SCRIPT,
    "go": r"(?:func +(?:\([^)\n]*\) *)?|type +)(\w+)",
    "rs": _INDENT + _RUST,
    "java kt kts cs scala swift php dart": _INDENT + _TYPED,
    "rb": _INDENT + r"(?:def|class|module) +([\w.:?!]+)",
    "c h cc cpp cxx hpp hh m mm": _C,
    "sql": _INDENT + _SQL,
    "sh bash zsh": r"(?:function +([\w-]+)|([\w-]+) *\(\) *\{)",
    "md mdx markdown": r"#{1,6} +([^\n]{1,60})",
}
"""How definitions look in files with these endings: the groups are names, and at most one of them is found."""
_NUMBER: Final = r"^(?:[ \t]*+(\d++)(?:→|\t|: ?|\| ?))?"
_SIGNATURE: Final = 120
_DEFINITIONS: Final = 0.4
"""How much of the room the definitions may take."""
_PATHS: Final = 0.3
_PROSE: Final = frozenset(("md", "mdx", "markdown", "rst", "txt", "json", "yaml", "yml", "toml"))
"""Files that name other files."""


def code(text: str, room: int, path: str, first: int) -> tuple[list[str], int, int]:
    """What to show of a file, the lines of it that are shown, and the lines it has.

    Definitions stand as they are where they fit, else as line and name. `first` is the number of the first line
    where the text has none, and 0 where nothing is known of it.
    """
    ended, rest = headed(text)
    found = list(definitions(rest, path, first))
    room -= sum(map(len, ended))
    budget = int(room * _DEFINITIONS)
    shown = [f"{number or ''} {line}".lstrip() for number, _, line in found]
    whole = sum(map(len, shown)) + len(shown) <= budget
    if not whole:
        shown = _fitting([f"{number or ''} {name}".lstrip() for number, name, _ in found], budget)
    room -= sum(map(len, shown)) + len(shown)
    told = shown if whole else ["; ".join(shown)] if shown else []
    if _ending(path) in _PROSE:
        named = squeezed(paths(rest), int(room * _PATHS))
        room -= sum(map(len, named)) + len(named)
        told = [*told, *named]
    return [*ended, *told, *names(rest, room, told)], len(shown) if whole else 0, rest.count("\n") + 1


def definitions(text: str, path: str, first: int = 0) -> Iterator[Definition]:
    """What a source file defines, in the order it stands there."""
    pattern = _pattern(_ending(path))
    if pattern is None:
        return
    at, line = 0, first
    for found in pattern.finditer(text):
        number, *words = found.groups()
        if number is None and first:
            line += text.count("\n", at, found.start())
            at = found.start()
        end = text.find("\n", found.end())
        start = found.end(1) + 1 if number else found.start()
        whole = text[start : min(len(text) if end < 0 else end, start + LONGEST)].strip()[:_SIGNATURE]
        yield as_number(number) if number else line, next(word for word in words if word), whole


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


@lru_cache(maxsize=64)
def _pattern(ending: str) -> re.Pattern[str] | None:
    """How definitions look in files with this ending."""
    shape = next((shape for endings, shape in _FAMILIES.items() if ending in endings.split()), None)
    return re.compile(_NUMBER + shape, re.M) if shape else None


def _fitting(entries: list[str], room: int) -> list[str]:
    """The first entries that there is room for."""
    fit = []
    for entry in entries:
        room -= len(entry) + 2
        if room < 0:
            break
        fit.append(entry)
    return fit

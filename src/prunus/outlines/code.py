"""The outline of a file: its definitions, with their line numbers.

One regular expression for each family of languages finds the definitions. They find the same as the grammars of
tree-sitter, in less than a tenth of the time (`docs/outlines.md`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from prunus.calls.results import headed
from prunus.outlines.output import LONGEST, Sketch, files, list_paths
from prunus.text.numbers import as_number


class Definition(NamedTuple):
    """A line of a file that defines something."""

    number: int
    """The number of the line; 0 if it is not known."""
    name: str
    line: str
    indent: int
    """How far the line is indented, in characters."""


_SCRIPT: Final = (
    r"(?:(?:export|default|declare|abstract|public|private|protected|static|readonly|override|async) +)*+"
    r"(?:(?:function\*?|class|interface|type|enum|namespace) +([\w$]++)(?! *[,}])"
    r"|(?:const|let|var) +([\w$]+)[^=\n]{0,200}= *(?:async *)?(?:function\b|\([^\n]{0,300}=>|\w+ *=>|\($)"
    r"|(?:describe|it|test)(?:\.\w+)?\( *['\"`]([^'\"`\n]{1,80})"
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
_DEFINITIONS: Final = 0.2
"""The share of the outline that definitions may take."""
_LINE_NUMBER: Final = re.compile(r"[ \t]*(\d+)(?:→|\t|: ?|\| ?)")
_END: Final = 2_000
"""Characters at each end of a text in which its numbers are looked for."""
_AROUND: Final = 6
"""Lines that a client may write above or below those of a file."""
_PATHS: Final = 0.3
_PROSE: Final = frozenset(("md", "mdx", "markdown", "rst", "txt", "json", "yaml", "yml", "toml"))
"""Files that name other files."""


def code(text: str, room: int, path: str, first: int) -> Sketch:
    """Return the outline of a file.

    `first` is the number of the first line if the text has no line numbers, and 0 if nothing is known about it.
    """
    ended, rest = headed(text)
    lines = rest.count("\n") + 1
    where = _where(rest, first, lines)
    room -= sum(map(len, ended))
    found = list(definitions(rest, path, first))
    chosen = _choose(found, int(room * _DEFINITIONS))
    shown = [_line_of(one) for one in chosen]
    if chosen and (more := len(found) - len(chosen)):
        shown.append(
            f"(and {more:,} more {'heading' if _ending(path) in _PROSE else 'definition'}{'s' * (more > 1)})"
        )
    room -= sum(map(len, shown)) + len(shown)
    named = list_paths(files(rest), int(room * _PATHS)) if _ending(path) in _PROSE else []
    return Sketch((*ended, *shown, *named), len(chosen), lines, where)


def _choose(found: list[Definition], room: int) -> list[Definition]:
    """Return the definitions that there is room for, in their order; the outermost are chosen first."""
    chosen = set()
    for one in sorted(found, key=lambda one: one.indent):
        room -= len(_line_of(one)) + 1
        if room < 0:
            break
        chosen.add(one)
    return [one for one in found if one in chosen]


def _line_of(one: Definition) -> str:
    return f"{one.number}: {one.line}" if one.number else one.line


def _where(text: str, first: int, lines: int) -> str:
    """Return which lines of its file a text shows, such as `17-310`; empty if that is not known."""
    ends = text[:_END].split("\n")[:_AROUND], text[-_END:].split("\n")[: -_AROUND - 1 : -1]
    start, last = (
        next((as_number(found[1]) for found in map(_LINE_NUMBER.match, end) if found), 0) for end in ends
    )
    # A client may write a few lines of its own around those of the file.
    if 0 <= lines - (last - start + 1) <= 2 * _AROUND and start:
        return f"{start}-{last}"
    return f"{first}-{first + lines - 1}" if first else ""


def definitions(text: str, path: str, first: int = 0) -> Iterator[Definition]:
    """Return the definitions of a source file, in their order."""
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
        whole = text[start : min(len(text) if end < 0 else end, start + LONGEST)].rstrip()
        bare = whole.lstrip()
        name = next(word for word in words if word)
        yield Definition(as_number(number) if number else line, name, bare[:_SIGNATURE], len(whole) - len(bare))


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


@lru_cache(maxsize=64)
def _pattern(ending: str) -> re.Pattern[str] | None:
    """How definitions look in files with this ending."""
    shape = next((shape for endings, shape in _FAMILIES.items() if ending in endings.split()), None)
    return re.compile(_NUMBER + shape, re.M) if shape else None

"""The lines and paths of any text, and the sketch of its outline."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Sketch:
    """The text of an outline, and how many lines it keeps."""

    shown: tuple[str, ...]
    kept: int
    """How many lines of the outline are lines of the text."""
    total: int
    """How many lines the text has."""
    where: str = ""
    """Which lines of its file the text has, such as `17-310`; empty if that is not known."""


LONGEST: Final = 200
"""Characters of the longest line; a longer one counts as several."""


def pieces(text: str) -> list[str]:
    """The lines of a text; a very long one is cut, first where a string in JSON has its line breaks."""
    lines = text.splitlines()
    if len(text) <= LONGEST or max(map(len, lines)) <= LONGEST:
        return lines
    found: list[str] = []
    for line in lines:
        if len(line) <= LONGEST:
            found.append(line)
            continue
        for part in line.split("\\n"):
            found += [part[i : i + LONGEST] for i in range(0, max(1, len(part)), LONGEST)]
    return found


_STEP: Final = r"[\w@+.()\[\]-]+"
_LONG: Final = rf"(?:[A-Za-z]:)?[\\/]?{_STEP}(?:[\\/]{_STEP})+"
_ALONE: Final = r"\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}"
_START: Final = r"(?<![\w/\\:.-])"
_PATH: Final = re.compile(rf"{_START}(?:({_LONG})|((?:(?!{_START}[A-Za-z]:)[\w@+.()\[\]-])+))")
"""A path, or else a stretch of text in which none begins, so that the stretch is not tried again."""
_FILE: Final = re.compile(rf"{_START}{_ALONE}(?![\w(])")
_SUFFIXES: Final = """
    bat bash c cc cfg cjs cmake conf cpp cs css csv cts cxx dart db env ex exs fish gd gif gitignore go gql gradle
    graphql h hh hpp htm html ico ini ipynb java jpeg jpg js json jsonl jsx kt kts less lock log lua m map md mdx
    mjs mm mts pdf php pl png prisma proto ps1 py pyi r rb rs rst sass scala scss sh sln sol sql sqlite svelte svg
    swift tf toml ts tscn tsx txt vue webp woff2 xml yaml yml zig zsh
"""
_FILE_ENDINGS: Final = frozenset(_SUFFIXES.split())
"""How the names of files end; `db.prepare` is none."""
_GREP_CONTEXT: Final = re.compile(r"(\.\w+)-\d+-.*$", re.S)
"""What stands behind the path in the lines around a match of `grep -C`."""
_LONGEST_PATH: Final = 160
_LETTERS: Final = re.compile(r"[A-Za-z_]{2}")
_DULL: Final = re.compile(
    r"(?:^|[\\/])(?:node_modules|\.git|dist|build|target|__pycache__|\.venv|venv|\.next|vendor|coverage)[\\/]"
    r"|\.(?:png|jpe?g|gif|svg|ico|webp|woff2?|ttf|map|pyc|lock|snap|class|o|so|min\.js)$"
)


def paths(text: str, *, alone: bool = False) -> list[str]:
    """The paths in a text in the order they came; `alone` takes names of files without a folder too."""
    if "/" not in text and "\\" not in text and not (alone and "." in text):
        return []
    # Most words hold no path, and the pattern is slow on them.
    words = dict.fromkeys(w for w in text.split() if "/" in w or "\\" in w or (alone and "." in w))
    found = dict.fromkeys(_found("\n".join(words), alone=alone))
    return list(dict.fromkeys(_trimmed(path) for path in found if _real(path)))


def files(text: str) -> list[str]:
    """The paths in a text that name a file; prose and logs have many other words with a slash."""
    return [path for path in paths(text) if _ending(path) in _FILE_ENDINGS]


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _found(text: str, *, alone: bool) -> Iterator[str]:
    for path, rest in _PATH.findall(text):
        if path:
            yield path
        elif alone:
            named = _FILE.findall(rest)
            yield from (name for name in named if _ending(name) in _FILE_ENDINGS)


def _real(path: str) -> bool:
    """Whether it looks like a path rather than a fraction, a date, a blob or a choice between two words."""
    if len(path) > _LONGEST_PATH or not _LETTERS.search(path):
        return False
    first, _, second = path.replace("\\", "/").lstrip("/").partition("/")
    return "/" in second or "." in (second or first) or len(path) >= 12


def _trimmed(path: str) -> str:
    """A path without the brackets around it, the full stop and the number of a line behind it."""
    path = _GREP_CONTEXT.sub(r"\1", path)
    for opened, closed in ("()", "[]"):
        if path[0] == opened and (closed not in path or path[-1] == closed):
            path = path[1:]
        if path[-1] == closed and opened not in path:
            path = path[:-1]
    return path.rstrip(".").removeprefix("./")


def squeezed(found: Collection[str], room: int) -> list[str]:
    """Lines that name these paths while there is room: each folder once, then what lies in it.

    That is named by the last two steps of its path, because `index.ts` alone could be any of them. Sources come
    before what was built, drawn or installed.
    """
    folders: dict[str, list[str]] = {}
    left = len(found)
    for path in sorted(found, key=lambda path: _DULL.search(path) is not None):
        if room <= 0:
            break
        steps = path.replace("\\", "/")
        at = steps.rfind("/", 0, max(steps.rfind("/"), 0)) + 1
        folder, name = path[:at], path[at:]
        if folder not in folders:
            folders[folder] = []
            room -= len(folder) + 2
        folders[folder].append(name)
        room -= len(name) + 1
        left -= 1
    lines = [_line(folder, inside) for folder, inside in folders.items()]
    return [*lines, f"(and {left:,} more path{'s' * (left > 1)})"] if left and lines else lines


def _line(folder: str, inside: list[str]) -> str:
    return f"{folder}{': ' if folder and len(inside) > 1 else ''}{' '.join(inside)}"

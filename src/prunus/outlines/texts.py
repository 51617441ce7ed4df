"""What can be picked out of any text: its lines, its names, its paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Final

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


_NAME: Final = re.compile(r"[A-Za-z_]\w{7,}")
_LONGEST_NAME: Final = 40


def names(text: str, room: int, shown: Iterable[str] = ()) -> tuple[str, ...]:
    """One line of the names that are not shown yet, rarest first while there is room; nothing if there are none.

    Names have eight characters and more. Those that stand once in a text are used later more often than those
    that stand all over it. What stands around a name is left out: `self.reader.settings` would cost more and
    say most of it again.
    """
    if room <= 0:
        return ()
    found = Counter(_NAME.findall(text))
    for name in _NAME.findall("\n".join(shown)):
        found.pop(name, None)
    chosen = set()
    for rare in (1, 2, 0):
        for name, times in found.items():
            if room <= 0:
                break
            if (times == rare or (not rare and times > 2)) and len(name) <= _LONGEST_NAME:
                chosen.add(name)
                room -= len(name) + 1
    return (" ".join(name for name in found if name in chosen),) if chosen else ()


_STEP: Final = r"[\w@+.()\[\]-]+"
_LONG: Final = rf"(?:[A-Za-z]:)?[\\/]?{_STEP}(?:[\\/]{_STEP})+"
_ALONE: Final = r"\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}"
_START: Final = r"(?<![\w/\\:.-])"
_PATH: Final = re.compile(rf"{_START}(?:({_LONG})|((?:(?!{_START}[A-Za-z]:)[\w@+.()\[\]-])+))")
"""A path, or else a stretch of text in which none begins, so that the stretch is not tried again."""
_FILE: Final = re.compile(rf"{_START}{_ALONE}(?![\w(])")
_LONGEST_PATH: Final = 160
_LETTERS: Final = re.compile(r"[A-Za-z_]{2}")
_DULL: Final = re.compile(
    r"(?:^|[\\/])(?:node_modules|\.git|dist|build|target|__pycache__|\.venv|venv|\.next|vendor|coverage)[\\/]"
    r"|\.(?:png|jpe?g|gif|svg|ico|webp|woff2?|ttf|map|pyc|lock|snap|class|o|so|min\.js)$"
)


def paths(text: str, *, alone: bool = False) -> list[str]:
    """The paths in a text in the order they came; `alone` takes names of files without a folder too."""
    # Most words hold no path, and the pattern is slow on them.
    words = dict.fromkeys(w for w in text.split() if "/" in w or "\\" in w or (alone and "." in w))
    found = dict.fromkeys(_found("\n".join(words), alone=alone))
    return list(dict.fromkeys(_trimmed(path) for path in found if _real(path)))


def _found(text: str, *, alone: bool) -> Iterator[str]:
    for path, rest in _PATH.findall(text):
        if path:
            yield path
        elif alone:
            yield from _FILE.findall(rest)


def _real(path: str) -> bool:
    """Whether it looks like a path rather than a fraction, a date, a blob or a choice between two words."""
    if len(path) > _LONGEST_PATH or not _LETTERS.search(path):
        return False
    first, _, second = path.replace("\\", "/").lstrip("/").partition("/")
    return "/" in second or "." in (second or first) or len(path) >= 12


def _trimmed(path: str) -> str:
    """A path without the brackets around it and the full stop behind it."""
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
    return [*lines, f"(and {left:,} more paths)"] if left and lines else lines


def _line(folder: str, inside: list[str]) -> str:
    return f"{folder}{': ' if folder and len(inside) > 1 else ''}{' '.join(inside)}"

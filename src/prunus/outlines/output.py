"""Outlines of the output of commands and tools, made of lines and paths.

The outline of a log has its first and last lines, its error lines, and the files that other lines name. The outline
of a listing or a search has the files and folders. If a text keeps its head and its tail, the outline of its middle
has error lines and paths.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from prunus.calls.results import headed


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
    """Return the lines of a text; a very long line is split, first at the escaped line breaks of a JSON string."""
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
"""The endings of file names; `db.prepare` is no file."""
_GREP_CONTEXT: Final = re.compile(r"(\.\w+)-\d+-.*$", re.S)
"""The text behind the path in the context lines of `grep -C`."""
_LONGEST_PATH: Final = 160
_LETTERS: Final = re.compile(r"[A-Za-z_]{2}")
_DULL: Final = re.compile(
    r"(?:^|[\\/])(?:node_modules|\.git|dist|build|target|__pycache__|\.venv|venv|\.next|vendor|coverage)[\\/]"
    r"|\.(?:png|jpe?g|gif|svg|ico|webp|woff2?|ttf|map|pyc|lock|snap|class|o|so|min\.js)$"
)


def paths(text: str, *, alone: bool = False) -> list[str]:
    """Return the paths in a text, in their order; with `alone` also names of files without a folder."""
    if "/" not in text and "\\" not in text and not (alone and "." in text):
        return []
    # Most words hold no path, and the pattern is slow on them.
    words = dict.fromkeys(w for w in text.split() if "/" in w or "\\" in w or (alone and "." in w))
    found = dict.fromkeys(_find_paths("\n".join(words), alone=alone))
    return list(dict.fromkeys(_trim_path(path) for path in found if _looks_like_path(path)))


def files(text: str) -> list[str]:
    """Return the paths in a text that name a file; prose and logs have many other words with a slash."""
    return [path for path in paths(text) if _ending(path) in _FILE_ENDINGS]


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _find_paths(text: str, *, alone: bool) -> Iterator[str]:
    for path, rest in _PATH.findall(text):
        if path:
            yield path
        elif alone:
            named = _FILE.findall(rest)
            yield from (name for name in named if _ending(name) in _FILE_ENDINGS)


def _looks_like_path(path: str) -> bool:
    """Whether a text looks like a path, not like a fraction, a date, base64 or two words with a slash."""
    if len(path) > _LONGEST_PATH or not _LETTERS.search(path):
        return False
    first, _, second = path.replace("\\", "/").lstrip("/").partition("/")
    return "/" in second or "." in (second or first) or len(path) >= 12


def _trim_path(path: str) -> str:
    """Return a path without brackets around it, and without the full stop or line number behind it."""
    path = _GREP_CONTEXT.sub(r"\1", path)
    for opened, closed in ("()", "[]"):
        if path[0] == opened and (closed not in path or path[-1] == closed):
            path = path[1:]
        if path[-1] == closed and opened not in path:
            path = path[:-1]
    return path.rstrip(".").removeprefix("./")


def list_paths(found: Collection[str], room: int) -> list[str]:
    """Return lines that list as many of these paths as there is room for, folder by folder.

    A file is named with the last folder of its path, because many files are called `index.ts`. Sources come before
    files that were generated or installed, and before pictures.
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


_LOUD: Final = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|s)?|fatal|panic|warning|assert\w*|undefined)\b", re.I
)
_WORDS: Final = ("error", "exception", "fail", "fatal", "panic", "warning", "assert", "undefined")
_HEAD: Final = 2
_TAIL: Final = 4
_COMPLAINTS: Final = 0.3
"""The share of the outline that error lines may take, so that a log of warnings leaves space for the rest."""
_PATHS: Final = 0.3
_DENSE: Final = 3
"""Times the room of other texts: nearly every word of a listing is the name of something."""
_MOST: Final = 0.6
_MIDDLE_PATHS: Final = 0.6
_LS_LINE: Final = re.compile(
    r"([dl-])[rwxsStT-]{9}[@+.]?\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMG]?\s+\w+\s+\d+\s+[\d:]+\s(\S[^\n]*+)"
)
"""A line of `ls -l`: the kind of the file, and its name with the place that a link leads to."""
_KINDS: Final = ("d", "l", "-")
_WORD: Final = re.compile(r"(?=[^A-Za-z_/\s]*+[A-Za-z_])[\w@+.()\[\]-]++/?")
"""A line of `ls`, which holds nothing but a name."""


def log(text: str, room: int) -> Sketch:
    """Return the outline of a log.

    The first lines show what was done, and the last ones how it ended. An eighth of the lines stays at each end,
    but at most two at the start and four at the end.
    """
    ended, rest = headed(text)
    lines = pieces(rest)
    edge = max(1, len(lines) // 8)
    head, tail = lines[: min(edge, _HEAD)], lines[max(len(lines) - min(edge, _TAIL), min(edge, _HEAD)) :]
    middle = lines[len(head) : len(lines) - len(tail)]
    room -= sum(len(line) + 1 for line in (*ended, *head, *tail))
    loud, named = digest(middle, room)
    return Sketch((*ended, *head, *loud, *tail, *named), len(head) + len(loud) + len(tail), len(lines))


def digest(lines: list[str], room: int) -> tuple[list[str], list[str]]:
    """Return the error lines among these lines, each once, and the files that the others name."""
    if room <= 0:
        return [], []
    loud: dict[str, None] = {}
    quiet: list[str] = []
    left = int(room * _COMPLAINTS)
    for i, line in enumerate(lines):
        if left <= 0:
            quiet += lines[i:]
            break
        if line in loud:
            continue
        if _complains(line):
            loud[line] = None
            left -= len(line) + 1
        else:
            quiet.append(line)
    room -= sum(len(line) + 1 for line in loud)
    return list(loud), list_paths(files("\n".join(quiet)), int(room * _PATHS))


def _complains(line: str) -> bool:
    """Whether a line says that something went wrong; the words are looked for first, which is faster."""
    low = line.lower()
    return any(word in low for word in _WORDS) and _LOUD.search(line) is not None


def listing(text: str, room: int) -> Sketch:
    """Return the outline of a listing: its first line, and the paths in the others."""
    ended, rest = headed(text)
    lines = pieces(rest)
    room = min(room * _DENSE, int(len(text) * _MOST))
    head = lines[:1]
    room -= sum(len(line) + 1 for line in (*ended, *head))
    named = list_paths(_entries(lines[1:]), room)
    return Sketch((*ended, *head, *named), len(head), len(lines))


def middle(text: str, room: int, *, listing: bool) -> list[str]:
    """Return the error lines and the paths of a text; of a listing only the paths."""
    if not listing:
        loud, named = digest(pieces(text), room)
        return [*loud, *named]
    return list_paths(_entries(pieces(text)), int(room * _MIDDLE_PATHS)) if room > 0 else []


def _entries(lines: list[str]) -> list[str]:
    """Return the files and folders in a listing: the name in a line of `ls`, the paths in any other line."""
    found: list[str] = []
    others: list[str] = []
    for line in lines:
        long = _LS_LINE.fullmatch(line) if line[:1] in _KINDS else None
        if long is None and (" " in line or not _WORD.fullmatch(line)):
            others.append(line)
            continue
        found += paths("\n".join(others), alone=True) if others else ()
        others.clear()
        name = line if long is None else str(long[2]).partition(" -> ")[0] + "/" * (long[1] == "d")
        if name not in ("./", "../"):
            found.append(name)
    return list(dict.fromkeys((*found, *paths("\n".join(others), alone=True))))

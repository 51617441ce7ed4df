"""Formatters: which files one went over, and what it says of those it rewrote.

Many tell: how many files were left as they were, or which ones they changed. What they do not tell stays open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.paths import join
from prunus.shell.formatters import without_values
from prunus.shell.names import Names
from prunus.shell.programs import LANGUAGES, WEB
from prunus.shell.words import Word

__all__ = ["TIDYING", "Tidied", "looked_over", "rewritten", "tidied"]

TIDYING: Final = re.compile(r"(?:format|fmt|lint|prettier|fix|style)(?:[:-][\w:.-]*)?")
"""Tasks that may rewrite sources in one style."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """A formatter that ran. What it went over before, and nobody changed since, it leaves as it is."""

    name: str
    suffixes: tuple[str, ...] = ()
    """Files of its language; empty is any."""
    names: tuple[str, ...] = ()
    """The files and folders it was given; empty is all."""
    edited: bool = False
    """Of the others only those that were changed: hooks of a commit rewrite what is staged."""
    _given: Names = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_given", Names(self.names))

    def covers(self, path: str, edits: int) -> bool:
        """Whether it went over a file."""
        if self.suffixes and not path.endswith(self.suffixes):
            return False
        if self._given.mean(path) or self._given.hold(path):
            return True
        return (edits > 0) if self.edited else not self.names


_SUBCOMMANDS: Final = frozenset({"format", "fmt", "check", "lint"})
_SWITCHES: Final = frozenset({"--write", "-w", "--fix", "-l", "-s", "-d", "-i", "-q", "--quiet", "-a", "-A", "--"})
"""Flags that take no value."""
_MISSING: Final = re.compile(
    r"(?:(?:stat|lstat|open|CreateFile) )?(?<![^\s:'\"])([^\s:'\"]++): (?:no such file|The system cannot find)",
    re.I,
)


def tidied(name: str, words: Sequence[Word], folder: str, output: str) -> Tidied | None:
    """The formatter that a command runs, if it is one that rewrites files and found any."""
    if name in LANGUAGES or name in WEB:
        given = _operands(without_values(name, words[1:]))
        if given:
            missing = set(_MISSING.findall(output))
            given = [text for text in given if text not in missing]
            if not given:
                return None
        names = tuple(dict.fromkeys(join(folder, _folder(text)) for text in given))
        return Tidied(name, LANGUAGES.get(name, ()), () if "." in names or "" in names else names)
    texts = [word.text for word in words]
    return Tidied("make") if name in ("make", "just") and any(map(TIDYING.fullmatch, texts[1:])) else None


def looked_over(name: str, words: Sequence[Word]) -> tuple[str, ...]:
    """The files, by the ends of their names, that a project has a formatter or a linter for that was just run."""
    if name in WEB:
        return WEB[name]
    if name in ("go", "cargo", "mix", "dart", "terraform"):
        return LANGUAGES[name] if {"fmt", "format", "clippy"} & {word.text for word in words[1:2]} else ()
    return LANGUAGES.get(name, ())


def _operands(words: Sequence[Word]) -> list[str]:
    """The files and folders that a formatter is given; empty if there may be none, or others."""
    found: list[str] = []
    sure = False
    before = ""
    for word in words:
        text = word.text
        if not text.startswith("-") and text not in _SUBCOMMANDS:
            found.append(text)
            sure = sure or not before.startswith("-") or before in _SWITCHES
        before = text
    return found if sure else []


def _folder(text: str) -> str:
    """The folder below which a pattern matches; a plain path is itself."""
    if (at := re.search(r"[*?\[{$`]", text)) is not None:
        return text[: text.rfind("/", 0, at.start()) + 1].rstrip("/") or "."
    return (text.removesuffix("...").rstrip("/") or ".") if text.endswith("...") else text


def rewritten(name: str, words: Sequence[Word], output: str, cut: bool) -> tuple[str, ...] | None:
    """The files that a formatter says it changed; None if it does not say.

    Where the output went through another command, only words that speak of all files count.
    """
    if (said := _NOTHING_CHANGED.get(name)) is not None and said(output):
        return ()
    lists = _CHANGED.get(name)
    if cut or lists is None:
        return None
    return lists([word.text for word in words], output)


_BLACK_NONE: Final = re.compile(r"^(?:\d+ files? left unchanged|No Python files are present)", re.M)
_BLACK_SOME: Final = re.compile(r"\d files? reformatted")
_BLACK_FILE: Final = re.compile(r"^reformatted (\S.*)$", re.M)
_RUFF_NONE: Final = re.compile(r"^(?:All checks passed!|\d+ files? left unchanged|Found \d+ errors?\.)", re.M)
_RUFF_SOME: Final = re.compile(r"\d files? reformatted|\(\d+ fixed")
_PRETTIER: Final = re.compile(r"^(\S.*?) \d+(?:\.\d+)?m?s(?P<same> \(unchanged\))?$", re.M)
_DART: Final = re.compile(r"^Formatted \d+ files? \(0 changed\)|^Formatted no files", re.M)


def _black(output: str) -> bool:
    return _BLACK_NONE.search(output) is not None and not _BLACK_SOME.search(output) and "error:" not in output


def _ruff(output: str) -> bool:
    return _RUFF_NONE.search(output) is not None and not _RUFF_SOME.search(output)


_NOTHING_CHANGED: Final[dict[str, Callable[[str], bool]]] = {
    "black": _black,
    "ruff": _ruff,
    "biome": lambda output: "No fixes applied." in output and "Fixed " not in output,
    "rubocop": lambda output: "no offenses detected" in output,
    "swiftformat": lambda output: re.search(r"^0/\d+ files formatted", output, re.M) is not None,
    "dart": lambda output: _DART.search(output) is not None,
}


def _listed_by_black(words: Sequence[str], output: str) -> tuple[str, ...] | None:
    if _BLACK_SOME.search(output) is None:
        return None
    return tuple(join("", path.strip()) for path in _BLACK_FILE.findall(output))


def _listed_by_go(words: Sequence[str], output: str) -> tuple[str, ...] | None:
    """`go fmt` and `gofmt -l` print the files they rewrite, and nothing else unless something is wrong."""
    if words[0] != "go" and "-l" not in words:
        return None
    lines = output.split()
    return tuple(join("", line) for line in lines) if all(line.endswith(".go") for line in lines) else None


def _listed_by_prettier(words: Sequence[str], output: str) -> tuple[str, ...] | None:
    """It prints every file it went over; from version 3 on, also whether it was left unchanged."""
    found = list(_PRETTIER.finditer(output))
    if not found or "[error]" in output:
        return None
    return tuple(join("", line[1]) for line in found if not line["same"])


def _listed_by_terraform(words: Sequence[str], output: str) -> tuple[str, ...] | None:
    lines = output.split()
    return tuple(join("", line) for line in lines) if all(re.search(r"\.tf\w*$", line) for line in lines) else None


_CHANGED: Final[dict[str, Callable[[Sequence[str], str], tuple[str, ...] | None]]] = {
    "black": _listed_by_black, "go": _listed_by_go, "gofmt": _listed_by_go, "gofumpt": _listed_by_go,
    "goimports": _listed_by_go, "prettier": _listed_by_prettier, "terraform": _listed_by_terraform,
}  # fmt: skip

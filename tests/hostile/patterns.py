"""Every compiled pattern of the package, and texts made of its own pieces that it nearly matches."""

from __future__ import annotations

import ast
import importlib
import re
import re._constants as code  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import prunus
from tests.hostile.shapes import BEHIND, Shape
from tests.sources import python_files

__all__ = ["Compiled", "compiled", "modules", "shapes"]

_METHODS: Final = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
_REPEATS: Final = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_CLASSES: Final = {
    code.CATEGORY_SPACE: " \n\t",
    code.CATEGORY_DIGIT: "1",
    code.CATEGORY_WORD: "a1_",
    code.CATEGORY_NOT_SPACE: "a:",
    code.CATEGORY_NOT_DIGIT: "a ",
    code.CATEGORY_NOT_WORD: " -",
}
_COMMON: Final = (
    " ",
    "\n",
    "\t",
    "a",
    "1",
    ".",
    "/",
    "-",
    "*",
    "'",
    '"',
    "\\",
    "`",
    "(",
    "{",
    "<",
    "[",
    "a ",
    "a\n",
    "(a)",
)
_PICKS: Final = 3
"""How many different samples a choice gives."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A pattern, where it stands, and what its module does with it."""

    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]

    def reader(self, method: str) -> Callable[[str], object]:
        """What runs the pattern over a text as its module does."""
        call = getattr(self.pattern, method)
        binary = isinstance(self.pattern.pattern, bytes)
        empty: Any = b"" if binary else ""

        def read(text: str) -> object:
            given: Any = text.encode() if binary else text
            if method in ("sub", "subn"):
                return call(empty, given)
            return sum(1 for _ in call(given)) if method == "finditer" else call(given)

        return read


@cache
def modules() -> tuple[str, ...]:
    """Every module of the package whose framework, if it is for one, is installed."""
    root = Path(prunus.__path__[0])
    parts = (path.relative_to(root).with_suffix("").parts for path in python_files(root))
    names = (".".join(("prunus", *each)).removesuffix(".__init__") for each in parts)
    return tuple(name for name in names if not name.endswith("__main__") and _can_be_imported(name))


def _can_be_imported(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("prunus"):
            raise
        return False
    return True


@cache
def compiled() -> tuple[Compiled, ...]:
    """The patterns that modules keep, also inside tables, and those that they spell out in a call."""
    found: dict[tuple[Any, int], Compiled] = {}
    for name in modules():
        uses = _uses(name)
        for key, value in vars(importlib.import_module(name)).items():
            for pattern in _patterns(value):
                methods = uses.get(key, frozenset({"search"}))
                _add(found, Compiled(f"{name}.{key}", pattern, methods))
        for line, method, pattern in _spelled_out(_tree(name)):
            _add(found, Compiled(f"{name}:{line}", pattern, frozenset({method})))
    return tuple(found.values())


def _add(found: dict[tuple[Any, int], Compiled], new: Compiled) -> None:
    """Take a pattern once, with all that is done with it."""
    key = (new.pattern.pattern, new.pattern.flags)
    old = found.get(key, new)
    found[key] = replace(old, methods=old.methods | new.methods)


def shapes(pattern: re.Pattern[Any]) -> Iterator[Shape]:
    """What a pattern nearly matches: each of its repetitions drawn out, each beginning of it many times."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    tree = parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    pumped = {("", piece) for piece in _COMMON}
    for pick in range(_PICKS):
        pumped |= set(_pumped(tree, "", pick))
    for front, piece in sorted(pumped):
        if piece:
            yield from (Shape(piece, front, back) for back in BEHIND)


def _patterns(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping) and depth < 3:
        for item in (*value.keys(), *value.values()):
            yield from _patterns(item, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset)) and depth < 3:
        for item in value:
            yield from _patterns(item, depth + 1)


@cache
def _tree(name: str) -> ast.Module:
    file = importlib.import_module(name).__file__
    assert file is not None
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _uses(module: str) -> dict[str, frozenset[str]]:
    """By the name of a pattern the methods that a module calls on it."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.Name):
                    found.setdefault(inner.id, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def _spelled_out(tree: ast.Module) -> Iterator[tuple[int, str, re.Pattern[str]]]:
    """`re.search("...", text, re.M)` and its like."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str(text)), *rest],
                keywords=keywords,
            ) if method in _METHODS:
                given = [*rest, *(keyword.value for keyword in keywords if keyword.arg == "flags")]
                names = [each.attr for each in given if isinstance(each, ast.Attribute)]
                flags = [getattr(re, each) for each in names if isinstance(getattr(re, each, None), re.RegexFlag)]
                yield node.lineno, method, re.compile(text, sum(flags))


def _pumped(tree: Iterable[Any], front: str, pick: int) -> Iterator[tuple[str, str]]:
    """Fronts and the pieces that may come many times behind them."""
    for item in tree:
        op, of = item
        if op in _REPEATS:
            _, most, inner = of
            if most is code.MAXREPEAT or most > 50:
                yield from ((front, _sample(inner, {}, each)) for each in range(2 * _PICKS))
            yield from _pumped(inner, front, pick)
        elif op is code.SUBPATTERN:
            yield from _pumped(of[3], front, pick)
        elif op is code.ATOMIC_GROUP:
            yield from _pumped(of, front, pick)
        elif op is code.BRANCH:
            for branch in of[1]:
                yield from _pumped(branch, front, pick)
        front += _sample([item], {}, pick)
        yield "", front


def _sample(tree: Iterable[Any], groups: dict[int, str], pick: int) -> str:
    """A text that the pattern matches, assertions aside."""
    made = ""
    for op, of in tree:
        if op is code.LITERAL:
            made += chr(of)
        elif op is code.NOT_LITERAL:
            made += "b" if of == ord("a") else "a"
        elif op is code.ANY:
            made += "x"
        elif op is code.IN:
            choice = _members(of)
            made += choice[pick % len(choice)]
        elif op is code.SUBPATTERN:
            groups[of[0]] = _sample(of[3], groups, pick)
            made += groups[of[0]]
        elif op is code.ATOMIC_GROUP:
            made += _sample(of, groups, pick)
        elif op is code.BRANCH:
            made += _sample(of[1][pick % len(of[1])], groups, pick)
        elif op in _REPEATS:
            made += _sample(of[2], groups, pick) * max(of[0], 1 if pick % 2 == 0 and of[1] else of[0])
        elif op is code.GROUPREF:
            made += groups.get(of, "")
    return made


def _members(items: list[Any]) -> str:
    """Some characters of a class."""
    if items and items[0][0] is code.NEGATE:
        made = "".join(each for each in " a\n/\"'\\<-x`1" if not any(_holds(item, each) for item in items[1:]))
        return made or "ā"
    made = ""
    for op, of in items:
        if op is code.LITERAL:
            made += chr(of)
        elif op is code.RANGE:
            made += chr(of[0])
        elif op is code.CATEGORY:
            made += _CLASSES.get(of, "a")
    return made


def _holds(item: Any, character: str) -> bool:
    op, of = item
    if op is code.LITERAL:
        return bool(ord(character) == of)
    if op is code.RANGE:
        return bool(of[0] <= ord(character) <= of[1])
    if op is code.CATEGORY:
        within = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}[str(of).rpartition("_")[2]]
        return (re.match(within, character) is not None) != ("NOT" in str(of))
    return False

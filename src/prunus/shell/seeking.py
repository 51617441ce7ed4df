"""The texts that a program looks for in the files that it edits, by the words on its command line.

An edit that names lines by their numbers alone, such as `sed -i 5d`, says nothing about their text.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Final

from prunus.shell.changes import value_of
from prunus.shell.changing import perl, writes
from prunus.shell.printing import sed_expressions
from prunus.shell.words import Simple, Word

_SUBSTITUTES: Final = re.compile(r"\bs([/|#!,~@])((?:\\.|(?!\1)[^\\])++)\1", re.S)
_REPLACES: Final = re.compile(r"-c?replace\s+(['\"])((?:(?!\1).)++)\1|\.Replace\(\s*(['\"])((?:(?!\3).)++)\3", re.S)
_WRITES_BACK: Final = re.compile(r"Set-Content|Out-File|WriteAll(?:Text|Lines)", re.I)
_SEARCHES: Final = frozenset({"replace", "find", "rfind", "index", "rindex", "split", "partition", "count"})
_EXPRESSIONS: Final = frozenset({"sub", "subn", "compile", "search", "match", "fullmatch", "finditer", "findall"})
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?[^\]]{0,200}\]|\{\d{1,9},?\d{0,9}\}|.", re.S)
_GROUPING: Final = frozenset("(){}+?|")
_ANCHORS: Final = frozenset("^$")


def by_powershell(command: str) -> Iterator[str]:
    """The texts that the cmdlets and operators of PowerShell itself look for."""
    for _, expression, _, text in _REPLACES.findall(command) if _WRITES_BACK.search(command) else ():
        yield from (text,) if text else plain_texts(expression, extended=True)


def by_sed(words: Sequence[Word], simple: Simple) -> Iterator[str]:
    for expression, extended in sed_expressions(words):
        yield from plain_texts(expression, extended=extended)


def by_perl(words: Sequence[Word], simple: Simple) -> Iterator[str]:
    if perl(words, simple).files:
        for found in _SUBSTITUTES.finditer("\n".join(word.text for word in words)):
            yield from plain_texts(found[2], extended=True)


def by_python(words: Sequence[Word], simple: Simple) -> Iterator[str]:
    given = value_of(words, "-c", "-e", "--eval")
    script = simple.heredoc or "" if given is None else given.text
    if not writes(script):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The script's own odd escapes are not our business.
            tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = _constants(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), attr), [first, *_]) if attr in _EXPRESSIONS:
                for text in _values(first, names):
                    yield from plain_texts(text, extended=True)
            case ast.Call(ast.Attribute(_, attr), [first, *_]) if attr in _SEARCHES:
                yield from _values(first, names)
            case ast.Compare(left, [ast.In() | ast.NotIn(), *_]):
                yield from _values(left, names)


def _constants(tree: ast.AST) -> dict[str, list[str]]:
    """The texts that each name of a script may stand for, by plain assignments."""
    names: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value):
                names.setdefault(name, []).extend(_values(value, {}))
    return names


def _values(node: ast.expr, names: dict[str, list[str]]) -> list[str]:
    """The texts that an expression of a script may have."""
    match node:
        case ast.Constant(str(text)):
            return [text]
        case ast.Name(name):
            return names.get(name, [])
        case ast.BinOp(left, ast.Add(), right):
            return [one + other for one in _values(left, names) for other in _values(right, names)]
    return []


def plain_texts(expression: str, *, extended: bool) -> Iterator[str]:
    """The stretches of plain text in an expression, in order.

    A dot that is not repeated counts as a dot, because authors who search for code seldom escape dots. `extended`
    says that brackets and signs group and repeat unless they are escaped, as in Python and `sed -E`; in plain `sed`
    they do so only if they are escaped.
    """
    run = ""
    for token in _TOKEN.findall(expression):
        found = _found_by(token, extended)
        if found is not None:
            run += found
            continue
        # The character in front of `*` and `?` may be missing.
        yield run[:-1] if token in (("*", "?") if extended else ("*", "\\?")) or token[0] == "{" else run
        run = ""
    yield run


def _found_by(token: str, extended: bool) -> str | None:
    """The text that a token finds; None if it finds several texts, or only a place."""
    sign = token[0]
    if len(token) == 1:
        return None if sign == "*" or sign in _ANCHORS or (extended and sign in _GROUPING) else sign
    if sign == "{":
        return None if extended else token
    if sign == "[":
        return token[1] if len(token) == 3 and token[1] != "^" else None
    character = token[1]
    if character in _GROUPING:
        return character if extended else None
    return None if character.isalnum() or character in "<>" else character

"""The texts that a shell edit looks for in a file: an agent can only name them if it has seen them.

Edits by `sed -i`, by `perl -i`, by scripts in Python and JavaScript, and by PowerShell are read. An edit that names
lines by their numbers alone, such as `sed -i 5d`, says nothing about their text.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Final

from prunus.shell import powershell
from prunus.shell.changing import writes, written_by
from prunus.shell.programs import ShellStep, run_by_xargs, step_of, steps
from prunus.shell.sed import sed_expressions
from prunus.shell.words import Simple

_SUBSTITUTES: Final = re.compile(r"\bs([/|#!,~@])((?:\\.|(?!\1)[^\\])++)\1", re.S)
_REPLACES: Final = re.compile(r"-c?replace\s+(['\"])((?:(?!\1).)++)\1|\.Replace\(\s*(['\"])((?:(?!\3).)++)\3", re.S)
_WRITES_BACK: Final = re.compile(r"Set-Content|Out-File|WriteAll(?:Text|Lines)", re.I)
_LITERAL: Final = r"""('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)"""
_SCRIPT_SEARCH: Final = re.compile(
    rf"\.(?:replace|replaceAll|split|indexOf|includes)\(\s*(?:{_LITERAL}|/((?:\\.|[^/\\\n])+)/|(\w+)\s*[,)])", re.S
)
_CONSTANT: Final = re.compile(rf"\b(?:const|let|var)\s+(\w+)\s*=\s*{_LITERAL}", re.S)
_ESCAPE: Final = re.compile(r"\\(.)", re.S)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_SEARCHES: Final = frozenset({"replace", "find", "rfind", "index", "rindex", "split", "partition", "count"})
_EXPRESSIONS: Final = frozenset({"sub", "subn", "compile", "search", "match", "fullmatch", "finditer", "findall"})
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?[^\]]{0,200}\]|\{\d{1,9},?\d{0,9}\}|.", re.S)
_GROUPING: Final = frozenset("(){}+?|")
_ANCHORS: Final = frozenset("^$")


def texts_sought(command: str) -> Iterator[str]:
    """The texts that the edits of a command look for, each as far as its text is certain."""
    if powershell.looks_like(command):
        yield from _by_powershell(command)
        return
    script = steps(command) or ()
    words = {word.text for step in script for word in step.simple.words}
    for step in script:
        yield from _by_step(step, words)


def _by_step(step: ShellStep, words: set[str]) -> Iterator[str]:
    match step.name:
        case "sed" | "gsed":
            for expression, extended in sed_expressions(step.words[1:]):
                yield from plain_texts(expression, extended=extended)
        case "perl" if step.changed.files:
            for found in _SUBSTITUTES.finditer("\n".join(step.texts[1:])):
                yield from plain_texts(found[2], extended=True)
        case "python" | "python3":
            yield from _by_python(_script(step))
        case "node" | "bun" | "deno":
            yield from _by_javascript(_script(step))
        case "cat" | "tee" if step.simple.heredoc:
            yield from _by_new_script(step, words)
        case "xargs":
            inner = tuple(run_by_xargs(step.words[1:]))
            if inner and inner[0].text != "xargs":
                yield from _by_step(step_of(Simple("", inner)), words)


def _script(step: ShellStep) -> str:
    """The script on a command line or in its heredoc, if the script writes."""
    texts = step.texts
    given = (texts[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-c", "-e", "--eval"))
    script = next(given, step.simple.heredoc or "")
    return script if writes(script) else ""


def _by_new_script(step: ShellStep, words: set[str]) -> Iterator[str]:
    """A script that a heredoc writes to a file, which names the files that it changes or is run at once."""
    script = step.simple.heredoc or ""
    for output in step.changes.files:
        if (output.text in words and writes(script)) or written_by(script).files:
            if output.text.endswith(".py"):
                yield from _by_python(script)
            elif output.text.endswith((".js", ".mjs", ".cjs")):
                yield from _by_javascript(script)


def _by_powershell(command: str) -> Iterator[str]:
    for _, expression, _, text in _REPLACES.findall(command) if _WRITES_BACK.search(command) else ():
        yield from (text,) if text else plain_texts(expression, extended=True)


def _by_javascript(script: str) -> Iterator[str]:
    constants = {name: _unquoted(text) for name, text in _CONSTANT.findall(script)}
    for text, expression, name in _SCRIPT_SEARCH.findall(script):
        if expression:
            yield from plain_texts(expression, extended=True)
        else:
            yield _unquoted(text) if text else constants.get(name, "")


def _unquoted(literal: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), literal[1:-1])


def _by_python(script: str) -> Iterator[str]:
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
    """The texts that each name of a script may stand for, by plain assignments and by loops over pairs."""
    names: dict[str, list[str]] = {}
    lists: dict[str, Sequence[ast.expr]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], ast.List(items) | ast.Tuple(items)):
                lists[name] = items
            case ast.Assign([ast.Name(name)], value):
                names.setdefault(name, []).extend(_values(value, {}))
    for node in ast.walk(tree):
        match node:
            case ast.For(target, ast.List(items) | ast.Tuple(items)):
                _bind(target, items, names)
            case ast.For(target, ast.Name(listed)):
                _bind(target, lists.get(listed, ()), names)
    return names


def _bind(target: ast.expr, items: Sequence[ast.expr], names: dict[str, list[str]]) -> None:
    for item in items:
        match target, item:
            case ast.Name(name), _:
                names.setdefault(name, []).extend(_values(item, {}))
            case ast.Tuple(targets), ast.Tuple(parts) | ast.List(parts):
                for one, part in zip(targets, parts, strict=False):
                    _bind(one, (part,), names)


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

"""Read a PowerShell command as pipelines of words, and tell which lines of files a pipeline prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from prunus.calls.paths import join
from prunus.calls.touches import FULL, Span, Touch
from prunus.text.numbers import as_number

VALUED = frozenset({"-encoding", "-erroraction", "-ea", "-readcount", "-warningaction", "-width"})
"""Parameters that take a value which does not matter here."""
PATH = frozenset({"-path", "-literalpath", "-filepath", "-pspath"})
_FIRST = frozenset({"-totalcount", "-head", "-first"})
_LAST = frozenset({"-tail", "-last"})
_READERS = frozenset({"get-content", "gc", "cat", "type"})
_PLAIN_OUTPUT = frozenset({"out-string", "out-host", "out-default", "write-output"})
_NUMBERED = re.compile(r"\$_(?![\w.])")
_DECIDES = re.compile(r"\b(?:if|switch|continue|break|return|where|replace|match|substring|split)\b", re.I)


class Token(NamedTuple):
    """A word, a string or a here-string without its quotes, or a whole block in brackets."""

    kind: str
    text: str
    expands: bool = False
    """PowerShell replaces variables in the string."""


_TOKEN = re.compile(
    r"""
    (?P<space>(?:[ \t\r]|`\r?\n)+)
  | (?P<here>@['"]\r?\n)
  | (?P<single>'[^']*+(?:''[^']*+)*+')
  | (?P<double>"(?:[^"`]|`.|"")*+")
  | (?P<comment>\#[^\n]*|(?P<block><\#))
  | (?P<operator>\|\||&&|[|;\n])
  | (?P<redirect>\d?>{1,2}(?:&\d)?|\*>{1,2})
  | (?P<open>[@$]?[({])
  | (?P<close>[)}])
  | (?P<plain>(?:[^\s'"|;(){}`>]|`.)+)
    """,
    re.X | re.S,
)
_EXPANDS = re.compile(r"[$`]")
_OPENER = re.compile(r"[@$]?[({]")
_PLAIN = re.compile(r"(?:[^\s'\"|;(){}`>]|`.)+", re.S)


def tokens(text: str) -> list[Token] | None:
    """Words, strings, blocks and operators; None if a bracket or a quote stays open."""
    found: list[Token] = []
    at, depth, start = 0, 0, 0
    glued = False
    unclosed: set[str] = set()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        kind, end = token.lastgroup or "", token.end()
        if kind == "here" or token["block"]:
            # Both go on to their own mark. Where that is missing, the next ones are not looked for again.
            mark = f"\n{text[at + 1]}@" if kind == "here" else "#>"
            close = -1 if mark in unclosed else text.find(mark, end)
            if close < 0:
                unclosed.add(mark)
                token = _PLAIN.match(text, at)
                if token is None:
                    return None
                kind, end = "plain", token.end()
            else:
                end = close + len(mark)
        piece, at = text[at:end], end
        if kind == "open":
            if not depth:
                start = token.start()
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                return None
            if not depth:
                found.append(Token("block", text[start:at]))
                glued = True
        elif not depth:
            if kind in ("space", "comment"):
                glued = False
                continue
            if kind == "plain" and glued and found[-1].kind == "block":
                found[-1] = Token("block", found[-1].text + piece)
            elif kind == "single":
                found.append(Token("string", piece[1:-1].replace("''", "'")))
            elif kind == "double":
                found.append(Token("string", piece[1:-1].replace('`"', '"').replace('""', '"'), _expands(piece)))
            elif kind == "here":
                found.append(Token("here", piece[piece.index("\n") + 1 : -3].removesuffix("\r"), _expands(piece)))
            else:
                found.append(Token(kind, piece))
            glued = kind == "plain"
    return None if depth else found


def _expands(string: str) -> bool:
    return '"' in string[:2] and _EXPANDS.search(string) is not None


def inside(block: Token) -> str:
    """The text between the brackets of a block."""
    opener = _OPENER.match(block.text)
    assert opener is not None
    return block.text[opener.end() : block.text.rfind(")" if opener[0][-1] == "(" else "}")]


def pipes(found: Sequence[Token]) -> Iterator[tuple[str, list[list[Token]]]]:
    """Each pipeline with how it is joined to the one before."""
    joint = ";"
    stages: list[list[Token]] = [[]]
    for token in found:
        if token.kind != "operator":
            stages[-1].append(token)
        elif token.text == "|":
            stages.append([])
        else:
            if any(stages):
                yield joint, [stage for stage in stages if stage]
            joint, stages = token.text, [[]]
    if any(stages):
        yield joint, [stage for stage in stages if stage]


def printed_lines_of(stages: Sequence[Sequence[Token]], base: str) -> list[Touch] | None:
    """The lines that a pipeline prints of files; None if the pipeline does anything else."""
    found = _source(stages[0], base)
    if found is None:
        return None
    for stage in stages[1:]:
        if stage[0].text.lower() in _PLAIN_OUTPUT:
            continue
        span = _selected(found[0].span, stage) if len(found) == 1 else None
        if span is None:
            return None
        found = [Touch(found[0].path, "read", span)]
    return found


def _source(stage: Sequence[Token], base: str) -> list[Touch] | None:
    """The files that Get-Content prints."""
    if not stage or stage[0].kind != "plain" or stage[0].text.lower() not in _READERS:
        return None
    paths: list[str] = []
    span: Span | None = FULL
    at = 1
    while at < len(stage):
        token = stage[at]
        low = token.text.lower()
        at += 1
        if token.kind == "redirect":
            at += "&" not in token.text
        elif token.kind == "plain" and low.startswith("-"):
            value = stage[at].text if at < len(stage) else ""
            if low in _FIRST | _LAST:
                if not value.isdigit():
                    return None
                span = FULL.first(as_number(value)) if low in _FIRST else FULL.last(as_number(value))
            elif low in PATH:
                paths.append(value)
            elif low not in VALUED:
                if low != "-raw":
                    return None
                continue
            at += 1
        elif token.kind in ("plain", "string"):
            paths.extend(part for part in token.text.split(",") if part)
        else:
            return None
    literal = any(token.text.lower() == "-literalpath" for token in stage)
    for path in paths:
        if "$" in path.replace("$env:", "").replace("$HOME", "") or (not literal and re.search(r"[*?]", path)):
            return None
    if not paths or span is None:
        return None
    return [Touch(join(base, path), "read", span) for path in paths]


def _selected(span: Span, stage: Sequence[Token]) -> Span | None:
    """The lines that a stage of a pipeline passes on; None if that is not clear."""
    name = stage[0].text.lower()
    if name in ("foreach-object", "%", "foreach") and len(stage) == 2 and stage[1].kind == "block":
        body = stage[1].text[1:-1]
        return span if _NUMBERED.search(body) and not _DECIDES.search(body) else None
    if name not in ("select-object", "select"):
        return None
    counts: dict[str, int] = {}
    flags = stage[1:]
    if len(flags) % 2:
        return None
    for flag, value in zip(flags[::2], flags[1::2], strict=True):
        if flag.text.lower() not in ("-first", "-last", "-skip") or not value.text.isdigit():
            return None
        counts[flag.text.lower()] = as_number(value.text)
    part: Span | None = span
    if "-last" in counts:
        return span.last(counts["-last"]) if len(counts) == 1 else None
    if "-skip" in counts:
        part = span.skip(counts["-skip"])
    if part is not None and "-first" in counts:
        part = part.first(counts["-first"])
    return part

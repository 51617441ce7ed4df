"""A PowerShell command as words, strings, blocks and pipelines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Token(NamedTuple):
    """A word, a string without its quotes, or a whole block in brackets."""

    kind: str
    text: str


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
                found.append(Token("string", piece[1:-1]))
            else:
                found.append(Token(kind, piece))
            glued = kind == "plain"
    return None if depth else found


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

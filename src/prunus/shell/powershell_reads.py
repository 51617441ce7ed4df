"""The lines of files that a PowerShell pipeline prints."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prunus.numbers import as_number
from prunus.paths import join
from prunus.shell.powershell_words import Token, tokens
from prunus.touches import FULL, Span, Touch

VALUED = frozenset({"-encoding", "-erroraction", "-ea", "-readcount", "-warningaction", "-width"})
"""Parameters that take a value which does not matter here."""
PATH = frozenset({"-path", "-literalpath", "-filepath", "-pspath"})
_FIRST = frozenset({"-totalcount", "-head", "-first"})
_LAST = frozenset({"-tail", "-last"})
_READERS = frozenset({"get-content", "gc", "cat", "type"})
_PLAIN_OUTPUT = frozenset({"out-string", "out-host", "out-default", "write-output"})
_NUMBERED = re.compile(r"\$_(?![\w.])")
_DECIDES = re.compile(r"\b(?:if|switch|continue|break|return|where|replace|match|substring|split)\b", re.I)
_BETWEEN = re.compile(
    r"\s*+\$(\w+)\+\+\s*+;?\s*+if\s*+\(\s*+\$\1\s*+-ge\s*+(\d+)\s*+-and\s*+\$\1\s*+-le\s*+(\d+)\s*+\)\s*+"
    r"\{(?:[^{}]|\{[^{}]*+\})*+\}\s*+",
    re.I,
)
_SLICE = re.compile(r"\$(\w+)\[(\d+)\.\.(\d+)\]")
_INDEXED = re.compile(r"\$(\w+)\[\$(\w+)\s*(-\s*1)?\]")
_LOOP = re.compile(
    r"\s*\$(\w+)\s*=\s*(\d+|\$\w+)\s*;\s*\$\1\s*-(lt|le)\s*(\d+|\$\w+(?:\.(?:Count|Length))?)\s*;", re.I
)


class Printer:
    """Tells which lines a pipeline prints, given the folder and the variables before it."""

    __slots__ = ("base", "files", "numbers")

    def __init__(self, workdir: str) -> None:
        self.base = workdir
        self.files: dict[str, tuple[str, Span]] = {}
        """Variables that hold the lines of a file."""
        self.numbers: dict[str, int] = {}
        """Variables that hold a number."""

    def source(self, stage: Sequence[Token]) -> list[Touch] | None:
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
        return [Touch(join(self.base, path), "read", span) for path in paths]

    def shown(self, stages: list[list[Token]]) -> list[Touch] | None:
        """The lines that a pipeline prints of files, or None if it does anything else."""
        found = self.source(stages[0])
        rest = stages[1:]
        if found is None:
            sliced = self.sliced(stages)
            if sliced is None:
                return None
            found, rest = sliced
        for stage in rest:
            name = stage[0].text.lower()
            if name in _PLAIN_OUTPUT:
                continue
            if len(found) != 1:
                return None
            span = _selected(found[0].span, stage)
            if span is None:
                return None
            found = [Touch(found[0].path, "read", span)]
        return found

    def sliced(self, stages: list[list[Token]]) -> tuple[list[Touch], list[list[Token]]] | None:
        """`$lines`, `$lines[9..19]`, `(Get-Content f)[9..19]` and loops over them."""
        head = stages[0]
        text = head[0].text
        if head[0].kind == "block" and text[0] == "(":
            inner, _, tail = text.rpartition(")")
            source = self.source(tokens(inner[1:]) or [])
            cut = re.fullmatch(r"\[(\d+)\.\.(\d+)\]|", tail)
            if source is None or len(source) != 1 or cut is None or len(head) > 1:
                return None
            part = Span(as_number(cut[1]) + 1, as_number(cut[2]) + 1) if cut[1] else FULL
            return self.part(source[0].path, source[0].span, part, stages[1:])
        if found := _SLICE.fullmatch(text):
            if found[1] not in self.files or len(head) > 1:
                return None
            return self.part(
                *self.files[found[1]], Span(as_number(found[2]) + 1, as_number(found[3]) + 1), stages[1:]
            )
        if text[:1] == "$" and text[1:] in self.files and len(head) == 1:
            return self.part(*self.files[text[1:]], FULL, stages[1:])
        if text == "for" and len(head) == 3 and len(stages) == 1:
            return self.loop(head[1].text, head[2].text)
        if (found := re.fullmatch(r"(\d+)\.\.(\d+)", text)) and len(stages) == 2:
            return self.counted(as_number(found[1]), as_number(found[2]), stages[1])
        return None

    def part(
        self, path: str, span: Span, part: Span, rest: list[list[Token]]
    ) -> tuple[list[Touch], list[list[Token]]] | None:
        cut = span.part(part)
        return None if cut is None else ([Touch(path, "read", cut)], rest)

    def indexed(self, body: str, index: str) -> tuple[str, Span, int] | None:
        """The file whose lines a loop prints, and what it adds to its counter."""
        if _DECIDES.search(body):
            return None
        for found in _INDEXED.finditer(body):
            if found[2] == index and found[1] in self.files:
                return *self.files[found[1]], 0 if found[3] else 1
        return None

    def loop(self, header: str, body: str) -> tuple[list[Touch], list[list[Token]]] | None:
        found = _LOOP.match(header[1:])
        source = self.indexed(body, found[1]) if found else None
        if found is None or source is None:
            return None
        path, span, shift = source
        start = self.number(found[2])
        if start is None:
            return None
        if "." in found[4]:
            return self.part(path, span, Span(start + shift, None), [])
        stop = self.number(found[4])
        if stop is None:
            return None
        return self.part(path, span, Span(start + shift, stop + shift - (found[3].lower() == "lt")), [])

    def counted(
        self, start: int, stop: int, stage: Sequence[Token]
    ) -> tuple[list[Touch], list[list[Token]]] | None:
        if stage[0].text.lower() not in ("foreach-object", "%", "foreach") or len(stage) != 2:
            return None
        source = self.indexed(stage[1].text, "_")
        if source is None:
            return None
        path, span, shift = source
        return self.part(path, span, Span(start + shift, stop + shift), [])

    def number(self, text: str) -> int | None:
        return as_number(text) if text.isdigit() else self.numbers.get(text[1:])


def _selected(span: Span, stage: Sequence[Token]) -> Span | None:
    """What a stage of a pipeline leaves of the lines it gets; None if that is not clear."""
    name = stage[0].text.lower()
    if name in ("foreach-object", "%", "foreach") and len(stage) == 2 and stage[1].kind == "block":
        body = stage[1].text[1:-1]
        if found := _BETWEEN.fullmatch(body):
            return span.part(Span(max(as_number(found[2]), 1), as_number(found[3])))
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

"""What a PowerShell command reads and changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prunus.numbers import as_number
from prunus.paths import join
from prunus.shell.powershell_words import Token, pipes, tokens
from prunus.touches import FULL, Span, Touch


@dataclass(frozen=True, slots=True)
class Done:
    """What a PowerShell command does, as far as is certain."""

    touches: tuple[Touch, ...] = ()
    reads: bool = False
    wild: bool = False


_LOOKS = re.compile(
    r"(?:^|[\s;|({=&])(?:(?:Get|Set|Add|Select|ForEach|Where|Write|New|Remove|Move|Copy|Rename|Out|Test|Clear"
    r"|Tee|Sort|Measure)-[A-Z][A-Za-z]+\b|gc\s+[^|&;]|\$env:\w)|^@['\"]\r?\n|^\$\w+\s*=|^\[\w[\w.]*\]::",
)
_VALUED = frozenset({"-encoding", "-erroraction", "-ea", "-readcount", "-warningaction", "-width"})
_FIRST = frozenset({"-totalcount", "-head", "-first"})
_LAST = frozenset({"-tail", "-last"})
_PATH = frozenset({"-path", "-literalpath", "-filepath", "-pspath"})
_READERS = frozenset({"get-content", "gc", "cat", "type"})
_NEUTRAL = frozenset({"write-host", "write-output", "echo", "get-location", "pwd", "set-strictmode", "clear-host"})
_PLAIN_OUTPUT = frozenset({"out-string", "out-host", "out-default", "write-output"})
_WRITERS = frozenset(
    {"set-content", "add-content", "out-file", "tee-object", "clear-content", "remove-item", "move-item",
     "copy-item", "rename-item", "sc", "ac", "ri", "rm", "del", "mv", "cp", "ni"}
)  # fmt: skip
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
_DOTNET = re.compile(r"\[(?:System\.)?IO\.File\]::(?:Write|Append)\w+", re.I)
_PATCH_TOOLS = re.compile(r"\bgit\s+(?:checkout|restore|stash|reset\s+--hard|pull|merge|rebase|clean|apply)\b")


def looks_like(command: str) -> bool:
    """Whether a command is more likely PowerShell than sh."""
    return _LOOKS.search(command, 0, 2000) is not None


def parse(command: str, workdir: str = "") -> Done:
    """What a PowerShell command does, seen from a folder."""
    found = tokens(command)
    return Done() if found is None else _Walk(workdir).over(found)


class _Walk:
    """Walks over the pipelines, keeping the folder and the variables."""

    __slots__ = ("base", "files", "numbers", "pure", "touches", "wild")

    def __init__(self, workdir: str) -> None:
        self.base = workdir
        self.files: dict[str, tuple[str, Span]] = {}
        self.numbers: dict[str, int] = {}
        self.touches: list[Touch] = []
        self.pure = True
        self.wild = False

    def over(self, found: Sequence[Token]) -> Done:
        for joint, stages in pipes(found):
            self.step(joint, stages)
        pure = self.pure and bool(self.touches) and not self.wild
        return Done(tuple(self.touches), reads=pure, wild=self.wild)

    def step(self, joint: str, stages: list[list[Token]]) -> None:
        head = stages[0]
        name = head[0].text.lower() if head[0].kind == "plain" else ""
        if name in ("cd", "set-location", "sl") and len(head) == 2:
            self.base = join(self.base, head[1].text)
            return
        if self.assign(head, stages):
            return
        if self.change(stages):
            return
        shown = None if joint == "||" else self.shown(stages)
        if shown is not None:
            self.touches.extend(shown)
        elif name not in _NEUTRAL and not (len(stages) == 1 and head[0].kind == "string"):
            self.pure = False

    def assign(self, head: list[Token], stages: list[list[Token]]) -> bool:
        """Take `$name = …`, remembering numbers and the lines of a file."""
        found = re.match(r"\$(\w+)=?$|\$(\w+)=(.+)$", head[0].text) if head[0].kind == "plain" else None
        if found is None:
            return False
        value = head[1:]
        if value and value[0].text == "=":
            value = value[1:]
        elif not head[0].text.endswith("=") and found[3] is None:
            return False
        name = found[1] or found[2]
        if found[3]:
            value = [Token("plain", found[3]), *value]
        self.files.pop(name, None)
        self.numbers.pop(name, None)
        if len(value) == 1 and value[0].text.isdigit():
            self.numbers[name] = as_number(value[0].text)
        elif value and len(stages) == 1:
            inner = value
            if len(value) == 1 and value[0].kind == "block" and value[0].text.endswith(")"):
                inner = tokens(value[0].text.lstrip("@$")[1:-1]) or value
            source = self.source(inner)
            if source is not None and len(source) == 1:
                self.files[name] = (source[0].path, source[0].span)
            elif inner[0].kind == "plain" and "-" in inner[0].text:
                self.pure = False
        elif value:
            self.pure = False
        if any(_DOTNET.search(token.text) for token in value):
            self.wild = True
        return True

    def change(self, stages: list[list[Token]]) -> bool:
        """Note the files that a pipeline writes; true if it writes any."""
        before = len(self.touches), self.wild
        for stage in stages:
            for at, token in enumerate(stage):
                if token.kind == "redirect" and "&" not in token.text and at + 1 < len(stage):
                    if stage[at + 1].text.lower() not in ("$null", "nul"):
                        self.touches.append(self.touch(stage[at + 1].text))
                elif token.kind == "plain" and _DOTNET.search(token.text):
                    self.dotnet(stage[at + 1 :])
            name = stage[0].text.lower() if stage[0].kind == "plain" else ""
            if name == "new-item" and any(t.text.lower() in ("file", "-value") for t in stage):
                name = "set-content"
            if name in _WRITERS:
                self.write(name, stage[1:])
            elif name == "foreach-object" or name in ("%", "foreach", "for", "if", "while"):
                self.block_changes(stage)
            elif name == "git" and _PATCH_TOOLS.match(" ".join(token.text for token in stage)):
                self.wild = True
        changed = before != (len(self.touches), self.wild)
        if changed:
            self.pure = False
        return changed

    def block_changes(self, stage: Sequence[Token]) -> None:
        text = " ".join(token.text for token in stage if token.kind == "block")
        if _DOTNET.search(text) or re.search(
            r"\b(?:Set|Add|Remove|Move|Copy|Clear)-(?:Content|Item)\b|Out-File", text, re.I
        ):
            self.wild = True

    def dotnet(self, rest: Sequence[Token]) -> None:
        inner = tokens(rest[0].text[1:-1]) if rest and rest[0].kind == "block" else None
        if inner and inner[0].kind == "string" and "$" not in inner[0].text.replace("$env:", ""):
            self.touches.append(self.touch(inner[0].text))
        else:
            self.wild = True

    def write(self, name: str, stage: Sequence[Token]) -> None:
        paths: list[str] = []
        deep = False
        at = 0
        while at < len(stage):
            token = stage[at]
            low = token.text.lower()
            at += 1
            if token.kind == "redirect":
                at += 1
            elif token.kind == "plain" and low.startswith("-"):
                deep = deep or low in ("-recurse", "-r")
                if low in _PATH or low in ("-destination", "-newname"):
                    if at < len(stage):
                        paths.append(stage[at].text)
                    at += 1
                elif low in _VALUED or low in ("-value", "-itemtype", "-inputobject", "-filter", "-type"):
                    at += 1
            elif token.kind in ("plain", "string") and (
                not paths or name[:2] in ("re", "mo", "co", "rm", "mv", "cp", "de")
            ):
                paths.extend(part for part in token.text.split(",") if part)
            elif token.kind == "block":
                self.wild = self.wild or not paths
        for path in paths:
            if re.search(r"[*?]|\$(?!env:)", path):
                self.wild = True
            else:
                self.touches.append(self.touch(path))
        self.wild = self.wild or deep

    def touch(self, path: str) -> Touch:
        return Touch(join(self.base, path), "change")

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
                elif low in _PATH:
                    paths.append(value)
                elif low not in _VALUED:
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

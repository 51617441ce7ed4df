"""What a PowerShell command reads and changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from prunus.calls.paths import join
from prunus.calls.touches import Touch
from prunus.shell.powershell_words import PATH, VALUED, Token, pipes, printed_lines_of, tokens


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
_NEUTRAL = frozenset({"write-host", "write-output", "echo", "get-location", "pwd", "set-strictmode", "clear-host"})
_WRITERS = frozenset(
    {"set-content", "add-content", "out-file", "tee-object", "clear-content", "remove-item", "move-item",
     "copy-item", "rename-item", "sc", "ac", "ri", "rm", "del", "mv", "cp", "ni"}
)  # fmt: skip
_DOTNET = re.compile(r"\[(?:System\.)?IO\.File\]::(?:Write|Append)\w+", re.I)
_PATCH_TOOLS = re.compile(r"\bgit\s+(?:checkout|restore|stash|reset\s+--hard|pull|merge|rebase|clean|apply)\b")


_HERE = re.compile(
    r"\s*@(?P<quote>['\"])\r?\n(?P<text>.*?)\r?\n(?P=quote)@\s*\|\s*(?P<writer>Set-Content|Out-File)\b"
    r"(?P<rest>[^\n]*+)\s*",
    re.S | re.I,
)
_TARGET = re.compile(
    r"(?P<flags>(?:\s+-(?:Encoding\s+\w+|Force|NoNewline))*)\s+(?:-(?:Literal)?Path\s+)?"
    r"(?P<path>'[^'\n]+'|\"[^\"\n$]+\"|[^\s'\"$-][^\s'\"$;|]*)(?P<more>(?:\s+-(?:Encoding\s+\w+|Force|NoNewline))*)\s*",
    re.I,
)
_CMDLET = re.compile(r"[A-Z][A-Za-z]+-[A-Z][A-Za-z]+")
_QUOTED = re.compile(r"(?<!\S)(?P<comment>#)[^\n]*|'[^']*'|\"(?:[^\"`]|`.)*+(?:\"|(?P<open>`?\Z))", re.S)
_HERE_START = re.compile(r"@(['\"])\r?\n")
_CONTROL = re.compile(r"[$({@'\"\[}#%&]|(?:if|else|elseif|foreach|for|while|try|catch|finally|function|param)\b")


def looks_like(command: str) -> bool:
    """Whether a command is more likely PowerShell than sh."""
    return _LOOKS.search(command, 0, 2000) is not None


def parse(command: str, workdir: str = "") -> Done:
    """Return what a PowerShell command does, seen from a folder."""
    found = tokens(command)
    return Done() if found is None else _PowerShellWalk(workdir).over(found)


class _PowerShellWalk:
    """Goes through the pipelines and collects what they touch, keeping the folder."""

    __slots__ = ("base", "pure", "touches", "wild")

    def __init__(self, workdir: str) -> None:
        self.base = workdir
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
        shown = None if joint == "||" else printed_lines_of(stages, self.base)
        if shown is not None:
            self.touches.extend(shown)
        elif name not in _NEUTRAL and not (len(stages) == 1 and head[0].kind == "string"):
            self.pure = False

    def assign(self, head: list[Token], stages: list[list[Token]]) -> bool:
        """Take `$name = …`; returns whether the pipeline is an assignment."""
        found = re.match(r"\$\w+(=.+|=?$)", head[0].text) if head[0].kind == "plain" else None
        if found is None or (not found[1] and (len(head) < 2 or head[1].text != "=")):
            return False
        value = head[1:] if found[1] else head[2:]
        runs = bool(value) and value[0].kind == "plain" and "-" in value[0].text
        if len(stages) > 1 or runs or "-" in found[1]:
            self.pure = False
        if any(_DOTNET.search(token.text) for token in (head[0], *value)):
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
                if low in PATH or low in ("-destination", "-newname"):
                    if at < len(stage):
                        paths.append(stage[at].text)
                    at += 1
                elif low in VALUED or low in ("-value", "-itemtype", "-inputobject", "-filter", "-type"):
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


class HereString(NamedTuple):
    """A text that a command does nothing but write to a file."""

    text: str
    path: str
    """Empty if the file or the text is not certain."""


def here_string(command: str) -> HereString | None:
    """The here-string that a command pipes into a file; None if the command does anything else."""
    found = _HERE.fullmatch(command)
    if found is None or "\n@'" in found["text"]:
        return None
    target = _TARGET.fullmatch(found["rest"]) if found["writer"].lower() == "set-content" else None
    if target is None or (found["quote"] == '"' and re.search(r"[$`]", found["text"])):
        return HereString(f"{found['text']}\n", "")
    ending = "" if "nonewline" in (target["flags"] + target["more"]).lower() else "\n"
    return HereString(found["text"].replace("\r\n", "\n") + ending, target["path"].strip("'\""))


def programs_in(command: str) -> Iterator[tuple[str, ...]]:
    """The words of each program that a command starts, cmdlets and control words aside."""
    for piece in re.split(r"[;|\n{}]|&&|\|\|", _without_strings(command)):
        words = tuple(piece.split())
        if words and not _CMDLET.fullmatch(words[0]) and not _CONTROL.match(words[0]):
            yield words


def _without_strings(command: str) -> str:
    """A command with every string made empty, and without comments."""
    pieces: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for here in _HERE_START.finditer(command):
        if here.start() < at or here[1] in unclosed:
            continue
        end = command.find(f"\n{here[1]}@", here.end())
        if end < 0:
            unclosed.add(here[1])
        else:
            pieces += (command[at : here.start()], "''")
            at = end + 3
    pieces.append(command[at:])
    return _QUOTED.sub(_emptied, "".join(pieces))


def _emptied(found: re.Match[str]) -> str:
    if found["open"] is not None:
        # A string that does not end hides nothing of what follows.
        return found[0]
    return "" if found["comment"] else "''"

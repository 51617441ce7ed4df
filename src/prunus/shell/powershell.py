"""What a PowerShell command reads and changes.

A command is read once, as pipelines of cmdlets and programs. Each becomes a step with its changes, as a command of
sh does; programs are those of the same table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from prunus.calls.changes import Append, Delete, FileChange, Unclear, Write
from prunus.calls.paths import join
from prunus.calls.touches import Touch
from prunus.shell.brackets import substitutions
from prunus.shell.changes import Changes, Incidental, PathChange, limited
from prunus.shell.powershell_words import PATH, VALUED, Token, inside, pipes, printed_lines_of, tokens
from prunus.shell.programs import UNKNOWN, Program
from prunus.shell.steps import ShellStep, step_of
from prunus.shell.words import Simple, Word


class PowerShellScript(NamedTuple):
    """A PowerShell command, understood as far as is certain."""

    steps: tuple[ShellStep, ...] = ()
    """The programs, and the cmdlets that change files; paths are seen from the folder where the command starts."""
    touches: tuple[Touch, ...] = ()
    reads: bool = False
    """The command prints files and does nothing else."""


_LOOKS = re.compile(
    r"(?:^|[\s;|({=&])(?:(?:Get|Set|Add|Select|ForEach|Where|Write|New|Remove|Move|Copy|Rename|Out|Test|Clear"
    r"|Tee|Sort|Measure)-[A-Z][A-Za-z]+\b|gc\s+[^|&;]|\$env:\w)|^@['\"]\r?\n|^\$\w+\s*=|^\[\w[\w.]*\]::",
)
_NEUTRAL = frozenset({"write-host", "write-output", "echo", "get-location", "pwd", "set-strictmode", "clear-host"})
_REMOVERS = frozenset({"remove-item", "ri", "rm", "del"})
_WRITERS = _REMOVERS | {"set-content", "add-content", "out-file", "tee-object", "clear-content", "move-item",
                        "copy-item", "rename-item", "sc", "ac", "mv", "cp", "ni"}  # fmt: skip
_SEVERAL = ("re", "mo", "co", "rm", "mv", "cp", "de")
"""How the names of cmdlets begin that take several paths."""
_WRITER_VALUED = VALUED | {"-value", "-itemtype", "-inputobject", "-filter", "-type"}
_PLAIN_WRITE = PATH | {"-encoding", "-force", "-nonewline"}
_DOTNET = re.compile(
    r"\[(?:System\.)?IO\.File\]::(?:Write|Append|Create|Delete|(?P<two>Move|Copy|Replace))\w*", re.I
)
_HARMLESS = re.compile(
    r"(?:Clear-Host|Set-(?:Location|StrictMode|Variable|ExecutionPolicy)|Start-(?:Sleep|Job)|Import-(?:Csv|Module)"
    r"|(?:Compare|Convert(?:From|To)?|Find|ForEach|Format|Get|Group|Join|Measure|New|Out|Pop|Push|Read|Receive|Resolve"
    r"|Select|Show|Sort|Split|Stop|Test|Trace|Wait|Where|Write)-[A-Z][A-Za-z]+)$"
)
"""Cmdlets that leave files alone; those that write are known by name before."""
_CONTROL = re.compile(
    r"[$({@'\"\[}#%!-]|[\d.]+$|(?:if|else|elseif|foreach|for|while|try|catch|finally|function|param|return|throw)\b"
)
_ASSIGNED = re.compile(r"\$(\w+)(=.+|=?$)", re.S)
_UNSURE = re.compile(r"[*?]|\$(?!env:)")
_DEEPEST = 8
_CHANGES_FILES = Program("reads")


def looks_like(command: str) -> bool:
    """Whether a command is more likely PowerShell than sh."""
    return _LOOKS.search(command, 0, 2000) is not None


@lru_cache(maxsize=32)
def parse(command: str) -> PowerShellScript | None:
    """Return what a PowerShell command does; None if it cannot be read."""
    found = tokens(command)
    return None if found is None else _PowerShellWalk().over(found)


class _PowerShellWalk:
    """Goes through the pipelines and collects what they do, keeping the folder."""

    __slots__ = ("base", "joint", "pure", "steps", "touches", "variables")

    def __init__(self) -> None:
        self.base = ""
        self.joint = ""
        """Whether the output of the current part goes to the screen (empty) or elsewhere."""
        self.steps: list[ShellStep] = []
        self.touches: list[Touch] = []
        self.pure = True
        self.variables: dict[str, str] = {}
        """The plain texts that variables may hold."""

    def over(self, found: Sequence[Token]) -> PowerShellScript:
        for joint, stages in pipes(found):
            self.pipeline(joint, stages)
        return PowerShellScript(tuple(self.steps), tuple(self.touches), self.pure and bool(self.touches))

    def pipeline(self, joint: str, stages: list[list[Token]]) -> None:
        head = stages[0]
        name = _name(head)
        if name in ("cd", "set-location", "sl") and len(head) == 2:
            self.base = join(self.base, head[1].text)
        elif self.changed_by(stages):
            self.pure = False
        elif (value := _assigned(head)) is not None:
            runs = bool(value) and value[0].kind == "plain" and "-" in value[0].text
            self.pure = self.pure and len(stages) == 1 and not runs
        elif joint != "||" and (shown := printed_lines_of(stages, self.base)) is not None:
            self.touches.extend(shown)
        elif name not in _NEUTRAL and not (len(stages) == 1 and head[0].kind in ("string", "here")):
            self.pure = False

    def changed_by(self, stages: Sequence[Sequence[Token]], depth: int = 0, known: bool = False) -> bool:
        """Collect the steps of a pipeline; returns whether one of them changes a file.

        With `known`, only programs of the table count, as a word in parentheses may be part of an expression.
        """
        before = len(self.steps)
        given: Token | None = None
        for at, stage in enumerate(stages):
            if (value := _assigned(stage)) is not None:
                literal = len(value) == 1 and value[0].kind in ("string", "here") and not value[0].expands
                self.variables[stage[0].text.partition("=")[0]] = value[0].text if literal else ""
                stage = value
            if stage:
                self.joint = "|" if at or known else ""
                self.stage(stage, given, depth, known)
                given = self.passed_on(stage)
        return any(step.changes.files or step.changes.patch or step.changes.wild for step in self.steps[before:])

    def stage(self, stage: Sequence[Token], given: Token | None, depth: int, known: bool) -> None:
        """Collect the steps of one part of a pipeline; `given` is the text that the part before passes on."""
        for at, token in enumerate(stage):
            if token.kind == "redirect" and "&" not in token.text and at + 1 < len(stage):
                if (path := stage[at + 1].text).lower() not in ("$null", "nul"):
                    change = Unclear() if stage[0].kind in ("string", "here") else Incidental()
                    self.change("", Changes((PathChange(path, change),)))
            elif token.kind == "plain" and (method := _DOTNET.search(token.text)):
                self.dotnet(stage[at + 1 :], 2 if method["two"] else 1)
            elif token.kind == "block" and not token.text.startswith("@{"):
                self.block(inside(token), depth, known=not token.text.startswith("{"))
            elif token.expands:
                for command in substitutions(token.text):
                    self.block(command, depth, known=True)
        name = _name(stage)
        if name == "new-item" and any(token.text.lower() in ("file", "-value") for token in stage):
            name = "set-content"
        if name in _WRITERS:
            self.write(name, stage[1:], given)
        else:
            self.program(stage, given, known)

    def block(self, text: str, depth: int, known: bool) -> None:
        """Collect the steps inside brackets."""
        inner = tokens(text) if depth < _DEEPEST else None
        if inner is None:
            self.change("", Changes(wild=True))
            return
        for _, stages in pipes(inner):
            self.changed_by(stages, depth + 1, known)

    def dotnet(self, rest: Sequence[Token], count: int) -> None:
        """Collect the files that a method of .NET changes; its first `count` arguments name them."""
        inner = tokens(inside(rest[0])) if rest and rest[0].kind == "block" else None
        paths = [token for token in inner or () if token.text != ","][:count]
        if len(paths) == count and all(one.kind == "string" and not _UNSURE.search(one.text) for one in paths):
            self.change("", Changes(tuple(PathChange(one.text, Unclear()) for one in paths)))
        else:
            self.change("", Changes(wild=True))

    def write(self, name: str, stage: Sequence[Token], given: Token | None) -> None:
        paths: list[str] = []
        destination: list[str] = []
        flags: set[str] = set()
        unsure = False
        at = 0
        while at < len(stage):
            token = stage[at]
            low = token.text.lower()
            at += 1
            if token.kind == "redirect":
                at += 1
            elif token.kind == "plain" and low.startswith("-"):
                flags.add(low)
                if low in PATH or low in ("-destination", "-newname"):
                    into = destination if low == "-destination" else paths
                    into.extend(value.text for value in stage[at : at + 1])
                    at += 1
                elif low in _WRITER_VALUED:
                    at += 1
            elif token.kind in ("plain", "string") and (not paths or name.startswith(_SEVERAL)):
                paths.extend(part for part in token.text.split(",") if part)
            elif token.kind == "block":
                unsure = unsure or not paths
        paths += destination
        if name in ("copy-item", "cp"):
            paths = paths[-1:]
        paths = [self.value(path) for path in paths]
        sure = [path for path in paths if not _UNSURE.search(path)]
        files = tuple(PathChange(path, _written(name, flags, given)) for path in sure)
        unsure = unsure or len(sure) < len(paths)
        deep = not {"-recurse", "-r"}.isdisjoint(flags)
        self.change(name, Changes(files, wild=unsure or deep, folders=limited(sure) if deep and not unsure else ()))

    def change(self, name: str, changes: Changes) -> None:
        """Add a step of PowerShell itself that changes files."""
        words = (Word(name),)
        changes = changes.below(self.base) if self.base else changes
        self.add(ShellStep(Simple("", words), words, name, _CHANGES_FILES, self.base, changes))

    def program(self, stage: Sequence[Token], given: Token | None, known: bool) -> None:
        """Add the program that a part of a pipeline starts, cmdlets and control words aside."""
        called = stage[0].text in ("&", ".")
        rest = stage[1:] if called else stage
        words: list[Word] = []
        for at, token in enumerate(rest):
            if token.kind == "redirect" or (
                at and rest[at - 1].kind == "redirect" and "&" not in rest[at - 1].text
            ):
                continue
            text = self.value(token.text)
            if token.expands and "$(" in text:
                # The commands inside are steps of their own.
                text = f"{text[: text.index('$(')]}${text[text.rfind(')') + 1 :]}"
            words.append(Word(text, "$" not in text.replace("$env:", "") and token.kind != "block"))
        if not words or (not called and (rest[0].kind != "plain" or _CONTROL.match(words[0].text))):
            return
        heredoc = given.text if given is not None else None
        step = step_of(Simple(self.joint, tuple(words), heredoc=heredoc), self.base)
        if step.program is not UNKNOWN or not (known or _HARMLESS.match(words[0].text)):
            self.add(step)

    def value(self, text: str) -> str:
        """A word, or the text of the variable that it names."""
        return self.variables.get(text) or text

    def passed_on(self, stage: Sequence[Token]) -> Token | None:
        """The text that a part of a pipeline passes on; None if it is not known."""
        if len(stage) == 1 and stage[0].kind in ("string", "here"):
            return stage[0]
        text = self.variables.get(stage[0].text) if len(stage) == 1 else None
        return Token("string", text) if text else None

    def add(self, step: ShellStep) -> None:
        self.steps.append(step)
        self.touches.extend(step.changes.touches(""))


def _name(stage: Sequence[Token]) -> str:
    return stage[0].text.lower() if stage[0].kind == "plain" else ""


def _assigned(stage: Sequence[Token]) -> Sequence[Token] | None:
    """The value that `$name = …` assigns; None if the part of a pipeline is no assignment."""
    found = _ASSIGNED.match(stage[0].text) if stage[0].kind == "plain" else None
    if found is None or (not found[2] and (len(stage) < 2 or stage[1].text != "=")):
        return None
    if not found[2]:
        return stage[2:]
    return [Token("plain", found[2][1:]), *stage[1:]] if found[2] != "=" else stage[1:]


def _written(name: str, flags: set[str], given: Token | None) -> FileChange:
    """What a cmdlet does to each of its files, given the text that is piped into it."""
    if name in _REMOVERS:
        return Delete()
    if given is None or given.kind != "here" or not flags <= _PLAIN_WRITE:
        return Unclear()
    text = given.text.replace("\r\n", "\n") + ("" if "-nonewline" in flags else "\n")
    if name in ("add-content", "ac"):
        return Append(text)
    return (
        Write(text, name == "set-content" and not given.expands)
        if name in ("set-content", "out-file")
        else Unclear()
    )

"""What a shell command reads and changes.

A read is claimed only if the command certainly printed those lines of that file; a change
already if it may have happened. Whatever cannot be followed is a plain shell command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prunus.patches import touches_of
from prunus.paths import join
from prunus.shell import powershell
from prunus.shell.changers import bare, changed, written_by
from prunus.shell.printers import printed
from prunus.shell.words import Simple, Word, pipelines, simples
from prunus.touches import FULL, Touch


@dataclass(frozen=True, slots=True)
class Script:
    """A shell command, understood as far as is certain."""

    command: str
    """Its text, unwrapped from `bash -lc` and its like."""
    key: str
    """Folder and command, with runs of blanks outside quotes made one."""
    touches: tuple[Touch, ...] = ()
    reads: bool = False
    """It prints files and does nothing else."""
    patches: bool = False
    """It applies a patch and does nothing else."""
    wild: bool = False
    """It may have changed files that it does not name."""


_WRAPPED = re.compile(
    r"""(?:"[^"]*[/\\]|[\w./:\\-]*[/\\])?
    (?:(?P<sh>bash|sh|zsh|dash)(?:\.exe)?"?\s+(?:-\w+\s+)*?-\w*c\s+
      |(?P<ps>powershell|pwsh)(?:\.exe)?"?\s+(?:-(?:NoProfile|NoLogo|NonInteractive)\s+|-ExecutionPolicy\s+\w+\s+)*
         (?:-Command|-c)\s+
      |(?P<cmd>cmd)(?:\.exe)?"?\s+/[cC]\s+)""",
    re.X | re.I,
)
_BLANKS = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*+(?:"|\\?\Z)|(\s{2,}|[\t\r\n])""", re.S)
_NEUTRAL = frozenset({"echo", "printf", "pwd", "true", ":", "clear", "set", "export", "false", "date"})
_HARMLESS_ELSE = frozenset({"echo", "printf", "true", ":"})


def parse(command: str, workdir: str = "") -> Script:
    """What a command does, seen from a folder."""
    command, dialect = unwrap(command)
    key = _key(command, workdir)
    if dialect == "powershell" or (dialect == "" and powershell.looks_like(command)):
        done = powershell.parse(command, workdir)
        return Script(command, key, done.touches, reads=done.reads, wild=done.wild)
    script = simples(command)
    if not script:
        return Script(command, key)
    if "*** Begin Patch" in command and (patched := _patched(script, workdir)):
        return Script(command, key, patched, patches=True)
    return _Walk(workdir).over(script, command, key)


def parse_list(words: Sequence[str], workdir: str = "") -> Script:
    """What a command given as a list of arguments does."""
    if len(words) == 2 and words[0].rsplit("/", 1)[-1] in ("apply_patch", "applypatch"):
        touches = touches_of(words[1], workdir)
        return Script(" ".join(words), "", touches, patches=bool(touches))
    if len(words) > 2 and _WRAPPED.match(f"{words[0]} {words[1]} "):
        dialect = "powershell" if "p" in words[0].rsplit("/", 1)[-1].lower() else ""
        if dialect or len(words) == 3:
            text = " ".join(words[2:])
            return parse(f"powershell -Command {text}" if dialect else text, workdir)
    return parse(" ".join(_quote(word) for word in words), workdir)


def unwrap(command: str) -> tuple[str, str]:
    """The command inside `bash -lc "…"` and its like, and the shell it is for if that is told."""
    command = command.strip()
    found = _WRAPPED.match(command)
    if found is None:
        return command, ""
    rest = command[found.end() :].strip()
    if found["sh"]:
        script = simples(rest)
        if script is None or len(script) != 1 or len(script[0].words) != 1 or script[0].outputs:
            return command, ""
        inner = script[0].words[0].text
        if inner[:1] == '"' and inner[-1:] == '"' and len(inner) > 1:
            inner = re.sub(r'\\(["\\$`])', r"\1", inner[1:-1])
        return unwrap(inner)
    if rest[:1] in ("'", '"') and rest[-1:] == rest[:1] and len(rest) > 1 and rest.count(rest[0]) % 2 == 0:
        inner = rest[1:-1]
        if rest[0] not in inner.replace("\\" + rest[0], ""):
            rest = inner.replace("\\" + rest[0], rest[0])
    return rest, "powershell" if found["ps"] else "cmd"


def _quote(word: str) -> str:
    if word and re.fullmatch(r"[\w@%+=:,./-]+", word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _key(command: str, workdir: str) -> str:
    if "<<" not in command:
        command = _BLANKS.sub(_blank, command)
    return f"{workdir}$ {command}" if workdir else command


def _blank(found: re.Match[str]) -> str:
    blanks = found[1]
    if blanks is None:
        return found[0]
    return "\n" if "\n" in blanks else " "


def _patched(script: Sequence[Simple], base: str) -> tuple[Touch, ...]:
    """The files of a script that only applies a patch."""
    touches: tuple[Touch, ...] = ()
    for simple in script:
        name = simple.words[0].text if simple.words else ""
        if name == "cd" and len(simple.words) == 2 and not touches:
            base = join(base, simple.words[1].text)
        elif name in ("apply_patch", "applypatch"):
            touches += touches_of(simple.heredoc or "\n".join(word.text for word in simple.words[1:]), base)
        elif name not in _NEUTRAL:
            return ()
    return touches


class _Walk:
    """Walks over a script, keeping the folder it is in and what it has done."""

    __slots__ = ("bases", "pure", "touches", "wild")

    def __init__(self, workdir: str) -> None:
        self.bases: list[str | None] = [workdir]
        self.touches: list[Touch] = []
        self.pure = True
        self.wild = False

    def over(self, script: Sequence[Simple], command: str, key: str) -> Script:
        pipes = list(pipelines(script))
        for at, pipe in enumerate(pipes):
            after = pipes[at + 1] if at + 1 < len(pipes) else None
            self.step(pipe, after)
        self.changes_by_new_scripts(script)
        pure = self.pure and bool(self.touches)
        return Script(command, key, tuple(self.touches), reads=pure, wild=self.wild)

    def step(self, pipe: Sequence[Simple], after: Sequence[Simple] | None) -> None:
        first = pipe[0]
        while len(self.bases) > first.depth + 1:
            self.bases.pop()
        while len(self.bases) < first.depth + 1:
            self.bases.append(self.bases[-1])
        name = first.words[0].text if first.words else ""
        if name in ("cd", "pushd") and len(pipe) == 1:
            self.enter(first)
            return
        for simple in pipe:
            found = changed(simple)
            self.wild = self.wild or found.wild
            self.touches.extend(self.touch(word) for word in found.files)
            if simple.heredoc and "*** Begin Patch" in simple.heredoc:
                self.touches.extend(touches_of(simple.heredoc, self.bases[-1] or ""))
            if found.files or found.wild or simple.outputs:
                self.pure = False
                if simple is not pipe[-1] or simple.outputs:
                    return
        certain = first.joint != "||" and not first.conditional
        if after is not None and after[0].joint == "||":
            harmless = bool(after[0].words) and after[0].words[0].text in _HARMLESS_ELSE
            certain = certain and harmless
        shown = self.shown(pipe) if certain else None
        if shown is not None:
            self.touches.extend(shown)
        elif len(pipe) > 1 or name not in _NEUTRAL:
            self.pure = False

    def enter(self, simple: Simple) -> None:
        """Follow a change of folder; None is a folder that is not known."""
        base = self.bases[-1]
        target = simple.words[1] if len(simple.words) == 2 else None
        if target is None or not target.certain or target.text.startswith("-"):
            self.bases[-1] = None
        elif base is None:
            self.bases[-1] = join("", target.text) if target.text[:1] in "/~" else None
        else:
            self.bases[-1] = join(base, target.text)

    def touch(self, word: Word) -> Touch:
        return Touch(join(self.bases[-1] or "", word.text), "change")

    def shown(self, pipe: Sequence[Simple]) -> list[Touch] | None:
        """The lines that a pipeline prints of files, or None if it does anything else."""
        first = pipe[0]
        words = bare(first.words)
        found = printed(words) if words else None
        if found is None:
            return None
        files, spans = found
        if not files:
            if len(first.inputs) == 1:
                files = first.inputs
            elif first.heredoc is not None and len(pipe) == 1 and words[0].text == "cat":
                return []
            else:
                return None
        if not all(self.readable(word) for word in files):
            return None
        for simple in pipe[1:]:
            cut = printed(simple.words) if simple.words else None
            if cut is None or cut[0] or len(cut[1]) != 1:
                if cut is None or cut[0] or len(spans) != 1 or spans[0] != FULL:
                    return None
                spans = cut[1]
            elif cut[1][0] != FULL:
                if len(files) > 1 or len(spans) > 1:
                    return None
                part = spans[0].part(cut[1][0])
                if part is None:
                    return None
                spans = (part,)
        base = self.bases[-1] or ""
        return [Touch(join(base, word.text), "read", span) for word in files for span in spans]

    def readable(self, word: Word) -> bool:
        if not word.certain or word.text in ("-", "") or word.text.startswith(("/dev/", "/proc/")):
            return False
        return self.bases[-1] is not None or word.text[:1] in "/~"

    def changes_by_new_scripts(self, script: Sequence[Simple]) -> None:
        """A script that is written by a heredoc and run in the same command changes what it names."""
        names = {word.text for simple in script for word in simple.words}
        for simple in script:
            if simple.heredoc is None or not simple.outputs or not simple.outputs[0].text.endswith((".py", ".js")):
                continue
            if simple.outputs[0].text in names:
                self.touches.extend(self.touch(word) for word in written_by(simple.heredoc).files)

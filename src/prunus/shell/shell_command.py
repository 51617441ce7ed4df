"""What a shell command reads and changes.

A read is claimed only if the command certainly printed those lines of that file. A change is claimed already if it
may have happened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prunus.calls.changes import patched_files, touches_of
from prunus.calls.paths import join
from prunus.calls.touches import FULL, Touch
from prunus.shell import powershell
from prunus.shell.changes import NOTHING
from prunus.shell.changing import written_by
from prunus.shell.steps import ShellStep, pipelines, steps
from prunus.shell.words import Word, simples
from prunus.text.fingerprint import fingerprint


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A shell command, understood as far as is certain."""

    text: str
    """The command, unwrapped from `bash -lc` and its like."""
    key: str
    """Folder and command, with runs of blanks outside quotes made one; a hash of both if they are long."""
    touches: tuple[Touch, ...] = ()
    reads: bool = False
    """The command prints files and does nothing else."""
    patches: bool = False
    """The command applies a patch and does nothing else."""
    wild: bool = False
    """The command may have changed files that it does not name."""


_WRAPPED = re.compile(
    r"""(?:"[^"]*[/\\]|[\w./:\\-]*[/\\])?
    (?:(?P<sh>bash|sh|zsh|dash)(?:\.exe)?"?\s+(?:-\w+\s+)*?-\w*c\s+
      |(?P<ps>powershell|pwsh)(?:\.exe)?"?\s+(?:-(?:NoProfile|NoLogo|NonInteractive)\s+|-ExecutionPolicy\s+\w+\s+)*
         -c(?:ommand)?\s+
      |(?P<cmd>cmd)(?:\.exe)?"?\s+/[cC]\s+)""",
    re.X | re.I,
)
_BLANKS = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*+(?:"|\\?\Z)|(\s{2,}|[\t\r\n])""", re.S)
_LONG_KEY = 400


def parse(command: str, workdir: str = "") -> ShellCommand:
    """Return what a command does, seen from a folder."""
    command, dialect = unwrap(command)
    key = _key(command, workdir)
    if dialect == "powershell" or (dialect == "" and powershell.looks_like(command)):
        return _powershell(command, workdir, key)
    script = steps(command)
    if not script:
        return ShellCommand(command, key)
    if "*** Begin Patch" in command and (patched := _patched(script, workdir)):
        return ShellCommand(command, key, patched, patches=True)
    return _ShellWalk(workdir).over(script, command, key)


def parse_list(words: Sequence[str], workdir: str = "") -> ShellCommand:
    """Return what a command does that is given as a list of arguments."""
    if len(words) == 2 and words[0].rsplit("/", 1)[-1] in ("apply_patch", "applypatch"):
        touches = touches_of(patched_files(words[1]), workdir)
        return ShellCommand(" ".join(words), "", touches, patches=bool(touches))
    wrapper = _WRAPPED.match(f"{words[0]} {words[1]} ") if len(words) > 2 else None
    if wrapper is not None and (wrapper["ps"] or len(words) == 3):
        text = " ".join(words[2:])
        return parse(f"powershell -Command {text}" if wrapper["ps"] else text, workdir)
    return parse(" ".join(_quote(word) for word in words), workdir)


def _powershell(command: str, workdir: str, key: str) -> ShellCommand:
    done = powershell.parse(command)
    if done is None:
        return ShellCommand(command, key)
    touches = tuple(Touch(join(workdir, touch.path), touch.kind, touch.span) for touch in done.touches)
    wild = any(step.changes.wild for step in done.steps)
    return ShellCommand(command, key, touches, reads=done.reads and not wild, wild=wild)


def steps_of(command: str) -> tuple[ShellStep, ...] | None:
    """The programs and cmdlets that a command of any shell runs; None if the command cannot be read."""
    if powershell.looks_like(command):
        done = powershell.parse(command)
        return None if done is None else done.steps
    return steps(command)


def unwrap(command: str) -> tuple[str, str]:
    """The command inside `bash -lc "…"` and its like, and the shell that it is for, if the wrapper says so."""
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
    key = f"{workdir}$ {command}" if workdir else command
    # Conversations keep their keys, so a key does not repeat a script that the command brings along.
    return key if len(key) <= _LONG_KEY else fingerprint(key.encode("utf-8", "surrogatepass")).hex()


def _blank(found: re.Match[str]) -> str:
    blanks = found[1]
    if blanks is None:
        return found[0]
    return "\n" if "\n" in blanks else " "


def _patched(script: Sequence[ShellStep], workdir: str) -> tuple[Touch, ...]:
    """The files of a script that only applies a patch."""
    touches: tuple[Touch, ...] = ()
    for step in script:
        if step.name in ("apply_patch", "applypatch"):
            touches += touches_of(step.changes.patch, workdir)
        elif step.changes != NOTHING or (step.name != "cd" and not step.program.idle):
            return ()
    return touches


class _ShellWalk:
    """Goes through a script and collects what it touches."""

    __slots__ = ("pure", "reached", "touches", "workdir")

    def __init__(self, workdir: str) -> None:
        self.workdir = workdir
        self.reached = True
        """No program in front of `&&` may have failed."""
        self.touches: list[Touch] = []
        self.pure = True
        """So far the script only printed files."""

    def over(self, script: Sequence[ShellStep], command: str, key: str) -> ShellCommand:
        pipes = list(pipelines(script))
        for at, pipe in enumerate(pipes):
            self.pipeline(pipe, pipes[at + 1] if at + 1 < len(pipes) else None)
        self.changes_by_new_scripts(script)
        pure = self.pure and bool(self.touches)
        wild = any(step.changes.wild for step in script)
        return ShellCommand(command, key, tuple(self.touches), reads=pure, wild=wild)

    def pipeline(self, pipe: Sequence[ShellStep], after: Sequence[ShellStep] | None) -> None:
        first, name = pipe[0].simple, pipe[0].name
        reached = first.joint != "&&" or self.reached
        self.reached = reached and (pipe[-1].program.idle or name in ("cd", "pushd", "sleep"))
        hidden = False
        for step in pipe:
            found = step.changes
            if found is NOTHING:
                continue
            self.touches.extend(found.touches("" if step.folder is None else self.workdir))
            if found.files or found.patch or found.wild:
                self.pure = False
                hidden = hidden or step is not pipe[-1] or bool(step.simple.outputs)
        if hidden or (name in ("cd", "pushd") and len(pipe) == 1):
            return
        certain = first.joint != "||" and not first.conditional
        if after is not None and after[0].simple.joint == "||":
            certain = certain and after[0].program.idle and reached
        shown = self.shown(pipe) if certain else None
        if shown is not None:
            self.touches.extend(shown)
        elif len(pipe) > 1 or not pipe[0].program.idle:
            self.pure = False

    def shown(self, pipe: Sequence[ShellStep]) -> list[Touch] | None:
        """The lines that a pipeline prints of files; None if the pipeline does anything else."""
        first, found = pipe[0], pipe[0].printed
        if found is None:
            return None
        files, spans = found.files, found.spans
        if not files:
            if len(first.simple.inputs) == 1:
                files = first.simple.inputs
            elif first.simple.heredoc is not None and len(pipe) == 1 and first.name == "cat":
                return []
            else:
                return None
        if not all(_readable(word, first.folder) for word in files):
            return None
        for step in pipe[1:]:
            cut = step.printed
            if cut is None or cut.files:
                return None
            if len(cut.spans) != 1:
                if len(spans) != 1 or spans[0] != FULL:
                    return None
                spans = cut.spans
            elif cut.spans[0] != FULL:
                if len(files) > 1 or len(spans) > 1:
                    return None
                part = spans[0].part(cut.spans[0])
                if part is None:
                    return None
                spans = (part,)
        base = "" if first.folder is None else join(self.workdir, first.folder)
        return [Touch(join(base, word.text), "read", span) for word in files for span in spans]

    def changes_by_new_scripts(self, script: Sequence[ShellStep]) -> None:
        """A script that a heredoc writes and the same command runs changes the files that it names."""
        for simple in (step.simple for step in script):
            if simple.heredoc is None or not simple.outputs or not simple.outputs[0].text.endswith((".py", ".js")):
                continue
            runner = next((step for step in script if simple.outputs[0].text in step.texts), None)
            if runner is not None:
                base = "" if runner.folder is None else join(self.workdir, runner.folder)
                self.touches.extend(Touch(join(base, path), "change") for path in written_by(simple.heredoc))


def _readable(word: Word, folder: str | None) -> bool:
    """Whether a word is a certain path of a file, given the folder that the command is in."""
    if not word.certain or word.text in ("-", "") or word.text.startswith(("/dev/", "/proc/")):
        return False
    return folder is not None or word.text[:1] in "/~"

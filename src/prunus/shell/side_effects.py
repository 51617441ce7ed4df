"""The files that a shell command may have changed beyond those that it names.

Programs are known by name. A program that only reads changes nothing. One that works (tests, builds, installs)
leaves sources alone and may rewrite generated files. Formatters change files of their language. Any other program
may have changed anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from prunus.calls.paths import Names, join
from prunus.shell import formatters, tasks
from prunus.shell.brackets import substitutions
from prunus.shell.changes import Record
from prunus.shell.changing import script_changes
from prunus.shell.formatters import FormatterRun
from prunus.shell.git import hooks_kept_files
from prunus.shell.programs import command_inside
from prunus.shell.shell_command import steps_of
from prunus.shell.steps import ShellStep, step_of
from prunus.shell.words import Simple

_RUNS_TESTS: Final = re.compile(
    r"(?:^|/)(?:run_?tests?|runtests|tests?|conftest|manage|setup|check\w*)\.(?:py|sh|js|ts)$"
)
_SHEBANG: Final = re.compile(r"#!.*\b(?:ba|z|da)?sh\b")
_PACKAGE_MANAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
_FINDERS: Final = frozenset({"xargs", "find", "fd", "fdfind"})
_SCRIPT_FLAGS: Final = frozenset({"-c", "-lc", "-e", "-E", "--eval", "-p", "-Command", "-command", "/c", "/C"})
_MUCH: Final = 20_000_000
"""Commands times characters of output. Beyond this the output is not read once more for each command, and the
script may have changed anything."""
_GENERATED: Final = re.compile(
    r"(?:^|/)(?:dist|build|_build|out|target|coverage|node_modules|__pycache__|\.next|\.nuxt|\.cache|\.turbo"
    r"|generated|__snapshots__|artifacts|logs?|site-packages|vendor|docs_build)/|/(?:proc|sys)/"
    r"|\.(?:log|lock|lockb|snap|map|pid|out|tmp|sqlite3?|db|pyc|min\.\w+)$|(?:^|/)(?:package-lock\.json|go\.sum"
    r"|pnpm-lock\.yaml|npm-shrinkwrap\.json|nohup\.out|tsconfig\.tsbuildinfo|next-env\.d\.ts)$",
    re.I,
)


@lru_cache(maxsize=4096)
def _is_generated(path: str) -> bool:
    return _GENERATED.search(path) is not None


@dataclass(frozen=True, slots=True)
class SideEffects:
    """The files that a command may have changed."""

    anything: bool = False
    generated: bool = False
    """Build output, logs, lock files."""
    formatters: tuple[FormatterRun, ...] = ()
    folders: tuple[str, ...] = ()
    """Files below these folders."""
    names: tuple[str, ...] = ()
    """Files that a script names."""
    styled: tuple[str, ...] = ()
    """How the names of the files end that a formatter or a linter looked over, changed or not."""
    _named: Names = field(init=False, repr=False, compare=False)
    _below: Names = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_named", Names((*self.names, *self.folders)))
        object.__setattr__(self, "_below", Names(self.folders))

    def covers(self, path: str) -> bool:
        """Whether a file may have changed, formatters aside."""
        return bool(self.covered((path,)))

    def covered(self, paths: Collection[str]) -> Collection[str]:
        """The files of these paths that may have changed, formatters aside."""
        if self.anything:
            return paths
        made = set(filter(_is_generated, paths)) if self.generated else set()
        if self.names or self.folders:
            made.update(path for path in paths if self._named.mean(path) or self._below.hold(path))
        return made


def merged(found: Iterable[SideEffects]) -> SideEffects:
    """The side effects of several commands together."""
    each = tuple(found)
    if len(each) == 1:
        return each[0]
    return SideEffects(
        any(one.anything for one in each),
        any(one.generated for one in each),
        tuple(run for one in each for run in one.formatters),
        tuple(folder for one in each for folder in one.folders),
        tuple(name for one in each for name in one.names),
        tuple(end for one in each for end in one.styled),
    )


NO_EFFECT: Final = SideEffects()
WORK: Final = SideEffects(generated=True)
ANYTHING: Final = SideEffects(anything=True)

TextOf = Callable[[str], str | None]
"""The text of a file, if all of it is known."""


def find_side_effects(command: str, output: str, text_of: TextOf) -> SideEffects:
    """Return what a command may have changed, given its output and the contents of the scripts that it runs."""
    return _Scene(output, lru_cache(None)(text_of), {}).run(command)


@dataclass(frozen=True, slots=True)
class _Scene:
    """Where a command runs, and what its scripts are known to do."""

    output: str
    text_of: TextOf
    known: dict[tuple[str, int, bool], SideEffects]
    """The side effects of scripts in files, so that each script is read once however often it is run."""
    depth: int = 0
    folder: str = ""
    piped: bool = False
    """The output went through another command."""

    def inner(self, command: str, output: str = "") -> SideEffects:
        """The side effects of a command that this one runs."""
        return _Scene(output, self.text_of, self.known, self.depth + 1).run(command)

    def run(self, command: str) -> SideEffects:
        if self.depth > 3:
            return ANYTHING
        script = steps_of(command)
        if script is None or len(script) * len(self.output) > _MUCH:
            return ANYTHING
        functions = {step.name for step in script if len(step.words) > 1 and step.words[1].text == "("}
        total: list[SideEffects] = []
        for at, step in enumerate(script):
            if step.name in functions:
                continue  # The commands of its body are steps of their own.
            piped = at + 1 < len(script) and script[at + 1].simple.joint == "|"
            scene = replace(self, folder=step.folder or "", piped=piped)
            found = [scene.of(step)]
            row = step.program.formatter
            if row is not None and (styled := formatters.styled_suffixes(row, step.words[1:])):
                found.append(SideEffects(styled=styled))
            if self.depth:
                # The files that the outermost command names are known from its touches.
                found.append(SideEffects(names=tuple(touch.path for touch in step.changes.touches(""))))
            uncertain = (word.text for word in step.simple.words if not word.certain)
            found += (self.inner(inner) for text in uncertain for inner in substitutions(text))
            total += found
            if any(one.anything for one in found):
                break
        return merged(total)

    def of(self, step: ShellStep) -> SideEffects:
        """The side effects of one simple command."""
        words, name = step.words, step.name
        if not words or (len(words) > 1 and words[-1].text in ("--help", "--version", "-h", "-V")):
            return NO_EFFECT
        if name in _PACKAGE_MANAGERS:
            return self.package_manager(step)
        found, kind = step.changes, step.kind
        if (found.wild or found.files) and (ran := self.formatter(step)) is not None:
            return SideEffects(generated=True, formatters=(ran,))
        if found.wild:
            return SideEffects(not found.folders, generated=kind == "works", folders=found.folders)
        if step.program.script:
            return self.interpreter(step)
        if name in _FINDERS and (inner := tuple(command_inside(name, words[1:]))):
            run = step_of(Simple("", inner))
            return ANYTHING if run.name in _FINDERS else self.of(run)
        if isinstance(found.git, Record) and found.git.into == "head" and "--no-verify" not in step.texts:
            # A commit may run hooks that rewrite files.
            return NO_EFFECT if not self.piped and hooks_kept_files(self.output) else ANYTHING
        if kind != "rewrites":
            return NO_EFFECT if kind == "reads" else WORK
        path = words[0].text
        if " " in path and len(words) == 1:
            # The quotes of `cmd /c`.
            return self.inner(path, self.output)
        if "/" in path or "." in path:
            return self.script(path)
        kept = name == "pre-commit" and "Passed" in self.output and "Failed" not in self.output and not self.piped
        return NO_EFFECT if kept else ANYTHING

    def formatter(self, step: ShellStep) -> FormatterRun | None:
        """The run of a formatter that rewrites files; None if the step runs none."""
        if (row := step.program.formatter) is not None:
            return formatters.formatter_run(step.name, row, step.words[1:], self.folder)
        makes = step.name in ("make", "just")
        return FormatterRun("make") if makes and tasks.formats(step.texts[1:], step.words) else None

    def package_manager(self, step: ShellStep) -> SideEffects:
        """What the task does that a package manager is told to run."""
        task = tasks.task_of(step.words[1:])
        lines = [line for line in tasks.ECHOED.findall(self.output) if line != task]
        if len(lines) > tasks.MOST_ECHOED:
            return ANYTHING
        if lines and task not in ("install", "i", "ci", "add"):
            output = "" if self.piped else tasks.ECHOED.sub("", self.output)
            scene = replace(self, depth=max(self.depth, 1))
            return merged((WORK, *(scene.inner(line, output) for line in lines)))
        if tasks.formats([task], step.words):
            return SideEffects(generated=True, formatters=(FormatterRun(task),), styled=formatters.BIOME)
        checks = tasks.formats([task])
        return WORK if not step.changes.wild and (checks or tasks.is_harmless(task)) else ANYTHING

    def interpreter(self, step: ShellStep) -> SideEffects:
        """What the script does that a program runs."""
        texts, is_shell = step.texts[1:], step.program.script == "shell"
        if step.name == "eval":
            return self.inner(" ".join(texts))
        for at, text in enumerate(texts):
            if text in _SCRIPT_FLAGS and at + 1 < len(texts):
                return self.inner(" ".join(texts[at + 1 :])) if is_shell else _by_text(texts[at + 1])
            if step.program.script == "sourced":
                # Most sourced files set up the environment.
                return self.script(text) if self.text_of(join(self.folder, text)) else NO_EFFECT
            if not text.startswith("-") and not (step.name == "cmd" and text.startswith("/")):
                return self.script(text)
            if text in ("--version", "-V", "-v", "--help", "-h", "--check") or (text == "-n" and is_shell):
                return NO_EFFECT
        if (heredoc := step.simple.heredoc) is not None:
            return self.inner(heredoc) if is_shell else _by_text(heredoc)
        if step.simple.inputs:
            return self.script(step.simple.inputs[0].text)
        idle = step.name in ("python", "python3", "node") and not texts and step.simple.joint != "|"
        return NO_EFFECT if idle else ANYTHING

    def script(self, path: str) -> SideEffects:
        """A script in a file: its side effects are known if its text is."""
        full = join(self.folder, path)
        text = self.text_of(full)
        if text is None:
            return WORK if _RUNS_TESTS.search(path) else ANYTHING
        key = (full, self.depth, bool(self.output))
        if key not in self.known:
            is_shell = path.endswith((".sh", ".bash", ".zsh")) or _SHEBANG.match(text)
            self.known[key] = self.inner(text, self.output) if is_shell else _by_text(text)
        return self.known[key]


def _by_text(text: str) -> SideEffects:
    """The side effects of a script that is not for a shell."""
    found = script_changes(text)
    return ANYTHING if found.wild else SideEffects(names=tuple(join("", path) for path in found.paths))

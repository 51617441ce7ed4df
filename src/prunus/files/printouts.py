"""The lines of files that a shell command prints, as far as they can be told from what else it prints.

`tools` says which lines of which files a command prints. Where one file is printed alone, its output is the file.
Where several things are printed one after another with an `echo` between them, the lines of the echoes tell them
apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from prunus.calls import Span, Touch, body_of, is_cut
from prunus.files.content import split
from prunus.files.read_results import trimmed
from prunus.shell import powershell
from prunus.shell.programs import ShellStep, pipelines, steps
from prunus.shown import Shown, numbered

_CUT: Final = re.compile(r"\.\.\. ?\[[^\]\n]{0,60}(?:truncated|omitted)|^\[?\.\.\. \d+ (?:lines|characters)", re.M)
_CLOSING: Final = re.compile(
    r"\n?(?:\[(?:Command|The command|Process) (?:finished|completed|exited) with exit code -?\d+\.?\]"
    r"|<shellId: \w+ completed with exit code \d+>|<exited with exit code \d+>)\s*\Z"
)
_TRIMMING: Final = frozenset({"Bash", "execute_bash", "bash", "terminal", "run_shell_command"})
"""Tools that may leave out empty lines at both ends of an output."""
_EXACT: Final = re.compile(r"\A\s*\{\s*\"(?:returncode|output)\"")
_SPEAKS: Final = frozenset({"echo", "printf", "pwd", "date", "ls", "wc"})
_SILENT: Final = frozenset({"cd", "true", ":", "set", "export", "sleep", "mkdir"})
_QUIET: Final = frozenset({"date", "file", "find", "git", "grep", "ls", "pwd", "rg", "stat", "tree", "wc"})
"""Commands that say nothing but what they are asked for, where they succeed."""
_TROUBLE: Final = re.compile(r"No such file or directory|Permission denied|Is a directory|cannot open|not found")


def printed_lines(tool: str, command: str, span: Span, text: str) -> Shown | None:
    """The lines of the one file that a command prints; None if they cannot be told for certain."""
    if is_cut(text) or _CUT.search(text):
        return None
    script = None if powershell.looks_like(command) else steps(command)
    if script is not None and any(step.name in _SPEAKS for step in script):
        return None
    form = _numbering(script) if script is not None else "perhaps"
    exact = tool not in _TRIMMING or _EXACT.match(text) is not None
    return _lines(_body(tool, text), span, form, exact, exact)


def _body(tool: str, text: str) -> str:
    return _CLOSING.sub("\n", trimmed(body_of(tool, text)))


def _lines(body: str, span: Span, form: str, front: bool, back: bool) -> Shown | None:
    """The lines in what was printed; at the ends that are not exact, empty ones may be missing."""
    if form == "mangled":
        return None
    lines = body.split("\n")
    if form != "none" and (listed := numbered(lines)) is not None:
        if listed.start != span.start or any(line.strip() for line in listed.rest):
            return None
        if form == "perhaps" and span.start < 2 and len(listed.texts) < 2:
            return None
        asked = None if span.end is None else span.end - span.start + 1
        total = None
        if asked is None or len(listed.texts) < asked:
            total = listed.start - 1 + len(listed.texts)
        return Shown(listed.start, listed.texts, total, None, listed.style)
    if form == "numbers" or span.start < 0:
        return None
    texts, ended = split(body)
    if not texts or (not back and texts[-1] == ""):
        return None
    start = max(span.start, 1)
    asked = None if span.end is None else span.end - start + 1
    if asked is not None and len(texts) > asked:
        return None
    if asked is not None and len(texts) == asked:
        return Shown(start, tuple(texts))
    if not front:
        return None
    if not back:
        return Shown(start, tuple(texts))
    if texts[-1] == "":
        # A client may have added a line break of its own.
        return Shown(start, tuple(texts[:-1]))
    return Shown(start, tuple(texts), start - 1 + len(texts), True if ended else None)


class _Printed(NamedTuple):
    """A stretch of the output between two echoes."""

    form: str
    """How its one file is numbered; empty if something else is printed there."""
    files: int
    """How many files are printed there."""


def printed_one_by_one(
    tool: str, command: str, touches: Sequence[Touch], text: str
) -> Iterator[tuple[Touch, Shown]]:
    """The lines of each file that a command prints between echoes; only where every echo can be found."""
    if "echo" not in command or is_cut(text) or _CUT.search(text) or powershell.looks_like(command):
        return
    script = steps(command)
    layout = None if script is None else _layout(script)
    if layout is None:
        return
    stretches, echoes = layout
    body = _body(tool, text)
    parts = _parted(body, echoes)
    reads = [touch for touch in touches if touch.kind == "read"]
    chained = all(step.simple.joint in ("", "&&", "|") for step in script or ())
    if parts is None or (not chained and _TROUBLE.search(body)):
        return
    if sum(stretch.files for stretch in stretches) != len(reads):
        return
    exact = tool not in _TRIMMING or _EXACT.match(text) is not None
    at = 0
    for number, (stretch, part) in enumerate(zip(stretches, parts, strict=True)):
        if stretch.files == 1 and stretch.form:
            touch = reads[at]
            front, back = exact or number > 0, exact or number < len(parts) - 1
            if (found := _lines(part, touch.span, stretch.form, front, back)) is not None:
                yield touch, found
        at += stretch.files


def _layout(script: Sequence[ShellStep]) -> tuple[list[_Printed], list[str]] | None:
    """What a script prints between its echoes, and what they say; None if that is not certain."""
    stretches = [_Printed("", 0)]
    echoes: list[str] = []
    others = False
    for pipe in pipelines(script):
        first, words, name = pipe[0].simple, pipe[0].words, pipe[0].name
        outputs = any(step.simple.outputs for step in pipe)
        if first.conditional or first.depth or first.joint not in ("", "&&", ";") or outputs:
            return None
        if name in _SILENT or not words:
            continue
        if name == "echo" and len(pipe) == 1:
            texts = [word.text for word in words[1:]]
            if not all(word.certain for word in words) or any(t[:1] == "-" and len(t) == 2 for t in texts):
                return None
            said = " ".join(texts)
            if "\\" in said or "\n" in said or not said.strip():
                return None
            echoes.append(said)
            stretches.append(_Printed("", 0))
            continue
        found = pipe[0].printed
        if found is not None and all(step.printed is not None for step in pipe[1:]):
            files = len(found[0]) * len(found[1])
            form = _numbering(pipe) if files == 1 and stretches[-1] == _Printed("", 0) else ""
            stretches[-1] = _Printed(form, stretches[-1].files + files)
        else:
            others = others or name not in _QUIET
            stretches[-1] = _Printed("", stretches[-1].files + (1 << 20))
    joined = all(step.simple.joint in ("", "&&", "|") for step in script)
    if not echoes or others or (not joined and any(stretch.files >= 1 << 20 for stretch in stretches)):
        return None
    return [_Printed(s.form if s.files == 1 else "", s.files % (1 << 20)) for s in stretches], echoes


def _parted(body: str, echoes: Sequence[str]) -> list[str] | None:
    """The output cut at the lines of the echoes; None if another line looks like one of them."""
    lines = body.split("\n")
    known = set(echoes)
    if [line for line in lines if line in known] != list(echoes):
        return None
    parts: list[list[str]] = [[]]
    for line in lines:
        if line in known:
            parts[-1].append("")
            parts.append([])
        else:
            parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def _numbering(script: Sequence[ShellStep]) -> str:
    """Whether a script numbers the lines it prints: none, numbers, perhaps, or mangled if it changes them."""
    form = "none"
    for step in script:
        words = step.texts
        flags = "".join(word[1:] for word in words[1:] if word[:1] == "-" and word[1:2] != "-")
        match step.name:
            case "cat":
                if set(flags) & set("AbeEtTv") or "--show-all" in words or "--number-nonblank" in words:
                    return "mangled"
                if "n" in flags or "--number" in words:
                    form = "numbers"
                if "s" in flags:
                    return "mangled"
            case "nl":
                if "ba" not in flags and "a" not in words and "-ba" not in words:
                    return "mangled"
                form = "numbers"
            case "bat" | "batcat" | "less" | "more" | "type":
                form = "perhaps"
    return form

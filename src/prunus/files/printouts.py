"""The lines of files in the output of a shell command.

The touches of a call say which lines of which files its command prints. If the command prints one file and nothing
else, the output is the file. If it prints several with an `echo` between them, the output is cut at the echoes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.calls.results import body_of, is_cut
from prunus.calls.shown import Shown, numbered
from prunus.calls.touches import Span, Touch
from prunus.files.content import split
from prunus.files.read_results import trimmed
from prunus.shell import powershell
from prunus.shell.printing import Form
from prunus.shell.steps import ShellStep, pipelines, steps

_CUT: Final = re.compile(r"\.\.\. ?\[[^\]\n]{0,60}(?:truncated|omitted)|^\[?\.\.\. \d+ (?:lines|characters)", re.M)
_CLOSING: Final = re.compile(
    r"\n?(?:\[(?:Command|The command|Process) (?:finished|completed|exited) with exit code -?\d+\.?\]"
    r"|<shellId: \w+ completed with exit code \d+>|<exited with exit code \d+>)\s*\Z"
)
_TRIMMING: Final = frozenset({"Bash", "execute_bash", "bash", "terminal", "run_shell_command"})
"""Tools that may drop empty lines at both ends of an output."""
_EXACT: Final = re.compile(r"\A\s*\{\s*\"(?:returncode|output)\"")
_CHAINED: Final = ("", "&&", "|")
"""Joints of commands that all succeeded if the last one did."""
_TROUBLE: Final = re.compile(r"No such file or directory|Permission denied|Is a directory|cannot open|not found")


def printed_lines(tool: str, command: str, span: Span, text: str) -> Shown | None:
    """The lines of the one file that a command prints; None if they are not certain."""
    if is_cut(text) or _CUT.search(text):
        return None
    script = None if powershell.looks_like(command) else steps(command)
    if script is not None and any(step.program.output in ("words", "result") for step in script):
        return None
    form = _form(script) if script is not None else "unknown"
    exact = tool not in _TRIMMING or _EXACT.match(text) is not None
    return _lines(_body(tool, text), span, form, exact, exact)


def _body(tool: str, text: str) -> str:
    return _CLOSING.sub("\n", trimmed(body_of(tool, text)))


def _lines(body: str, span: Span, form: Form, front: bool, back: bool) -> Shown | None:
    """The lines in an output; `front` and `back` say that no empty lines are missing at that end."""
    if form == "altered":
        return None
    lines = body.split("\n")
    if form != "plain" and (listed := numbered(lines)) is not None:
        if listed.start != span.start or any(line.strip() for line in listed.rest):
            return None
        if form == "unknown" and span.start < 2 and len(listed.texts) < 2:
            return None
        asked = None if span.end is None else span.end - span.start + 1
        total = None
        if asked is None or len(listed.texts) < asked:
            total = listed.start - 1 + len(listed.texts)
        return Shown(listed.start, listed.texts, total, None, listed.style)
    if form == "numbered" or span.start < 0:
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


@dataclass(slots=True)
class _Stretch:
    """The output between two echoes."""

    files: int = 0
    """How many spans of files are printed there."""
    form: Form | None = None
    """The form of its one file; None if there are several, or none."""
    other: bool = False
    """Something else is printed there."""


def printed_one_by_one(
    tool: str, command: str, touches: Sequence[Touch], text: str
) -> Iterator[tuple[Touch, Shown]]:
    """The lines of each file that a command prints between echoes; nothing unless every echo is found."""
    if "echo" not in command or is_cut(text) or _CUT.search(text) or powershell.looks_like(command):
        return
    script = steps(command)
    layout = None if script is None else _layout(script)
    if script is None or layout is None:
        return
    stretches, echoes = layout
    body = _body(tool, text)
    parts = _cut_at(body, echoes)
    reads = [touch for touch in touches if touch.kind == "read"]
    if parts is None or sum(stretch.files for stretch in stretches) != len(reads):
        return
    chained = all(step.simple.joint in _CHAINED for step in script)
    if not chained and (any(stretch.other for stretch in stretches) or _TROUBLE.search(body)):
        return
    exact = tool not in _TRIMMING or _EXACT.match(text) is not None
    at = 0
    for number, (stretch, part) in enumerate(zip(stretches, parts, strict=True)):
        if stretch.form is not None and not stretch.other:
            front, back = exact or number > 0, exact or number < len(parts) - 1
            if (found := _lines(part, reads[at].span, stretch.form, front, back)) is not None:
                yield reads[at], found
        at += stretch.files


def _layout(script: Sequence[ShellStep]) -> tuple[list[_Stretch], list[str]] | None:
    """What a script prints between its echoes, and the words of the echoes; None if that is not certain."""
    stretches = [_Stretch()]
    echoes: list[str] = []
    for pipe in pipelines(script):
        first, name = pipe[0].simple, pipe[0].name
        outputs = any(step.simple.outputs for step in pipe)
        if first.conditional or first.depth or first.joint not in ("", "&&", ";") or outputs:
            return None
        if not name or pipe[0].program.output == "nothing":
            continue
        now = stretches[-1]
        if name == "echo" and len(pipe) == 1:
            said = _echoed(pipe[0])
            if said is None:
                return None
            echoes.append(said)
            stretches.append(_Stretch())
        elif (found := pipe[0].printed) is not None and all(step.printed is not None for step in pipe[1:]):
            now.files += len(found.files) * len(found.spans)
            now.form = _form(pipe) if now.files == 1 else None
        elif pipe[0].program.output == "result":
            now.other = True
        else:
            return None
    return (stretches, echoes) if echoes else None


def _echoed(step: ShellStep) -> str | None:
    """The line that an `echo` prints; None if it is not certain, or not one line with words."""
    said = step.program.says(step.words[1:], step.simple) if step.program.says else None
    if said is None or said.find("\n") != len(said) - 1 or "\\" in said or not said.strip():
        return None
    return said[:-1]


def _cut_at(body: str, echoes: Sequence[str]) -> list[str] | None:
    """The output cut at the lines of the echoes; None if another line looks like an echo."""
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


def _form(script: Sequence[ShellStep]) -> Form:
    """The form in which a script prints lines."""
    forms = [step.printed.form for step in script if step.printed is not None]
    return "altered" if "altered" in forms else next((form for form in reversed(forms) if form != "plain"), "plain")

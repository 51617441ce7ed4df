"""What a shell command shows and does to files, as far as its output tells.

`tools` says which files a command reads and changes. Here is the rest: whether the printed lines can be told from
what else was printed, and whether a file's new content stands in the command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from prunus.files.content import split
from prunus.files.shown import Shown, trimmed
from prunus.files.style import numbered
from prunus.tools import Span, body_of, is_cut, powershell
from prunus.tools.changers import bare
from prunus.tools.paths import join
from prunus.tools.words import Simple, simples

__all__ = ["Moved", "moved", "printed_lines", "written"]

_CUT: Final = re.compile(r"\.\.\. ?\[[^\]\n]{0,60}(?:truncated|omitted)|^\[?\.\.\. \d+ (?:lines|characters)", re.M)
_CLOSING: Final = re.compile(
    r"\n?(?:\[(?:Command|The command|Process) (?:finished|completed|exited) with exit code -?\d+\.?\]"
    r"|<shellId: \w+ completed with exit code \d+>|<exited with exit code \d+>)\s*\Z"
)
_TRIMMING: Final = frozenset({"Bash", "execute_bash", "bash", "terminal", "run_shell_command"})
"""Tools that may leave out empty lines at both ends of an output."""
_EXACT: Final = re.compile(r"\A\s*\{\s*\"(?:returncode|output)\"")
_SPEAKS: Final = frozenset({"echo", "printf", "pwd", "date", "ls", "wc"})
_EXPANDS: Final = re.compile(r"[$`\\]")
_HERE: Final = re.compile(
    r"@(?P<quote>['\"])\r?\n(?P<text>.*?)\r?\n(?P=quote)@\s*\|\s*Set-Content(?P<flags>(?:\s+-(?:Encoding\s+\w+|Force"
    r"|NoNewline))*)\s+(?:-(?:Literal)?Path\s+)?(?P<path>'[^'\n]+'|\"[^\"\n$]+\"|[^\s'\"$-][^\s'\"$;|]*)"
    r"(?P<more>(?:\s+-(?:Encoding\s+\w+|Force|NoNewline))*)\s*",
    re.S | re.I,
)
_QUOTED: Final = re.compile(r"<<-?\s*['\"\\]")


def printed_lines(tool: str, command: str, span: Span, text: str) -> Shown | None:
    """The lines of the one file that a command prints; None if they cannot be told for certain."""
    if is_cut(text) or _CUT.search(text):
        return None
    exact = tool not in _TRIMMING or _EXACT.match(text) is not None
    body = _CLOSING.sub("\n", trimmed(body_of(tool, text)))
    script = None if powershell.looks_like(command) else simples(command)
    if script is not None and any(simple.words and simple.words[0].text in _SPEAKS for simple in script):
        return None
    form = _numbering(script) if script is not None else "perhaps"
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
    if not texts or (not exact and texts[-1] == ""):
        return None
    start = max(span.start, 1)
    asked = None if span.end is None else span.end - start + 1
    if asked is not None and len(texts) > asked:
        return None
    if asked is not None and len(texts) == asked:
        return Shown(start, tuple(texts))
    if not exact:
        return None
    if texts[-1] == "":
        # A client may have added a line break of its own.
        return Shown(start, tuple(texts[:-1]))
    return Shown(start, tuple(texts), start - 1 + len(texts), True if ended else None)


def _numbering(script: Sequence[Simple]) -> str:
    """Whether a script numbers the lines it prints: none, numbers, perhaps, or mangled if it changes them."""
    form = "none"
    for simple in script:
        words = [word.text for word in bare(simple.words)]
        name = words[0].rsplit("/", 1)[-1] if words else ""
        flags = "".join(word[1:] for word in words[1:] if word[:1] == "-" and word[1:2] != "-")
        match name:
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
            case "awk" | "gawk":
                form = "perhaps"
            case "bat" | "batcat" | "less" | "more" | "type":
                form = "perhaps"
    return form


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that a command renamed or copied."""

    source: str
    target: str
    copied: bool = False


_FILE: Final = re.compile(r"[^\s]*[^\s/]\.[A-Za-z]\w{0,9}")


def moved(command: str) -> Moved | None:
    """The one rename or copy that a command consists of, after changes of folder; paths as they are spelled."""
    script = simples(command)
    if script is None or len(script) != 1 or script[0].outputs or script[0].conditional:
        return None
    words = script[0].words
    texts = [word.text for word in words]
    if texts[:2] == ["git", "mv"]:
        texts, words = texts[1:], words[1:]
    if not texts or texts[0] not in ("mv", "cp"):
        return None
    names = [word for word in words[1:] if not word.text.startswith("-")]
    if len(names) != 2 or not all(word.certain and _FILE.fullmatch(word.text) for word in names):
        return None
    return Moved(join("", names[0].text), join("", names[1].text), copied=texts[0] == "cp")


def written(command: str) -> dict[str, str]:
    """The texts that a command writes to files with heredocs, by path as spelled."""
    if powershell.looks_like(command):
        return _here_strings(command)
    script = simples(command)
    if script is None or "<<" not in command:
        return {}
    found: dict[str, str] = {}
    folder = ""
    for simple in script:
        words = [word.text for word in simple.words]
        if words[:1] == ["cd"] and len(words) == 2:
            folder = join(folder, words[1])
        text = simple.heredoc
        if text is None or words != ["cat"] or simple.conditional or len(simple.outputs) != 1:
            continue
        opening = command[: command.find(text)].rsplit("\n", 2)[-2:] if text else [command.split("\n")[0]]
        line = "\n".join(opening).strip()
        if ">>" in line or "<<-" in line or "<<" not in line or not simple.outputs[0].certain:
            continue
        if _EXPANDS.search(text) and _QUOTED.search(line) is None:
            continue
        found[join(folder, simple.outputs[0].text)] = text
    return found


def _here_strings(command: str) -> dict[str, str]:
    """The same for PowerShell: a literal here-string that goes into Set-Content."""
    found = _HERE.fullmatch(command.strip())
    if found is None or (found["quote"] == '"' and re.search(r"[$`]", found["text"])):
        return {}
    ending = "" if "nonewline" in (found["flags"] + found["more"]).lower() else "\n"
    return {join("", found["path"].strip("'\"")): found["text"].replace("\r\n", "\n") + ending}

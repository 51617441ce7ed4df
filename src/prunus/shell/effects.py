"""What a shell command does to files, where its text tells: renames, copies, and new content that stands in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from prunus.paths import join
from prunus.shell import powershell
from prunus.shell.words import simples

__all__ = ["Moved", "moved", "written"]

_EXPANDS: Final = re.compile(r"[$`\\]")
_HERE: Final = re.compile(
    r"@(?P<quote>['\"])\r?\n(?P<text>.*?)\r?\n(?P=quote)@\s*\|\s*Set-Content(?P<flags>(?:\s+-(?:Encoding\s+\w+|Force"
    r"|NoNewline))*)\s+(?:-(?:Literal)?Path\s+)?(?P<path>'[^'\n]+'|\"[^\"\n$]+\"|[^\s'\"$-][^\s'\"$;|]*)"
    r"(?P<more>(?:\s+-(?:Encoding\s+\w+|Force|NoNewline))*)\s*",
    re.S | re.I,
)
_QUOTED: Final = re.compile(r"<<-?\s*['\"\\]")


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that a command renamed or copied."""

    source: str
    target: str
    copied: bool = False


_FILE: Final = re.compile(r"[^\s]*[^\s/]\.[A-Za-z]\w{0,9}")


def moved(command: str) -> Moved | None:
    """The one rename or copy that a command consists of, after changes of folder; paths as they are spelled."""
    script = simples(command) if "mv" in command or "cp" in command else None
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
    script = simples(command) if "<<" in command else None
    if script is None:
        return {}
    found: dict[str, str] = {}
    folder = ""
    at = 0
    for simple in script:
        words = [word.text for word in simple.words]
        if words[:1] == ["cd"] and len(words) == 2:
            folder = join(folder, words[1])
        text = simple.heredoc
        if text is None or words != ["cat"] or simple.conditional or len(simple.outputs) != 1:
            continue
        if text:
            at = max(at, command.find(text, at))
        line = _before(command, at) if text else command.partition("\n")[0].strip()
        if ">>" in line or "<<-" in line or "<<" not in line or not simple.outputs[0].certain:
            continue
        if _EXPANDS.search(text) and _QUOTED.search(line) is None:
            continue
        found[join(folder, simple.outputs[0].text)] = text
    return found


def _before(command: str, at: int) -> str:
    """The line before the one that begins at a place, and what stands before that place in its own."""
    end = command.rfind("\n", 0, at)
    return command[command.rfind("\n", 0, end) + 1 if end >= 0 else 0 : at].strip()


def _here_strings(command: str) -> dict[str, str]:
    """The same for PowerShell: a literal here-string that goes into Set-Content."""
    found = _HERE.fullmatch(command.strip())
    if found is None or (found["quote"] == '"' and re.search(r"[$`]", found["text"])):
        return {}
    ending = "" if "nonewline" in (found["flags"] + found["more"]).lower() else "\n"
    return {join("", found["path"].strip("'\"")): found["text"].replace("\r\n", "\n") + ending}

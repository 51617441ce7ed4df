"""Results of calls: the output without the words around it, results that stand for others, success or failure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from prunus.calls.meaning import Kind, Meaning
from prunus.clients.dialect import pattern, words
from prunus.clients.system_reminders import without_last_reminders, without_reminders, without_tokens_left
from prunus.text.numbers import as_number

_FILE_READERS: Final = frozenset({"Read", "read", "read_file", "view", "view_file", "read_text_file", "ReadFile"})
_COMPARABLE: Final = words("comparable")
_OUTPUTS: Final = words("output")
_HEADED: Final = words("headed")
_LONGEST: Final = 800
_UNCHANGED: Final = re.compile(
    r"\b(?:file|content|contents|output|result)\b[^\n]{0,200}?\b(?:is |has |have |are )?"
    r"(?:unchanged|not (?:been )?(?:changed|modified)|identical)\b"
    r"[^\n]{0,40}?\b(?:since|to|as)\b[^\n]{0,60}?\b(?:last|previous|earlier|prior)\b",
    re.I,
)
_CUT_FIRST: Final = pattern("cut_first", r"\[\.\.\. \d+ characters truncated")
_OFFSET: Final = r"se '?offset'? (?:parameter )?to"
_SHORTENED: Final = r"[^\n)\]>]{0,80}\b(?:T|t)runcated\b"
# Python skips to the characters with which the alternatives begin, if each of them begins with only one.
_CUT_LAST: Final = pattern(
    "cut_last", *(one + _OFFSET for one in "Uu"), *(rf"\{one}" + _SHORTENED for one in "([<")
)
_CUT_WITHIN: Final = pattern("cut_within")
_ID: Final = pattern("process_id", flags=re.I)
_KEYS: Final = tuple(key for keys in words("process_keys") for key in keys)
_EARLY: Final = 600
"""Characters of a result in which the id stands."""


def comparable(name: str, text: str) -> str:
    """The text of a result without what differs between two equal calls, for comparing two results."""
    return _read_by(_COMPARABLE, name, text)


def body_of(name: str, text: str) -> str:
    """The output of a command or a tool, without the words around it."""
    return _read_by(_OUTPUTS, name, text)


def _read_by(readers: tuple[Any, ...], name: str, text: str) -> str:
    """The text of a result as the first client reads it that knows its form; a file that was read has no form."""
    text = without_tokens_left(text)
    if name in _FILE_READERS:
        return text
    for read in readers:
        found: str | None = read(text)
        if found is not None:
            return found
    return text


def headed(text: str) -> tuple[tuple[str, ...], str]:
    """The line above an output that says how the command ended, if there is one, and the output."""
    for read in _HEADED:
        found: tuple[str, str] | None = read(text)
        if found is not None:
            ended, output = found
            return (ended,) if ended else (), output
    return (), text


def is_stub(text: str) -> bool:
    """Whether a result only says that an earlier one still holds."""
    if len(text) > 4 * _LONGEST:
        return False
    text = without_reminders(text).strip()
    return len(text) <= _LONGEST and text.count("\n") <= 4 and _UNCHANGED.search(text) is not None


def is_cut(text: str) -> bool:
    """Whether the agent shortened this result before sending it."""
    tail = max(0, len(text) - 600)
    return bool(_CUT_FIRST.search(text, 0, 600) or _CUT_LAST.search(text, tail) or _CUT_WITHIN.search(text))


def process_of(given: Any, text: str) -> str:
    """The id of the running command that a call names or starts; empty if there is none."""
    if isinstance(given, Mapping):
        for key in _KEYS:
            if (id := given.get(key)) is not None:
                return str(id)
    found = _ID.search(text[:_EARLY])
    return next((id for id in found.groups() if id), "") if found else ""


CallOutcome = Literal["ok", "error", "unknown"]

# An exit code is looked for only in the words that an agent puts before or after the output of a command, never in
# the middle, where a program may print the same words.
_CODE_FIRST: Final = pattern("exit_code_first")
_CODE_LAST: Final = pattern("exit_code_last", flags=re.M)
_ABORTED: Final = re.compile(rf"^(?:{'|'.join(words('aborted'))})", re.M)
_REFUSED: Final = re.compile(
    rf"\s*(?:{'|'.join(words('refused'))}|User rejected|MCP error -?\d+|Invalid (?:tool )?parameters)"
)
# First lines of failing file tools on wires that carry no flag. A file that is read may start with
# any text, so for reads the line must be one that clients are known to write and nothing may follow.
_FILE_FAILED = re.compile(
    r"\A\s*(?:Error: )?(?:File not found|File does not exist|File path not found|Path not found"
    r"|Path is (?:not a file|a directory)|Directory (?:not found|does not exist)|No such file or directory"
    r"|ENOENT: |EISDIR: |EACCES: |ENOTDIR: |EPERM: |Cannot read (?:binary )?(?:file|image)|File is too large"
    r"|File content \([^\n)]*\) exceeds|Offset \d+ is (?:out of range|beyond)|Permission denied\b"
    r"|Error reading file|Failed to read file|The path \S+ does not exist|Error: ENOENT)"
)
_EDIT_FAILED = re.compile(
    r"\A\s*(?:(?:Error|Failed|Failure)\b|Could not find |No changes (?:to apply|made)"
    r"|oldString (?:not found|and newString)|Found \d+ matches|String to replace not found|String not found"
    r"|No replacement was performed|No match found|Multiple (?:matches|occurrences)"
    r"|The (?:old_str|edit)\b[^\n]* (?:not|failed)"
    r"|File has (?:not been read|been modified|been unexpectedly modified)|apply_patch verification failed"
    r"|Invalid patch|Invalid Context|patch rejected|Your proposed edit has introduced|File already exists"
    r"|You must read|must be unique)"
)
_EDIT_DONE = re.compile(
    r"\A\s*(?:Success|The file \S.* (?:has been|was)|File (?:created|written|updated|edited)|Edit applied|Wrote |"
    r"Edited |Updated |Applied |Created |Successfully |OK\b|Done\b|\{\s*\"output\":\s*\"Success)"
)
_SEARCH_FAILED = re.compile(
    r"\A\s*(?:Error: [^\n]*+|Path not found[^\n]*+|Path does not exist[^\n]*+|rg: [^\n]*+|ripgrep error[^\n]*+"
    r"|Error (?:during|executing|listing|searching) [^\n]*+|Directory (?:not found|does not exist)[^\n]*+)\s*\Z"
)
_FETCH_FAILED = re.compile(
    r"\A\s*(?:Error: [^\n]*+|Request failed with status code \d+|Failed to fetch[^\n]*+|HTTP error[^\n]*+"
    r"|Error (?:during|fetching|performing) [^\n]*+|StatusCode: non 2xx[^\n]*+|getaddrinfo [^\n]*+)\s*\Z"
)
_NOT_PRINTED = re.compile(
    r"(?:[\w./-]+: (?:line \d+: )?)++(?:can't read |cannot open )?[^\n]*"
    r"(?:No such file or directory|Permission denied|Is a directory|command not found)"
    r"|(?:Get-Content|gc|cat|type) ?: (?:Cannot find path|Access)"
)
_SHORT = 600


def outcome(meaning: Meaning, name: str, text: str, flag: bool | None) -> CallOutcome:
    """Whether a call succeeded.

    The flag is what the wire says: failed, not failed, or nothing. A flag of "not failed" does
    not outweigh an exit code, because several clients flag only calls that could not be made.
    """
    if flag:
        return "error"
    text = without_last_reminders(text)
    if meaning.command or meaning.kind in ("shell", "edit"):
        # A shell or a patch program ran, so the result may show an exit code.
        code = exit_code(text)
        if code is not None:
            return "ok" if code == 0 else "error"
        if len(text) <= _SHORT and _ABORTED.search(text):
            return "error"
    if flag is False:
        return "ok"
    if len(text) <= _SHORT * 4 and _REFUSED.match(text):
        return "error"
    if meaning.command:
        return _by_output(meaning.kind, name, text)
    return _by_text(meaning.kind, text)


def exit_code(text: str) -> int | None:
    """The exit code that an agent wrote around the output of a command."""
    found = _CODE_FIRST.match(text) or _CODE_LAST.search(text, max(0, len(text) - 400))
    return as_number(next(code for code in found.groups() if code is not None)) if found else None


def _by_output(kind: Kind, name: str, text: str) -> CallOutcome:
    """The outcome of a command without an exit code: only a printed file shows that the command succeeded."""
    body = body_of(name, text)
    if kind != "read" or not body or body.strip() == "(no output)" or _ID.search(text.removesuffix(body)):
        return "unknown"
    return "error" if len(body) <= _SHORT and _NOT_PRINTED.match(body) else "ok"


def _by_text(kind: Kind, text: str) -> CallOutcome:
    """The outcome by the text of the result; unknown for tools that do not report success."""
    short = len(text) <= _SHORT
    match kind:
        case "read":
            # A file may consist of one such line. Calling its read an error loses nothing.
            if short and _FILE_FAILED.match(text):
                return "error"
            return "ok" if text else "unknown"
        case "write" | "edit":
            if _EDIT_DONE.match(text):
                return "ok"
            if len(text) <= _SHORT * 4 and (_EDIT_FAILED.match(text) or _FILE_FAILED.match(text)):
                return "error"
            return "unknown"
        case "list" | "search" | "todo" | "snapshot":
            return "error" if short and _SEARCH_FAILED.match(text) else "ok"
        case "fetch":
            return "error" if short and _FETCH_FAILED.match(text) else "ok"
        case _:
            return "unknown"

"""Every reader of text, as a function of one text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from prunus import notes, tokens
from prunus.calls import shown
from prunus.calls.changes import patched_files, search_blocks, touches_of
from prunus.calls.meaning import Meaning
from prunus.calls.paths import normalise
from prunus.calls.results import body_of, comparable, exit_code, is_cut, is_stub, outcome
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Span, Touch
from prunus.changelog.file_edits import edits_of_command
from prunus.changelog.generate import sentence
from prunus.clients.codex import inner_call
from prunus.clients.mini_swe_agent import sessions as mini_swe_agent
from prunus.clients.swe_agent import DIALECT as SWE_AGENT
from prunus.clients.system_reminders import without_last_reminders, without_reminders, without_tokens_left
from prunus.files import read_results, signs
from prunus.files.content import Content
from prunus.files.printouts import printed_lines, printed_one_by_one
from prunus.files.replacing import replace_text
from prunus.files.tool_edits import apply_hunks
from prunus.history import Call
from prunus.json import surrogates
from prunus.json.splice import splice, values
from prunus.lab import retention
from prunus.outlines.code import code
from prunus.outlines.output import listing, log, middle
from prunus.providers.filters import ShownIds
from prunus.requested.commands import read_command
from prunus.requested.request import parse as parse_decision
from prunus.settings import jsonc
from prunus.shell import git, powershell, spelled_out
from prunus.shell.changing import script_changes, written_by
from prunus.shell.powershell_words import tokens as powershell_tokens
from prunus.shell.shell_command import parse, parse_list, unwrap
from prunus.shell.side_effects import find_side_effects
from prunus.shell.steps import steps
from prunus.shell.words import simples
from prunus.strategies import old_errors
from prunus.strategies.old_code_blocks import OldCodeBlocks

__all__ = ["READERS"]

Reader = Callable[[str], object]

_BOX: Final = Toolbox()
_FULL: Final = Span(1, None)


def _content(text: str) -> Content:
    content = Content()
    content.write(text)
    return content


def _half(text: str) -> Content:
    """A file of which every second line is known."""
    content = Content()
    lines = text.split("\n")
    content.learn(1, [line if at % 2 else None for at, line in enumerate(lines)])
    return content


def _patched(text: str) -> object:
    body = "\n".join(f"-{line}\n+{line}x" for line in text.split("\n"))
    found = patched_files(f"*** Begin Patch\n*** Update File: a\n@@\n{body}\n*** End Patch")
    return [apply_hunks(held(text), part.hunks) for part in found for held in (_content, _half)]


def _hunked(text: str) -> object:
    """One hunk for each line."""
    hunks = "".join(f"@@\n-{line}\n+{line}x\n" for line in text.split("\n"))
    found = patched_files(f"*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch")
    return [apply_hunks(held(text), part.hunks) for part in found for held in (_content, _half)]


def _printed(text: str) -> object:
    command = "cat a.py && echo --- && cat b.py"
    touches = (Touch("a.py", "read", _FULL), Touch("b.py", "read", _FULL))
    return list(printed_one_by_one("shell", command, touches, text))


def _json(text: str) -> bytes:
    return json.dumps({"a": text, "b": [text, {"c": text}]}, ensure_ascii=False).encode()


def _spliced(text: str) -> object:
    raw = _json(text)
    return values(raw), splice(raw, {("b", 1, "c"): b"1", ("a",): None})


def _code(ending: str) -> Reader:
    return lambda text: code(text, 3_000, f"a.{ending}", 1)


def _meaning(tool: str, argument: str) -> Reader:
    return lambda text: _BOX.meaning(tool, {argument: text})


def _safe(read: Reader) -> Reader:
    """A reader that may refuse a text."""

    def safe(text: str) -> object:
        try:
            return read(text)
        except (ValueError, RecursionError):
            return None

    return safe


def _read_anew(read: Reader) -> Reader:
    """A reader that finds no command among those that were read before."""

    def anew(text: str) -> object:
        steps.cache_clear()
        powershell.parse.cache_clear()
        return read(text)

    return anew


_ALL: Final[Mapping[str, Reader]] = {
    # Commands.
    "shell words": simples,
    "shell": parse,
    "shell in a shell": lambda text: unwrap(f"bash -lc {text}"),
    "shell as a list": lambda text: parse_list(text.split(" ")),
    "shell, sed -n": lambda text: parse(f"sed -n '{text}' a.py"),
    "shell, a substitution": lambda text: parse(f'echo "$({text})"'),
    "shell, a heredoc": lambda text: parse(f"python - <<EOF\n{text}\nEOF"),
    "powershell": powershell.parse,
    "powershell, looks": powershell.looks_like,
    "powershell words": powershell_tokens,
    "powershell, foreach": lambda text: powershell.parse(f"gc a.py | foreach {{ {text} }}"),
    "javascript": inner_call,
    "javascript, arguments": lambda text: inner_call(f"await tools.exec_command({{cmd: {text}}})"),
    "javascript, a string": lambda text: inner_call(f'await tools.apply_patch("{text}")'),
    "action": SWE_AGENT.own_command,
    "action, a search": lambda text: SWE_AGENT.own_command(f"find_file {text}"),
    "script": written_by,
    "script, by its words": script_changes,
    "path": normalise,
    "patch": lambda text: touches_of(patched_files(text)),
    "tool, shell": _meaning("Bash", "command"),
    "tool, patch": _meaning("apply_patch", "input"),
    "tool, code mode": _meaning("exec", "input"),
    "tool, its name": lambda text: _BOX.meaning(f"mcp_{text}", {"command": "ls"}),
    # Results.
    "result, body": lambda text: body_of("Bash", text),
    "result, comparable": lambda text: comparable("shell", f"Wall time: 1 seconds\n{text}"),
    "result, tokens left": lambda text: comparable("Bash", f"{text}<total_tokens>1</total_tokens>"),
    "result, tagged": lambda text: body_of("bash", f"<returncode>0</returncode><output>{text}"),
    "result, fenced": lambda text: body_of("run", f"<untrusted_context>Output: {text}"),
    "result, stub": is_stub,
    "result, cut": is_cut,
    "exit code": exit_code,
    "outcome of a command": lambda text: outcome(Meaning("shell", command="x"), "Bash", text, None),
    "outcome of an edit": lambda text: outcome(Meaning("edit"), "Edit", text, None),
    "outcome of a read": lambda text: outcome(Meaning("read"), "Read", text, None),
    "outcome of a search": lambda text: outcome(Meaning("search"), "Grep", text, None),
    "outcome, a reminder": lambda text: outcome(
        Meaning("read"), "Read", f"{text}<system-reminder>x</system-reminder>", None
    ),
    "reminders": without_reminders,
    "last reminders": without_last_reminders,
    "tokens left": without_tokens_left,
    "error": lambda text: old_errors._headline("Bash", text),
    "error, of Codex": lambda text: old_errors._headline(
        "shell", f"Exit code: 1\nWall time: 1 seconds\nOutput:\n{text}"
    ),
    # Files.
    "file, written": _content,
    "file, an edit": lambda text: replace_text(_content(text * 2), text, "new"),
    "file, an edit of known and unknown lines": lambda text: replace_text(_half(text * 2), text, "new"),
    "file, an edit of all": lambda text: replace_text(
        _content(text * 2), text[: len(text) // 50 + 1], "a\nb", every=True
    ),
    "file, a patch": _patched,
    "file, many hunks": _hunked,
    "file, lines that it holds": lambda text: _content(text * 2).holds(text.split("\n")),
    "diff": lambda text: patched_files(f"--- a\n+++ a\n{text}"),
    "read, of Claude Code": lambda text: read_results.read_result("Read", _FULL, text),
    "read, plain": lambda text: read_results.read_result("read_file", _FULL, text),
    "read, of pi": lambda text: read_results.read_result("read", _FULL, f"{text}\n\n[Showing lines 1-2 of 3]"),
    "read, of OpenCode": lambda text: read_results.read_result("read", _FULL, f"<file>\n1| a\n{text}"),
    "read, of Gemini CLI": lambda text: read_results.read_result(
        "read_file", _FULL, f"IMPORTANT: The file content has been truncated.\n{text}"
    ),
    "read, reminders behind it": lambda text: read_results.trimmed(f"{text}<system-reminder>x</system-reminder>"),
    "read, numbered": lambda text: shown.numbered(f"1\ta\n{text}".split("\n")),
    "snippet": read_results.snippet,
    "snippet, returned": lambda text: read_results.updated_code(
        f"Successfully modified a. Here is the updated code:\n{text}"
    ),
    "window": read_results.window,
    "printout": lambda text: printed_lines("shell", "cat a.py", _FULL, text),
    "printouts": _printed,
    "signs, noted": lambda text: list(signs.noted_changes(text)),
    "signs, of tasks": lambda text: list(signs.ended_tasks(f"<task-notification>{text}")),
    "signs, by name": signs.changes_files,
    "signs, made": lambda text: signs.proves_unchanged("Edit", text),
    "moved": lambda text: spelled_out.only_move(f"mv {text}"),
    "written": lambda text: spelled_out.written_texts(f"cat > a <<EOF\n{text}"),
    "written, here-string": lambda text: spelled_out.written_texts(f"@'\n{text}\n'@ | Set-Content a"),
    "hooks": lambda text: git.hooks_kept_files(f"{text}\n[main abcdef1] x\n{text}"),
    "never ran": lambda text: signs.never_ran(text, text),
    "side effects": lambda text: find_side_effects(text, "", lambda path: None),
    "side effects, a script": lambda text: find_side_effects("python a.py", "", lambda path: text),
    "side effects, a shell script": lambda text: find_side_effects("./a.sh", text, lambda path: text),
    "side effects, a formatter": lambda text: find_side_effects(
        "black a.py; prettier --write b", text, lambda path: None
    ),
    "side effects, ruff": lambda text: find_side_effects("ruff check --fix a.py", text, lambda path: None),
    "side effects, a task": lambda text: find_side_effects("npm run fmt", text, lambda path: None),
    "side effects, a commit": lambda text: find_side_effects("git commit -m x", text, lambda path: None),
    "side effects, of PowerShell": lambda text: find_side_effects(f"Get-Content a; {text}", "", lambda path: None),
    # What stays.
    "outline of a log": lambda text: log(text, 3_000),
    "outline of a listing": lambda text: listing(text, 3_000),
    "outline of a middle": lambda text: middle(text, 3_000, listing=True),
    **{f"outline of .{end}": _code(end) for end in ("py", "ts", "go", "rs", "java", "rb", "c", "sql", "sh", "md")},
    "old code": lambda text: OldCodeBlocks()._without_code(text, "seeds"),
    "command to Prunus": read_command,
    "command to Prunus, words": lambda text: read_command(f"/prunus {text}\n\0"),
    "decision": lambda text: parse_decision({"action": "discard", "targets": text}),
    "decision, JSON": lambda text: parse_decision(f'{{"action": "distill", "targets": [["{text}"'),
    "note, tag": lambda text: notes.without_tag(f"{text}]"),
    "note, fold": notes.without_views,
    "note": lambda text: (
        notes.is_note(text),
        notes.is_shortened(text),
        notes.pointer_target(text),
        notes.without_outline_note(text),
    ),
    "note, echo": lambda text: notes.without_repeated_ids(text, frozenset({"abcdef"})),
    "note, name": notes.shorten,
    # Bytes.
    "JSON, a splice": _safe(_spliced),
    "JSON, halves": lambda text: surrogates.mend_surrogates(_json(text)),
    "JSON with comments": _safe(jsonc.parse),
    "ids": lambda text: "abcdef" in ShownIds(text.encode()),
    "tokens": tokens.estimate,
    # Beside the engine.
    "changelog, blocks": search_blocks,
    "changelog, a purpose": sentence,
    "changelog, a command": lambda text: edits_of_command(text, "", False),
    "lab, identifiers": retention.identifiers,
    "lab, lines": lambda text: retention.lines(Call("a", "apply_patch", {"input": text}, text), Toolbox()),
    "transcript of mini-swe-agent": lambda text: mini_swe_agent._outcome(f"<returncode>0</returncode>{text}"),
}
READERS: Final[Mapping[str, Reader]] = {name: _read_anew(read) for name, read in _ALL.items()}
"""By what they read."""

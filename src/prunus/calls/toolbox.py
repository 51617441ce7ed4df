"""All tables of tools, and what a call by any of them means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache
from typing import Any

from prunus.calls import generic
from prunus.calls.changes import patched_files, touches_of
from prunus.calls.meaning import Kind, Meaning, Tool
from prunus.calls.paths import normalise
from prunus.calls.touches import FULL, Span, Touch, TouchKind
from prunus.clients.client import modules
from prunus.clients.dialect import inner_call, words
from prunus.shell.shell_command import ShellCommand, parse, parse_list

TABLES: tuple[tuple[Tool, ...], ...] = (*(package.TOOLS for package in modules()), generic.TOOLS)

_Row = tuple[Tool, str, tuple[str, ...]]
_OTHER = Meaning("other")
_RANGE_WORDS = frozenset(
    {"offset", "limit", "start_line", "end_line", "view_range", "head", "tail", "pages", "read_range", "lines",
     "start_line_one_indexed", "end_line_one_indexed_inclusive", "StartLine", "EndLine", "startLine", "endLine",
     "line_start", "line_end", "line_number", "start", "end", "line_offset", "n_lines"}
)  # fmt: skip
# A file in somebody else's repository is not the file of that name here.
_ELSEWHERE = frozenset({"repo", "repo_name", "repository", "owner", "bucket", "project_id", "drive_id"})
_SILENT = frozenset({"description", "explanation", "reason", "wait_for_previous", "timeout"})
_LIMITS = frozenset(
    {"limit", "head_limit", "max_results", "maxResults", "max_matches", "max_count", "total_max_matches"}
)
"""Arguments that say how many results of a search are shown."""
_TOUCHES: dict[Kind, TouchKind] = {"read": "read", "write": "write", "edit": "edit"}


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of all known agents, with the user's own rows in front."""

    user: tuple[Tool, ...] = ()
    _own: tuple[tuple[re.Pattern[str], _Row], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        own = tuple((re.compile(translate(tool.name)), (tool, tool.needs, tool.metadata)) for tool in self.user)
        object.__setattr__(self, "_own", own)

    def meaning(self, name: str, arguments: Mapping[str, Any] | str) -> Meaning:
        """What a call means, from the name of its tool and its arguments.

        The arguments may be text: a patch, a script, or JSON that nobody has read yet.
        """
        given, named = _mapping(arguments) if isinstance(arguments, str) else arguments, _rows_by_name()
        for pattern, row in self._own:
            if pattern.match(name) and _fits(row, given):
                return _best(name, (row,), given, arguments)
        if rows := named.get(name, ()):
            return _best(name, rows, given, arguments)
        for plain in _without_server(name):
            if rows := named.get(plain, ()):
                if not _ELSEWHERE.isdisjoint(given):
                    return _OTHER
                return _best(name, rows, given, arguments)
        return _OTHER


@cache
def _rows_by_name() -> Mapping[str, tuple[_Row, ...]]:
    """The rows of all tables, which every toolbox shares."""
    named: dict[str, tuple[_Row, ...]] = {}
    for tool in (tool for table in TABLES for tool in table):
        named[tool.name] = (*named.get(tool.name, ()), (tool, tool.needs, tool.metadata))
    return named


def _mapping(text: str) -> Mapping[str, Any]:
    if text[:1] != "{":
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _without_server(name: str) -> Iterator[str]:
    """The names a tool may have without the MCP server in front."""
    if name.startswith("mcp__"):
        yield name.rsplit("__", 1)[-1]
    elif name.startswith("mcp_"):
        rest = name[4:]
        while "_" in rest:
            rest = rest.split("_", 1)[1]
            yield rest
    elif "__" in name:
        yield name.rsplit("__", 1)[-1]


def _best(name: str, rows: Sequence[_Row], given: Mapping[str, Any], arguments: Mapping[str, Any] | str) -> Meaning:
    """The meaning by the row that fits best."""
    if isinstance(arguments, str) and not given:
        for tool, needs, metadata in rows:
            if tool.patch or tool.command:
                return _describe(name, tool, {needs: arguments}, metadata)
        return _OTHER
    fitting = [row for row in rows if _fits(row, given)]
    if len(fitting) > 1:
        # Several agents share this name: the row that knows most of the arguments is meant.
        fitting.sort(key=lambda row: -sum(map(given.__contains__, row[2])))
    loose: _Row | None = None
    for row in fitting:
        tool, _, metadata = row
        if tool.kind != "read" or not _unknown_range(tool, given):
            return _describe(name, tool, given, metadata)
        loose = loose or row
    if loose is not None:
        tool, _, metadata = loose
        return Meaning("read", normalise(str(given[tool.path])) if tool.path else "", (), "", metadata)
    return _OTHER


def _fits(row: _Row, given: Mapping[str, Any]) -> bool:
    """Whether a call has the arguments that a row needs."""
    tool, needs, _ = row
    if needs and given.get(needs) is None:
        return False
    return not tool.when[0] or given.get(tool.when[0]) == tool.when[1]


def _unknown_range(tool: Tool, given: Mapping[str, Any]) -> bool:
    """Whether a call limits its lines in a way that the row does not know."""
    return any(
        word in _RANGE_WORDS
        and word not in (tool.offset, tool.limit, tool.start, tool.end, tool.lines, tool.path)
        and given[word] is not None
        for word in given
    )


def _describe(name: str, tool: Tool, given: Mapping[str, Any], metadata: tuple[str, ...]) -> Meaning:
    key = "" if tool.key == "-" else tool.key
    match tool.kind:
        case "shell":
            return _shell(tool, given, metadata)
        case "read" | "write" | "edit":
            touches = _touches(tool, given)
            if not key and tool.path:
                key = normalise(str(given[tool.path]))
            elif not key and len(touches) == 1:
                key = touches[0].path
            return Meaning(tool.kind, "" if tool.key == "-" else key, touches, "", metadata, row=tool)
        case "list" | "search":
            unlimited = {word: value for word, value in given.items() if word not in _LIMITS}
            asked = (key or _query(tool, mapping) for mapping in (given, unlimited))
            return Meaning(tool.kind, next(asked), (), "", metadata, unlimited=next(asked))
        case "fetch":
            page = f"search:{given[tool.query]}" if tool.query else str(given[tool.url]) if tool.url else ""
            if page and tool.offset and given.get(tool.offset):
                page += f" from {given[tool.offset]}"  # another piece of the page
            return Meaning("fetch", key or page, (), "", metadata)
        case "snapshot":
            where = ":".join(str(given[part]) for part in metadata if given.get(part) is not None)
            return Meaning("snapshot", key or f"{name}:{where}", (), "", metadata)
        case _:
            if not key and tool.query and tool.key != "-":
                key = f"{tool.name}:{given[tool.query]}"
            return Meaning(tool.kind, key, (), "", metadata)


def _query(tool: Tool, given: Mapping[str, Any]) -> str:
    """The key of a listing or a search, with every option that changes its answer."""
    path = normalise(str(given.get(tool.path) or "")) if tool.path else ""
    if tool.query:
        key = f"search:{given[tool.query]}"
    elif not tool.pattern:
        key = f"list:{path}"
    elif tool.kind == "list":
        key = f"glob:{path}:{given[tool.pattern]}"
    else:
        include = given.get(tool.include) or "" if tool.include else ""
        key = f"grep:{path}:{given[tool.pattern]}:{include}"
    known = (tool.path, tool.pattern, tool.include, tool.query)
    options = sorted(word for word in given if word not in known and word not in _SILENT)
    return "".join([key, *(f":{word}={given[word]}" for word in options if given[word] is not None)])


def _touches(tool: Tool, given: Mapping[str, Any]) -> tuple[Touch, ...]:
    kind = tool.touch or _TOUCHES[tool.kind]
    if tool.patch:
        return touches_of(patched_files(str(given.get(tool.patch) or "")))
    if tool.paths:
        named = given.get(tool.paths)
        if not isinstance(named, (list, tuple)):
            return ()
        texts = [text for text in map(_path_in, named) if text and not set("*?{") & set(text)]
        return tuple(Touch(normalise(text), kind) for text in texts)
    if not tool.path:
        return ()
    span = _span(tool, given) if kind == "read" else FULL
    return () if span is None else (Touch(normalise(str(given[tool.path])), kind, span),)


def _path_in(item: Any) -> str:
    if isinstance(item, Mapping):
        item = item.get("path") or item.get("file_path")
    return item if isinstance(item, str) else ""


def _span(tool: Tool, given: Mapping[str, Any]) -> Span | None:
    """The lines a call asks for; None if the arguments make no sense."""
    shift = 1 if tool.zero else 0
    asked = (given.get(name) if name else None for name in (tool.offset, tool.start, tool.limit, tool.end))
    try:
        offset, start, count, last = (None if value is None else int(value) for value in asked)
        if tool.lines and given.get(tool.lines):
            start, last = (int(bound) for bound in given[tool.lines][:2])
            last = None if last == -1 else last
    except (TypeError, ValueError, KeyError, OverflowError):
        return None
    first = next((number + shift for number in (start, offset) if number is not None), 1)
    if first < 0:
        return None
    first = max(first, 1)
    if count is not None:
        last = first + count - 1
    elif last is not None:
        last += shift
    if last is not None and last < first:
        return None
    return FULL if first == 1 and last is None else Span(first, last)


def _shell(tool: Tool, given: Mapping[str, Any], metadata: tuple[str, ...]) -> Meaning:
    if not tool.command:
        return Meaning("shell", "", (), "", metadata)
    command: Any = given[tool.command]
    workdir: Any = given.get(tool.workdir) if tool.workdir else None
    if isinstance(command, Mapping):
        # local_shell_call keeps command and folder one level deeper.
        workdir = command.get("working_directory") or workdir
        command = command.get("command")
    folder = workdir if isinstance(workdir, str) else ""
    if isinstance(command, (list, tuple)):
        return _script(parse_list([str(word) for word in command], folder), metadata)
    if not isinstance(command, str) or not command.strip():
        return Meaning("shell", "", (), "", metadata)
    if tool.language == "javascript":
        return _javascript(command, metadata)
    if tool.language == "action" and (known := _own_command(command)) is not None:
        return known
    return _script(parse(command, folder), metadata)


def _own_command(command: str) -> Meaning | None:
    """The meaning of a command that is an agent's own; None if the command is for the shell."""
    for read in words("own_command"):
        if found := read(command):
            kind, key = found
            return Meaning(kind, normalise(key) if kind in ("read", "write") else key, (), command, ("command",))
    return None


def _script(script: ShellCommand, metadata: tuple[str, ...]) -> Meaning:
    only = script.touches[0].path if len(script.touches) == 1 else ""
    if script.patches:
        return Meaning("edit", only, script.touches, script.text, metadata)
    if script.reads:
        return Meaning("read", only or script.key, script.touches, script.text, metadata)
    return Meaning("shell", script.key, script.touches, script.text, metadata, script.wild)


def _javascript(text: str, metadata: tuple[str, ...]) -> Meaning:
    inner = inner_call(text)
    if inner is None:
        return Meaning("shell", "", (), "", metadata)
    if inner.name == "apply_patch":
        patch = inner.arguments if isinstance(inner.arguments, str) else str(inner.arguments.get("input") or "")
        touches = touches_of(patched_files(patch))
        return Meaning("edit", touches[0].path if len(touches) == 1 else "", touches, "", metadata)
    command = inner.arguments.get("cmd") if isinstance(inner.arguments, dict) else None
    if inner.name != "exec_command" or not isinstance(command, str) or isinstance(inner.arguments, str):
        return Meaning("shell", "", (), "", metadata)
    script = parse(command, str(inner.arguments.get("workdir") or ""))
    if inner.shows_all:
        return _script(script, metadata)
    changes = tuple(touch for touch in script.touches if touch.kind != "read")
    return Meaning("shell", "", changes, script.text, metadata, script.wild)

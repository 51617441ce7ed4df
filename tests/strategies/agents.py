"""How the agents spell their tools; one agent for each format.

The case files say `read src/app.py lines 1-50`; Claude Code says Read with file_path, offset and limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.strategies.story import Item, Story, Tool, Turn

__all__ = ["AGENTS", "Unspoken", "localise", "spell"]


class Unspoken(Exception):
    """An agent has no word for something."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A tool's real name, and the real names of its arguments."""

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    always: Mapping[str, Any] = field(default_factory=dict)
    item: str = "content"
    """The key of a todo item's words."""
    lines: Callable[[int, int], dict[str, int]] | None = None
    """How the first and the last line of a read are given."""


def _from_one(first: int, last: int) -> dict[str, int]:
    return {"offset": first, "limit": last - first + 1}


def _from_zero(first: int, last: int) -> dict[str, int]:
    return {"offset": first - 1, "limit": last - first + 1}


def _both_ends(first: int, last: int) -> dict[str, int]:
    return {"start_line": first, "end_line": last}


_SNAPSHOT = Spelling("mcp__playwright__browser_snapshot")

AGENTS: dict[str, dict[str, Spelling]] = {
    # Claude Code
    "anthropic_messages": {
        "read": Spelling("Read", {"path": "file_path"}, lines=_from_one),
        "write": Spelling("Write", {"path": "file_path", "content": "content"}),
        "edit": Spelling("Edit", {"path": "file_path", "old": "old_string", "new": "new_string"}),
        "shell": Spelling("Bash", {"command": "command"}, {"description": "Run a command"}),
        "search": Spelling("Grep", {"pattern": "pattern", "where": "path"}),
        "glob": Spelling("Glob", {"pattern": "pattern", "where": "path"}),
        "list": Spelling("LS", {"where": "path"}),
        "fetch": Spelling("WebFetch", {"url": "url"}, {"prompt": "Sum it up."}),
        "websearch": Spelling("WebSearch", {"query": "query"}),
        "todo": Spelling("TodoWrite", {"todos": "todos"}),
        "todos": Spelling("TodoRead"),
        "task": Spelling(
            "Task", {"title": "description", "prompt": "prompt"}, {"subagent_type": "general-purpose"}
        ),
        "snapshot": _SNAPSHOT,
    },
    # Qwen Code
    "openai_chat": {
        "read": Spelling("read_file", {"path": "file_path"}, lines=_from_zero),
        "write": Spelling("write_file", {"path": "file_path", "content": "content"}),
        "edit": Spelling("edit", {"path": "file_path", "old": "old_string", "new": "new_string"}),
        "shell": Spelling("run_shell_command", {"command": "command", "workdir": "directory"}),
        "search": Spelling("grep_search", {"pattern": "pattern", "where": "path"}),
        "glob": Spelling("glob", {"pattern": "pattern", "where": "path"}),
        "list": Spelling("list_directory", {"where": "path"}),
        "fetch": Spelling("web_fetch", {"url": "url"}, {"prompt": "Sum it up."}),
        "websearch": Spelling("web_search", {"query": "query"}),
        "todo": Spelling("todo_write", {"todos": "todos"}),
        "task": Spelling("task", {"title": "description", "prompt": "prompt"}),
        "snapshot": _SNAPSHOT,
    },
    # pi
    "openai_responses": {
        "read": Spelling("read", {"path": "path"}, lines=_from_one),
        "write": Spelling("write", {"path": "path", "content": "content"}),
        "edit": Spelling("edit", {"path": "path", "old": "oldText", "new": "newText"}),
        "shell": Spelling("bash", {"command": "command"}),
        "search": Spelling("grep", {"pattern": "pattern", "where": "path"}),
        "glob": Spelling("find", {"pattern": "pattern", "where": "path"}),
        "list": Spelling("ls", {"where": "path"}),
        "snapshot": _SNAPSHOT,
    },
    # Gemini CLI
    "gemini": {
        "read": Spelling("read_file", {"path": "file_path"}, lines=_both_ends),
        "write": Spelling("write_file", {"path": "file_path", "content": "content"}),
        "edit": Spelling("replace", {"path": "file_path", "old": "old_string", "new": "new_string"}),
        "shell": Spelling("run_shell_command", {"command": "command", "workdir": "dir_path"}),
        "search": Spelling("grep_search", {"pattern": "pattern", "where": "dir_path"}),
        "glob": Spelling("glob", {"pattern": "pattern", "where": "dir_path"}),
        "list": Spelling("list_directory", {"where": "dir_path"}),
        "fetch": Spelling("web_fetch", {"url": "prompt"}),
        "websearch": Spelling("google_web_search", {"query": "query"}),
        "todo": Spelling("write_todos", {"todos": "todos"}, item="description"),
        "snapshot": _SNAPSHOT,
    },
    # OpenCode
    "opencode": {
        "read": Spelling("read", {"path": "filePath"}, lines=_from_zero),
        "write": Spelling("write", {"content": "content", "path": "filePath"}),
        "edit": Spelling("edit", {"path": "filePath", "old": "oldString", "new": "newString"}),
        "shell": Spelling("bash", {"command": "command", "workdir": "workdir"}, {"description": "Run a command"}),
        "search": Spelling("grep", {"pattern": "pattern", "where": "path"}),
        "glob": Spelling("glob", {"pattern": "pattern", "where": "path"}),
        "list": Spelling("list", {"where": "path"}),
        "fetch": Spelling("webfetch", {"url": "url"}, {"format": "markdown"}),
        "websearch": Spelling("websearch", {"query": "query"}),
        "todo": Spelling("todowrite", {"todos": "todos"}),
        "todos": Spelling("todoread"),
        "task": Spelling("task", {"title": "description", "prompt": "prompt"}, {"subagent_type": "general"}),
        "snapshot": _SNAPSHOT,
    },
}

_EXIT_CODES = {
    "openai_chat": "\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: (none)",
    "openai_responses": "\n\nCommand exited with code 2",
}
"""What Qwen Code and pi write below the output of a failed command."""

_FAIL_IN_WORDS = frozenset({"read", "write", "edit", "search", "list", "glob", "fetch", "websearch"})
"""Tools whose failures show in the text; of others nothing tells on wires without a flag."""


def localise(story: Story, format: str) -> Story:
    """The story with its failures told as on this wire: two formats have no flag for them."""
    if format not in _EXIT_CODES:
        return story
    events = (
        replace(event, items=tuple(_failing(item, format) for item in event.items))
        if isinstance(event, Turn)
        else event
        for event in story.events
    )
    return replace(story, events=tuple(events))


def _failing(item: Item, format: str) -> Item:
    if not isinstance(item, Tool) or item.answer is None or not item.answer.error:
        return item
    if item.kind == "shell":
        return replace(item, answer=replace(item.answer, text=item.answer.text + _EXIT_CODES[format]))
    if item.kind not in _FAIL_IN_WORDS:
        raise Unspoken(f"{format}: nothing tells that {item.kind} failed")
    return item


def spell(format: str, tool: Tool) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of a call, as the agent of this format writes them."""
    if tool.name:
        kept = tool.given if tool.keeps is None else {key: tool.given[key] for key in tool.keeps}
        return tool.name, dict(kept)
    spelling = AGENTS[format].get(tool.kind)
    if spelling is None:
        raise Unspoken(f"{format}: no tool for {tool.kind}")
    given: dict[str, tuple[str, Any]] = {}
    for neutral, value in tool.given.items():
        match neutral:
            case "first":
                if spelling.lines is None:
                    raise Unspoken(f"{format}: no lines for {tool.kind}")
                for name, number in spelling.lines(value, tool.given["last"]).items():
                    given[name] = "lines", number
            case "last":
                pass
            case "todos":
                todos = [{spelling.item: words, "status": "pending"} for words in value]
                given[spelling.arguments[neutral]] = neutral, todos
            case _:
                if neutral not in spelling.arguments:
                    raise Unspoken(f"{format}: no {neutral} for {tool.kind}")
                given[spelling.arguments[neutral]] = neutral, value
    given |= {name: (name, value) for name, value in spelling.always.items()}
    return spelling.name, {
        name: value for name, (neutral, value) in given.items() if tool.keeps is None or neutral in tool.keeps
    }

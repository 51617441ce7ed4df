"""Whole requests that hold a hostile text in one place, or very many small things."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

__all__ = ["CROWDS", "PLACES", "anthropic", "chat", "within"]


class Made(NamedTuple):
    """One call with its result."""

    tool: str
    input: Mapping[str, Any]
    result: str
    error: bool = False
    said: str = ""


Place = Callable[[str], tuple[Made, ...]]

_FILE: Final = "src/app.py"
_LATER: Final = tuple(Made("Bash", {"command": f"make step{i}"}, "ok") for i in range(8))
"""Calls behind, so that strategies which wait some turns act."""


def _read(text: str) -> tuple[Made, ...]:
    numbered = "\n".join(f"{i}\t{line}" for i, line in enumerate(text.split("\n"), 1))
    return (Made("Read", {"file_path": _FILE}, numbered),) * 2


def _edit(text: str) -> tuple[Made, ...]:
    done = f"The file {_FILE} has been updated."
    return (
        Made("Write", {"file_path": _FILE, "content": text * 2}, done),
        Made("Edit", {"file_path": _FILE, "old_string": text, "new_string": "new"}, done),
        Made("Edit", {"file_path": _FILE, "old_string": text, "new_string": "a\nb", "replace_all": True}, done),
    )


def _patch(text: str) -> tuple[Made, ...]:
    lines = text.split("\n")
    body = "\n".join(f"-{line}\n+{line}x" for line in lines)
    patch = f"*** Begin Patch\n*** Update File: {_FILE}\n@@\n{body}\n*** End Patch"
    return (
        Made("Write", {"file_path": _FILE, "content": text}, "ok"),
        Made("apply_patch", {"input": patch}, "Success. Updated the following files:\nM src/app.py"),
    )


PLACES: Final[Mapping[str, Place]] = {
    "failed result": lambda text: (Made("Bash", {"command": "make"}, text, True),),
    "result": lambda text: (Made("Bash", {"command": "make"}, text),) * 2,
    "search": lambda text: (Made("Grep", {"pattern": "x", "path": "."}, text),),
    "fetch": lambda text: (Made("WebFetch", {"url": "https://example.org", "prompt": "?"}, text),),
    "read": _read,
    "command": lambda text: (Made("Bash", {"command": text}, "ok"),) * 2,
    "printing": lambda text: (Made("Bash", {"command": f"cat {_FILE} && echo {text}"}, "ok"),),
    "powershell": lambda text: (Made("Bash", {"command": f"Get-Content a.py | {text}"}, "ok"),),
    "sed": lambda text: (
        Made("Write", {"file_path": _FILE, "content": "a\nb\n" * 50}, "ok"),
        Made("Bash", {"command": f"sed -i 's/{text}/y/' {_FILE}"}, "", False),
    ),
    "heredoc": lambda text: (
        Made("Bash", {"command": f"cat > {_FILE} <<'EOF'\n{text}\nEOF\npython {_FILE}"}, "ok"),
    ),
    "edit": _edit,
    "patch": _patch,
    "write": lambda text: (Made("Write", {"file_path": _FILE, "content": text}, "ok"),) * 2,
    "script": lambda text: (Made("exec", {"input": f'await tools.exec_command({{cmd: "{text}"}})'}, text),),
    "said": lambda text: (Made("Bash", {"command": "ls"}, "a.py", False, text),),
}
"""Where a text of a request may stand."""


def within(place: str, text: str) -> tuple[Made, ...]:
    """A conversation that holds the text in that place."""
    return (*PLACES[place](text), *_LATER)


def anthropic(calls: tuple[Made, ...]) -> bytes:
    """A request in the format of Anthropic."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Do it."}]
    for i, made in enumerate(calls):
        said = [{"type": "text", "text": made.said}] if made.said else []
        call = {"type": "tool_use", "id": f"toolu_{i}", "name": made.tool, "input": made.input}
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{i}",
            "content": made.result,
            "is_error": made.error,
        }
        messages += ({"role": "assistant", "content": [*said, call]}, {"role": "user", "content": [result]})
    return _encoded({"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": messages})


def chat(calls: tuple[Made, ...]) -> bytes:
    """A request in the format of OpenAI's chat."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Do it."}]
    for i, made in enumerate(calls):
        function = {"name": made.tool, "arguments": json.dumps(made.input)}
        call = {"id": f"call_{i}", "type": "function", "function": function}
        messages += (
            {"role": "assistant", "content": made.said or None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{i}", "content": made.result},
        )
    return _encoded({"model": "gpt-5", "messages": messages})


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _spoken(count: int) -> bytes:
    roles = ("user", "assistant")
    return _encoded(
        {"model": "claude-sonnet-4-5", "messages": [{"role": roles[i % 2], "content": "x"} for i in range(count)]}
    )


def _parts(count: int) -> bytes:
    parts = [{"type": "text", "text": "x"} for _ in range(count)]
    return _encoded({"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": parts}]})


def _pieces(count: int) -> bytes:
    """One result of many parts."""
    call = {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "make"}}
    pieces = [{"type": "text", "text": "x"} for _ in range(count)]
    result = {"type": "tool_result", "tool_use_id": "a", "content": pieces}
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    return _encoded({"model": "claude-sonnet-4-5", "messages": messages})


def _parallel(count: int) -> bytes:
    """One message of many calls, answered in one message."""
    calls = [
        {"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": f"ls {i}"}} for i in range(count)
    ]
    results = [{"type": "tool_result", "tool_use_id": f"t{i}", "content": f"{i}"} for i in range(count)]
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]
    return _encoded({"model": "claude-sonnet-4-5", "messages": messages})


def _one_id(count: int) -> bytes:
    """Many calls of one message that share one id."""
    calls = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"ls {i}"}} for i in range(count)]
    results = [{"type": "tool_result", "tool_use_id": "t", "content": f"{i}"} for i in range(count)]
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]
    return _encoded({"model": "claude-sonnet-4-5", "messages": messages})


def _nested(count: int) -> bytes:
    """An argument that is a list in a list in a list; beyond some hundred levels JSON readers refuse."""
    deep = "[" * min(count, 400) + "]" * min(count, 400)
    calls = tuple(Made("other", {"value": json.loads(deep)}, deep) for _ in range(max(1, count // 400)))
    return anthropic(calls)


def _different(i: int) -> Iterator[Made]:
    path = f"src/part{i}.py"
    yield Made("Read", {"file_path": path}, f"1\tdef part{i}():\n2\t    return {i}\n")
    yield Made("Bash", {"command": f"pytest {path}"}, f"{i} passed")


def _edits(count: int) -> bytes:
    """One file, edited again and again."""
    done = f"The file {_FILE} has been updated."
    size = 100
    first = Made("Write", {"file_path": _FILE, "content": "".join(f"line {i} 0\n" for i in range(size))}, done)
    edits = (
        Made(
            "Edit",
            {
                "file_path": _FILE,
                "old_string": f"line {i % size} {i // size}\n",
                "new_string": f"line {i % size} {i // size + 1}\n",
            },
            done,
        )
        for i in range(count)
    )
    return anthropic((first, *edits))


def _listed(calls: Iterator[Made]) -> bytes:
    return anthropic(tuple(calls))


CROWDS: Final[Mapping[str, tuple[int, Callable[[int], bytes]]]] = {
    "messages": (10_000, _spoken),
    "parts of a message": (10_000, _parts),
    "parts of a result": (10_000, _pieces),
    "calls of a message": (1_000, _parallel),
    "calls of one id": (1_000, _one_id),
    "levels of nesting": (4_000, _nested),
    "equal calls": (300, lambda n: anthropic((Made("Bash", {"command": "ls"}, "a.py\n" * 20),) * n)),
    "equal long answers": (
        250,
        lambda n: _listed(Made("Bash", {"command": f"ls {i}"}, "src/a.py\n" * 60) for i in range(n)),
    ),
    "failed calls": (300, lambda n: anthropic((Made("Bash", {"command": "ls"}, "Error: no\n" * 20, True),) * n)),
    "different files": (400, lambda n: _listed(made for i in range(n) for made in _different(i))),
    "one file read": (
        300,
        lambda n: _listed(Made("Read", {"file_path": _FILE}, f"1\tline {i}\n2\tend\n") for i in range(n)),
    ),
    "edits of one file": (300, _edits),
}
"""Very many small things: how many at first, and the request that has so many."""

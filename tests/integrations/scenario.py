"""The agent that every framework runs: its tools, what its model does, and what has to be true of the run.

The model is a script. Its next step follows from the number of its own messages in the request, so it goes on in
the right place after a resume. There is something in it for most rules: files read again and again, edits between
the reads, failing calls, long output, several calls at once, a second message of the user, and a third one after
the stored history was loaded by a new agent with a new pruner.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from prunus import Outcome, Pruner, Settings
from prunus.tokens import Counter
from tests.validity import problems

__all__ = [
    "MODEL", "ONE_TURN", "PROMPTS", "SYSTEM", "FailingPruner", "Move", "Play", "Played", "ToolCall", "Workspace",
    "assert_sound", "load_snippet",
]  # fmt: skip

MODEL: Final = "gpt-5"
SYSTEM: Final = "You repair programs. You have tools to read, write and edit files, and a shell."
PROMPTS: Final = (
    "parse() in rows.py loses a column. Please repair it.",
    "Now give it type hints, and say so in the notes.",
    "One more look: is everything in place?",
)


@dataclass(frozen=True)
class ToolCall:
    """One call of the model."""

    tool: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class Move:
    """One answer of the model: calls, or the last words of a turn."""

    number: int
    calls: tuple[ToolCall, ...] = ()
    text: str = ""

    def id(self, index: int) -> str:
        """The id of one of its calls."""
        return f"call_{self.number}_{index}"


@dataclass
class Workspace:
    """The tools of the agent, on files in memory."""

    files: dict[str, str] = field(default_factory=lambda: {"rows.py": _ROWS, "lib.py": _LIB})
    printed: int = 0
    """Characters of files and logs that the tools have given."""

    def read_file(self, path: str) -> str:
        """Read a file."""
        return self._print(self.files.get(path, f"Error: no such file: {path}"))

    def write_file(self, path: str, content: str) -> str:
        """Write a file."""
        self.files[path] = content
        return f"Wrote {path}"

    def edit_file(self, path: str, old_str: str, new_str: str) -> str:
        """Replace a text in a file."""
        if old_str not in self.files.get(path, ""):
            return "Error: old_str not found"
        self.files[path] = self.files[path].replace(old_str, new_str, 1)
        return f"Edited {path}"

    def bash(self, command: str) -> str:
        """Run a command."""
        log = [f"test_rows.py::test_column_{n} PASSED in 0.0{n % 10} s" for n in range(150)]
        passed = "[:-1]" not in self.files["rows.py"]
        last = "150 passed" if passed else "FAILED: a column is missing"
        return self._print("\n".join([f"$ {command}", *log, last]))

    def _print(self, text: str) -> str:
        self.printed += len(text)
        return text

    @property
    def tools(self) -> tuple[Callable[..., str], ...]:
        """The tools as functions."""
        return (self.read_file, self.write_file, self.edit_file, self.bash)

    def run(self, tool: str, arguments: dict[str, str]) -> str:
        """Run one of the tools by its name."""
        return {one.__name__: one for one in self.tools}[tool](**arguments)


def load_snippet(name: str) -> SimpleNamespace:
    """The names of a program in `docs/integrations`, run as it is."""
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "docs" / "integrations" / name)))


_ROWS = "def parse(row):\n" + "".join(
    f"    # step {n}: the columns of a row are told apart by commas, and by nothing else\n" for n in range(70)
) + "    return row.split(',')[:-1]\n"  # fmt: skip
_LIB = "".join(f"def helper_{n}(value):\n    return value + {n}\n\n\n" for n in range(60))


def _read(path: str) -> ToolCall:
    return ToolCall("read_file", {"path": path})


def _edit(old: str, new: str) -> ToolCall:
    return ToolCall("edit_file", {"path": "rows.py", "old_str": old, "new_str": new})


def _run(command: str) -> ToolCall:
    return ToolCall("bash", {"command": command})


_NOTES = ToolCall("write_file", {"path": "NOTES.md", "content": "".join(f"- note {n}\n" for n in range(200))})
_SCRIPT: Final[tuple[tuple[ToolCall, ...] | str, ...]] = (
    (_read("rows.py"),),
    (_read("lib.py"), _read("rows.py")),
    (_run("pytest -q"),),
    (_read("missing.py"),),
    (_read("rows.py"),),
    (_edit("split(';')", "split(',')"),),
    (_edit("split(',')[:-1]", "split(',')"),),
    (_read("rows.py"), _run("pytest -q"), _read("lib.py")),
    (_run("pytest -q"),),
    (_read("rows.py"),),
    "The last column stays now.",
    (_read("rows.py"),),
    (_edit("def parse(row):", "def parse(row: str) -> list[str]:"),),
    (_read("rows.py"), _read("lib.py")),
    (_run("mypy rows.py"),),
    (_run("pytest -q"),),
    (_NOTES,),
    (_read("NOTES.md"),),
    (_read("lib.py"),),
    (_read("missing.py"),),
    "Typed, tested, noted.",
    (_read("rows.py"), _read("NOTES.md")),
    (_run("pytest -q"),),
    (_read("lib.py"),),
    (_edit("# step 0:", "# step zero:"),),
    (_read("rows.py"),),
    (_run("pytest -q"), _run("mypy rows.py")),
    "Everything is in place.",
)
CALLS: Final = sum(len(one) for one in _SCRIPT if not isinstance(one, str))
ONE_TURN: Final = tuple(one for n, one in enumerate(_SCRIPT) if n == len(_SCRIPT) - 1 or not isinstance(one, str))
"""The same without a second message of the user, for agents that do one task."""


@dataclass
class Played:
    """One run of the whole scenario."""

    requests: list[list[dict[str, Any]]] = field(default_factory=list)
    """What the model got, as chat messages."""
    outcomes: list[Outcome[Any] | None] = field(default_factory=list)
    """The newest outcome of the integration at each request."""
    resumed_at: int = 0
    """The first request after the resume."""
    stored: list[dict[str, Any]] = field(default_factory=list)
    """The history that the framework has at the end, as chat messages."""
    workspace: Workspace = field(default_factory=Workspace)
    answers: list[str] = field(default_factory=list)
    script: tuple[tuple[ToolCall, ...] | str, ...] = _SCRIPT

    def ask(self, request: Sequence[dict[str, Any]], outcome: Outcome[Any] | None) -> Move:
        """Note a request, and answer it."""
        rows = json.loads(json.dumps([row for row in request if row["role"] != "system"]))
        self.requests.append(rows)
        self.outcomes.append(outcome)
        number = sum(row["role"] == "assistant" for row in rows)
        todo = self.script[number]
        return Move(number, text=todo) if isinstance(todo, str) else Move(number, todo)

    def sent_less_than_stored(self) -> bool:
        """Whether the results of the newest request are shorter than what the tools had said."""
        sent = sum(len(row["content"]) for row in self.requests[-1] if row["role"] == "tool")
        return 0 < sent < 0.6 * self.workspace.printed


Play = Callable[[Callable[[], Pruner] | None], Played]
"""Runs the scenario in a framework: with pruners that the given function makes, or without Prunus."""


class FailingPruner(Pruner):
    """A pruner that cannot do its work."""

    def prune(self, *_: Any, **__: Any) -> Outcome[Any]:
        raise RuntimeError("the pruner is broken")


def assert_sound(play: Play, *, model: str = MODEL, before: int | None = 0, arguments: bool = True) -> None:
    """Run the scenario without Prunus, with it, and with a broken one; check what an integration promises.

    `before` is the number of messages before the first row, such as a system text; None where a row may be made of
    several messages, so that nobody can say at which row a break is.
    """
    assert CALLS >= 30
    plain = play(None)
    for make in (Pruner, _at_once):
        pruned = play(make)
        assert len(pruned.requests) == len(plain.requests) == len(plain.script)
        assert [one.error if one else "no outcome" for one in pruned.outcomes] == [None] * len(plain.script)
        assert {one.report.model for one in pruned.outcomes if one} == {model}
        _assert_same_end(plain, pruned)
        _assert_same_shape(plain, pruned)
        _assert_stable_prefix(pruned, before)
        assert _tokens(pruned) < 0.5 * _tokens(plain)
    if arguments:
        # The last run has cut the arguments of a call, too: the text that was written to a file.
        assert _longest_call(plain) > 2000 > _longest_call(pruned)
    # A fault of Prunus changes nothing that is sent.
    broken = play(FailingPruner)
    assert broken.requests == plain.requests
    _assert_same_end(plain, broken)
    assert all(one and "the pruner is broken" in str(one.error) for one in broken.outcomes)


def _at_once() -> Pruner:
    """A pruner that makes every edit at once, and so breaks the cache often."""
    return Pruner(Settings(preset="acp"))


def _longest_call(played: Played) -> int:
    calls = (call for row in played.requests[-1] for call in row.get("tool_calls") or ())
    return max(len(call["function"]["arguments"]) for call in calls)


def _assert_same_end(plain: Played, other: Played) -> None:
    """The files, the last words of each turn and the stored history are those of the run without Prunus."""
    assert other.workspace.files == plain.workspace.files
    assert "[:-1]" not in other.workspace.files["rows.py"]
    assert other.answers == plain.answers == [one for one in plain.script if isinstance(one, str)]
    assert other.stored == plain.stored
    whole = [row["content"] for row in plain.stored if row["role"] == "tool"]
    assert len(whole) == CALLS and any(_ROWS in text for text in whole)


def _assert_same_shape(plain: Played, pruned: Played) -> None:
    for before, after in zip(plain.requests, pruned.requests, strict=True):
        assert _shape(after) == _shape(before)
        assert problems(after, "openai_chat") == []


def _shape(rows: list[dict[str, Any]]) -> list[Any]:
    """Roles, ids and tools of a request, in order."""
    return [
        (row["role"], row.get("tool_call_id"), [_named(call) for call in row.get("tool_calls") or ()])
        for row in rows
    ]


def _named(call: dict[str, Any]) -> tuple[str, str]:
    return call["id"], call["function"]["name"]


def _assert_stable_prefix(played: Played, ahead: int | None) -> None:
    """A request extends the one before it, unless its outcome declares a break; then up to that break."""
    for index in range(1, len(played.requests)):
        before, after, outcome = played.requests[index - 1], played.requests[index], played.outcomes[index]
        if index == played.resumed_at:
            continue
        same = next((n for n, row in enumerate(before) if row != after[n]), len(before))
        if same < len(before):
            assert outcome is not None and outcome.flush is not None, f"request {index} breaks at {same}"
            assert ahead is None or outcome.flush.cut <= same + ahead


def _tokens(played: Played) -> int:
    counter = Counter()
    return sum(counter.count(json.dumps(request)) for request in played.requests)

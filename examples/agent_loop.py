"""An agent loop of one's own, with and without pruning. Needs no key and no network.

    python examples/agent_loop.py

The model is a script: it reads a file again and again, runs tests that print a lot, and fixes a bug in several
steps, each with its intent. The loop is the one that you would write around a provider's client; the only line that
Prunus adds is the one that makes `sent` out of `messages`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from prunus import Pruner, Settings
from prunus.changelog import generate_changelog
from prunus.intent import with_intent, without_intent
from prunus.projections import compose, projection, smart_tool_retention
from prunus.tokens import Counter

Message = dict[str, Any]
Projection = Callable[[list[Message]], list[Message]]

LINES = [f"    # step {n}: nothing to see here, the interesting part is at the end" for n in range(60)]
SOURCE = "\n".join(["def parse(row):", *LINES, "    return row.split(',')[:-1]", ""])
EDIT = {
    "type": "function",
    "function": {
        "name": "edit_file",
        "description": "Replace a text in a file.",
        "parameters": {
            "type": "object",
            "properties": {key: {"type": "string"} for key in ("path", "old_str", "new_str")},
            "required": ["path", "old_str", "new_str"],
        },
    },
}
TOOLS = [with_intent(EDIT)]
"""What the model would be offered; the reading and the running tool are left out for brevity."""


@dataclass
class Workshop:
    """The tools: one file in memory, and tests that print a lot."""

    files: dict[str, str] = field(default_factory=lambda: {"rows.py": SOURCE})

    def run(self, name: str, arguments: dict[str, Any]) -> str:
        match name:
            case "read_file":
                return self.files[arguments["path"]]
            case "edit_file":
                given = without_intent(arguments)
                before = self.files[given["path"]]
                if given["old_str"] not in before:
                    return "Error: old_str not found"
                self.files[given["path"]] = before.replace(given["old_str"], given["new_str"], 1)
                return "Edit applied"
            case "bash":
                passed = "[:-1]" not in self.files["rows.py"]
                log = [f"test_rows.py::test_{n} PASSED in 0.01 s" for n in range(400)]
                return "\n".join([*log, "400 passed" if passed else "FAILED test_last_column: a column is missing"])
        return f"Error: no tool {name}"


def script() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What the model says and calls, one step after another."""
    for n in range(3):
        yield "", "read_file", {"path": "rows.py"}
        yield "", "bash", {"command": f"pytest -q --seed {n}"}
    change = {"path": "rows.py", "old_str": "split(',')[:-1]", "new_str": "split(',')"}
    yield "", "edit_file", {**change, "intent": "Keep the last column"}
    for n in range(3, 6):
        yield "", "read_file", {"path": "rows.py"}
        yield "", "bash", {"command": f"pytest -q --seed {n}"}
    change = {"path": "rows.py", "old_str": "def parse(row):", "new_str": "def parse(row: str) -> list[str]:"}
    yield "Now the types, while I am here.", "edit_file", change
    yield "", "bash", {"command": "pytest -q"}


@dataclass
class Run:
    """One run of the loop: what was sent, and what came of it."""

    messages: list[Message]
    files: dict[str, str]
    requests: int = 0
    tokens: int = 0
    largest: int = 0


def loop(project: Projection) -> Run:
    """The agent loop: ask the model, run the tool, until the model has nothing more to call."""
    counter, workshop = Counter(), Workshop()
    run = Run([{"role": "user", "content": "parse() in rows.py loses a column. Please fix it."}], workshop.files)
    for number, (text, name, arguments) in enumerate(script()):
        sent = project(run.messages)  # the one line that prunes
        tokens = counter.count(json.dumps(sent))
        run.requests += 1
        run.tokens += tokens
        run.largest = max(run.largest, tokens)
        # Here the model would be asked: client.chat.completions.create(model=..., messages=sent, tools=TOOLS)
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        run.messages.append({"role": "assistant", "content": text or None, "tool_calls": [call]})
        answer = workshop.run(name, arguments)
        run.messages.append({"role": "tool", "tool_call_id": call["id"], "content": answer})
    return run


def by_pruner(settings: Settings) -> Projection:
    """A pruner sees request after request, so it can wait until breaking the prompt cache pays."""
    pruner = Pruner(settings)

    def project(messages: list[Message]) -> list[Message]:
        pruned: list[Message] = pruner.prune(messages).body
        return pruned

    return project


def main() -> None:
    ways: dict[str, Projection] = {
        "no pruning": lambda messages: messages,
        "smart_tool_retention()": smart_tool_retention(),
        "... and repeated commands": compose(smart_tool_retention(), projection("duplicate_calls")),
        "Pruner, preset auto": by_pruner(Settings()),
    }
    print(f"{'':28}{'requests':>10}{'tokens sent':>14}{'largest':>10}")
    runs = {name: loop(project) for name, project in ways.items()}
    for name, run in runs.items():
        print(f"{name:28}{run.requests:>10}{run.tokens:>14,}{run.largest:>10,}")
    print("\nWhat was done:")
    print(generate_changelog(runs["no pruning"].messages), end="")


if __name__ == "__main__":
    main()

"""Numbers of thousands of digits, which Python refuses to read, keep nothing from being pruned."""

import json

import pytest

from prunus import prune
from prunus.text.numbers import as_number

MANY = "1" * 5_000
COMMANDS = (
    "sed -n 'Np' a.py",
    "sed -n '1,Np' a.py",
    "sed -i 'Nd' a.py",
    "nl a.py | sed Nq",
    "head -n N a.py",
    "head -N a.py",
    "tail -n +N a.py",
    "awk 'NR>=N && NR<=N' a.py".replace("NR", "\0R"),
    "Get-Content a.py -TotalCount N",
)
RESULTS = (
    "@@ -N,3 +N,3 @@\n a\n-b\n+c",
    "N\tline\nN\tline",
    "     N→x",
    "[File: a.py (N lines total)]\nN:x",
    "a.py:N:1: error",
    "Process exited with code N",
    "Exit code: N",
)
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ -N,2 +1,2 @@\n-a\n+b\n*** End Patch"
CALLS = (
    ("Bash", {"command": "git diff"}),
    ("Read", {"file_path": "/a.py", "offset": "N", "limit": "N"}),
    ("str_replace_editor", {"command": "view", "path": "/a.py", "view_range": ["N", "N"]}),
    ("apply_patch", {"input": PATCH}),
    ("exec_command", {"cmd": "ls"}),
)


def asked(tool: str, given: dict[str, object], answer: str) -> str | None:
    """What is wrong with pruning a request with one call."""
    call = {"type": "tool_use", "id": "t", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": "t", "content": answer}
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    body = json.dumps({"model": "claude-sonnet-4-5", "messages": messages})
    return prune(body.replace("N", MANY).replace("\\u0000", "N")).error


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_with_a_number_of_thousands_of_digits_is_pruned(command: str) -> None:
    assert asked("Bash", {"command": command}, "one\ntwo\n") is None


@pytest.mark.parametrize("answer", RESULTS)
@pytest.mark.parametrize(("tool", "given"), CALLS)
def test_a_result_with_a_number_of_thousands_of_digits_is_pruned(
    tool: str, given: dict[str, object], answer: str
) -> None:
    assert asked(tool, given, answer) is None


def test_a_number_beyond_all_counting_is_still_a_number() -> None:
    assert as_number("42") == 42
    assert as_number("-42") == -42
    assert as_number(MANY) > 10**17
    assert as_number(f"-{MANY}") < -(10**17)

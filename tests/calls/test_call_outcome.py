"""How a call ended."""

from __future__ import annotations

import pytest

from prunus.calls.meaning import Meaning
from prunus.calls.results import CallOutcome, outcome
from prunus.calls.touches import FULL, Touch

SHELL = Meaning("shell", "x", (), "x")
READ = Meaning("read", "a.py", (Touch("a.py", "read", FULL),))
SHELL_READ = Meaning("read", "a.py", (Touch("a.py", "read", FULL),), "cat a.py")
EDIT = Meaning("edit", "a.py", (Touch("a.py", "edit"),))
WRITE = Meaning("write", "a.py", (Touch("a.py", "write"),))
GREP = Meaning("search", "grep::x:")
FETCH = Meaning("fetch", "https://x.test")
TODO = Meaning("todo", "todo:write")
CODEX = "Chunk ID: 7a\nWall time: 0.1 seconds\nProcess exited with code {}\nOriginal token count: 3\nOutput:\nhi\n"
QWEN = (
    "Command: x\nDirectory: (root)\nOutput: hi\nError: (none)\nExit Code: {}\nSignal: (none)\nProcess Group PGID: 7"
)
GEMINI = "<untrusted_context>\nOutput: (empty)\nExit Code: {}\nProcess Group PGID: 5300\n</untrusted_context>"


@pytest.mark.parametrize(
    "text",
    [
        CODEX,
        "Command: /bin/bash -lc 'x\ny'\n" + CODEX,
        "Exit code: {}\nWall time: 1.2 seconds\nOutput:\nhi",
        '{{\n  "returncode": {},\n  "output": ""\n}}',
        "<returncode>{}</returncode>\n<output>\nhi\n</output>",
        '{{"output":"hi","metadata":{{"exit_code":{},"duration_seconds":0.1}}}}',
        QWEN,
        GEMINI,
        "(no output)\n\nCommand exited with code {}",
        "hi\n<exited with exit code {}>",
    ],
)
def test_an_exit_code_in_the_wrapper_decides(text: str) -> None:
    assert outcome(SHELL, "shell", text.format(0), None) == "ok"
    assert outcome(SHELL, "shell", text.format(3), None) == "error"
    assert outcome(SHELL, "shell", text.format(3), False) == "error"


CASES: list[tuple[Meaning, str, bool | None, CallOutcome]] = [
    (SHELL, "Exit code 3", True, "error"),
    (SHELL, "total 0", False, "ok"),
    (SHELL, "(no output)", None, "unknown"),
    (SHELL, "the log says: Exit Code: 3\nand goes on", None, "unknown"),
    (SHELL, "Process running with session ID 5", None, "unknown"),
    (SHELL, "Wall time: 3 seconds\naborted by user", None, "error"),
    (SHELL, "<tool_use_error>Sibling tool call errored</tool_use_error>", None, "error"),
    (READ, "1\tx = 1", None, "ok"),
    (READ, "Error handling\n==============\n\nA guide to errors.", None, "ok"),
    (READ, "File not found: /w/a.py", None, "error"),
    (READ, "ENOENT: no such file or directory, access '/w/a.py'", None, "error"),
    (READ, "File does not exist. Note: your current working directory is /w.", None, "error"),
    (READ, "File not found: " + "x\n" * 900, None, "ok"),
    (READ, "File not found: /w/a.py", False, "ok"),
    (READ, "", None, "unknown"),
    (READ, "The user doesn't want to proceed with this tool use.", None, "error"),
    (SHELL_READ, "x = 1\n", None, "ok"),
    (SHELL_READ, "cat: a.py: No such file or directory\n", None, "error"),
    (SHELL_READ, "(no output)", None, "unknown"),
    (
        SHELL_READ,
        "Chunk ID: 7a\nWall time: 1 seconds\nProcess running with session ID 5\nOriginal token count: 0\nOutput:\n",
        None,
        "unknown",
    ),
    (EDIT, "The file /w/a.py has been updated successfully.", None, "ok"),
    (EDIT, "File edited successfully", None, "ok"),
    (EDIT, "Edit applied successfully.", None, "ok"),
    (EDIT, "Success. Updated the following files:\nM a.py", None, "ok"),
    (EDIT, "apply_patch verification failed: Failed to find expected lines in a.py:\nx", None, "error"),
    (EDIT, "Could not find oldString in the file. It must match exactly.", None, "error"),
    (EDIT, "String to replace not found in file.", None, "error"),
    (EDIT, "something new", None, "unknown"),
    (WRITE, "File created successfully at: /w/a.py", None, "ok"),
    (WRITE, "Wrote file successfully.", None, "ok"),
    (WRITE, "Error: EACCES", None, "error"),
    (GREP, "a.py:3: raise Error", None, "ok"),
    (GREP, "Path not found: /w/x", None, "error"),
    (FETCH, "# Page\n\nError: 404 means not found.", None, "ok"),
    (FETCH, "Request failed with status code 404", None, "error"),
    (TODO, "Todos have been modified successfully.", None, "ok"),
    (Meaning("other"), "done", None, "unknown"),
    (Meaning("other"), "No such tool available: x", None, "error"),
    (Meaning("other"), "done", False, "ok"),
]


@pytest.mark.parametrize(("meaning", "text", "flag", "expected"), CASES)
def test_the_outcome_of_a_call_follows_from_its_result(
    meaning: Meaning, text: str, flag: bool | None, expected: CallOutcome
) -> None:
    assert outcome(meaning, "tool", text, flag) == expected

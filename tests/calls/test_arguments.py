"""The changes that writing and editing calls make, read from their arguments."""

from typing import Any

import pytest

from prunus.calls.arguments import changes_of, edited_path
from prunus.calls.changes import Hunk, Insert, Lines, Patched, Replace, Unclear, Undo, Write
from prunus.calls.meaning import Tool
from prunus.calls.toolbox import Toolbox

BLOCKS = "<<<<<<< SEARCH\nold line\n=======\nnew line\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-old\n+new\n*** End Patch"
PATCHED = (Patched("Update", "a.py", hunks=(Hunk(("old",), ("new",), ("def f():",)),)),)
SPELLINGS: list[tuple[str, Any, tuple[object, ...]]] = [
    ("Write", {"file_path": "a.py", "content": "x\n"}, (Write("x\n"),)),
    ("write_to_file", {"TargetFile": "a.py", "CodeContent": "x\n"}, (Write("x\n"),)),
    ("create", {"filename": "a.py"}, (Write(None),)),
    ("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, (Replace("a", "b"),)),
    (
        "Edit",
        {"file_path": "a.py", "old_string": "a", "new_string": "b", "replace_all": True},
        (Replace("a", "b", True),),
    ),
    (
        "replace",
        {"file_path": "a.py", "old_string": "a", "new_string": "b", "expected_replacements": 3},
        (Replace("a", "b", True),),
    ),
    (
        "replace_file_content",
        {"TargetFile": "a.py", "TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": True},
        (Replace("a", "b", True),),
    ),
    (
        "multi_replace_file_content",
        {"TargetFile": "a.py", "ReplacementChunks": [{"TargetContent": "a", "ReplacementContent": "b"}]},
        (Replace("a", "b"),),
    ),
    (
        "MultiEdit",
        {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}, "odd"]},
        (Replace("a", "b"), Unclear()),
    ),
    ("StrReplaceFile", {"path": "a.py", "edit": {"old": "a", "new": "b"}}, (Replace("a", "b"),)),
    ("apply_diff", {"path": "a.py", "diff": BLOCKS}, (Replace("old line\n", "new line\n"),)),
    ("replace_in_file", {"path": "a.py", "diff": BLOCKS * 2}, (Replace("old line\n", "new line\n"),) * 2),
    ("apply_patch", {"input": PATCH}, PATCHED),
    ("apply_patch", PATCH, PATCHED),
    ("shell", {"command": ["apply_patch", PATCH]}, PATCHED),
    ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}, PATCHED),
    ("exec", {"input": f"await tools.apply_patch({PATCH!r})".replace("'", '"')}, PATCHED),
    (
        "str_replace_editor",
        {"command": "insert", "path": "a.py", "insert_line": 3, "new_str": "x"},
        (Insert(3, "x"),),
    ),
    ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "a"}, (Replace("a", ""),)),
    ("str_replace_editor", {"command": "undo_edit", "path": "a.py"}, (Undo(),)),
    ("edit", {"start_line": 2, "end_line": 4, "replacement_text": "x"}, (Lines(2, 4, "x"),)),
    ("action", {"command": "edit 2:4\nx\nend_of_edit"}, (Lines(2, 4, "x"),)),
    ("action", {"command": "insert 2\nx\nend_of_insert"}, (Insert(2, "x"),)),
    ("edit_file", {"target_file": "a.py", "code_edit": "# ..."}, (Unclear("# ..."),)),
    ("Read", {"file_path": "a.py"}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "given", "expected"), SPELLINGS, ids=lambda value: str(value)[:40])
def test_each_spelling_of_a_change_is_understood(tool: str, given: Any, expected: tuple[object, ...]) -> None:
    assert changes_of(given, Toolbox().meaning(tool, given)) == expected


def test_a_row_of_the_user_names_unusual_arguments() -> None:
    row = Tool("swap", "edit", path="where", old="before", new="after", edits="all")
    given = {"where": "a.py", "all": [{"before": "a", "after": "b", "old": "no"}]}
    assert changes_of(given, Toolbox((row,)).meaning("swap", given)) == (Replace("a", "b"),)


def test_a_tool_that_nobody_knows_edits_the_file_that_it_names() -> None:
    assert edited_path({"path": "a.py", "old": "a", "new": "b"}) == "a.py"
    assert edited_path({"path": "a.py", "repo": "r", "old": "a", "new": "b"}) == ""
    assert edited_path({"path": "a.py", "new": "b"}) == ""

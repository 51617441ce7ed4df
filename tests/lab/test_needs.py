from typing import Any

import pytest

from prunus.calls.toolbox import Toolbox
from prunus.history import Call
from prunus.lab.retention import files, identifiers, lines


def needed(given: Any, tool: str = "Edit") -> set[str]:
    return set(lines(Call("a", tool, given), Toolbox()))


@pytest.mark.parametrize("key", ["old_string", "oldString", "oldText", "old_str"])
def test_an_edit_needs_the_lines_it_replaces(key: str) -> None:
    given = {"path": "a.py", key: "    return first_value\n", "new_string": "    return second_value\n"}
    assert needed(given) == {"return first_value"}


def test_a_list_of_edits_needs_the_lines_of_each() -> None:
    edits = [{"oldText": "first line here"}, {"oldText": "second line here", "newText": "third line here"}]
    assert needed({"path": "a.py", "edits": edits}) == {"first line here", "second line here"}


def test_short_lines_do_not_count() -> None:
    assert needed({"old_string": "  12345678901  \n}"}) == set()
    assert needed({"old_string": "  123456789012  \n}"}) == {"123456789012"}


PATCH = """*** Begin Patch
*** Update File: a.py
@@ class Pantry(Shelf):
 unchanged context line
-removed line of code
+added line of code
*** Add File: b.py
+another added line
 not a context line
*** End Patch
"""


@pytest.mark.parametrize("given", [PATCH, {"input": PATCH}, {"command": ["apply_patch", PATCH]}])
def test_a_patch_needs_its_removed_and_context_lines(given: Any) -> None:
    assert needed(given, "apply_patch") == {
        "class Pantry(Shelf):",
        "unchanged context line",
        "removed line of code",
    }


DIFF = """git apply <<'EOF'
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 unchanged context line
-removed line of code
+added line of code
EOF
 not a context line
"""


def test_a_unified_diff_needs_its_removed_and_context_lines() -> None:
    assert needed({"command": DIFF}, "Bash") == {"unchanged context line", "removed line of code"}


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/    return first_value/    return second_value/' a.py",
        "python3 -c \"s = open('a.py').read(); open('a.py', 'w').write(s.replace('return first_value', 'x'))\"",
    ],
)
def test_a_shell_edit_needs_the_text_it_looks_for(command: str) -> None:
    assert needed({"command": command}, "Bash") == {"return first_value"}


@pytest.mark.parametrize("text", [PATCH, DIFF])
def test_a_patch_that_is_only_written_to_a_file_needs_nothing(text: str) -> None:
    assert needed({"file_path": "fix.patch", "content": text}, "Write") == set()


def test_identifiers_have_eight_characters() -> None:
    assert identifiers("seven77 eight888 _private 9starts_with_digit x.long_name()") == {
        "eight888",
        "_private",
        "starts_with_digit",
        "long_name",
    }


@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        ("Read", {"file_path": "/srv/app/src/door.py"}, {"src/door.py"}),
        ("Edit", {"file_path": "door.py", "old_string": "a", "new_string": "b"}, {"door.py"}),
        ("read", {"filePath": "C:\\work\\app\\door.py"}, {"app/door.py"}),
        ("exec_command", {"cmd": "sed -n '1,80p' ./src/door.py"}, {"src/door.py"}),
        ("LS", {"path": "/srv/app/src"}, {"app/src"}),
        ("Grep", {"pattern": "open", "path": "/srv/app/src"}, {"app/src"}),
        ("Bash", {"command": "ls"}, set()),
        ("WebFetch", {"url": "https://example.com/a/b"}, set()),
    ],
)
def test_a_call_names_the_files_it_reads_changes_or_lists(
    tool: str, given: dict[str, str], named: set[str]
) -> None:
    assert files(Call("a", tool, given), Toolbox()) == named

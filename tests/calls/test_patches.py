"""Files that patches name."""

from __future__ import annotations

from prunus.calls.changes import patched_files, touches_of
from prunus.calls.touches import Touch


def test_each_file_of_a_patch_is_touched_in_its_own_way() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+x = 1\n*** Update File: ./src/old.py\n@@\n-a\n+b\n"
        "*** Delete File: gone.py\n*** End Patch"
    )
    assert touches_of(patched_files(patch)) == (
        Touch("new.py", "write"),
        Touch("src/old.py", "edit"),
        Touch("gone.py", "change"),
    )


def test_a_moved_file_changes_under_both_names() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-1\n+2\n*** End Patch"
    assert touches_of(patched_files(patch)) == (Touch("a.py", "change"), Touch("b.py", "change"))


def test_a_unified_diff_names_its_files() -> None:
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n"
    assert touches_of(patched_files(diff)) == (Touch("x.py", "edit"), Touch("n.py", "write"))


def test_a_deleted_file_in_a_diff_is_a_change() -> None:
    assert touches_of(patched_files("--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")) == (Touch("x.py", "change"),)


def test_a_patch_is_seen_from_its_folder() -> None:
    assert touches_of(patched_files("*** Update File: a.py"), "/w")[0].path == "/w/a.py"


def test_other_text_names_no_file() -> None:
    assert touches_of(patched_files("nothing to see\n*** here")) == ()

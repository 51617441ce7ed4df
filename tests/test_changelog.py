"""What a session did to each file, and why."""

import json
from typing import Any

import pytest

from prunus.changelog import Changelog, as_json, as_markdown, generate_changelog
from prunus.clients.sessions import Session
from prunus.errors import FormatError
from prunus.providers import encode, read

Step = tuple[str, str, Any, str]
"""What the assistant says, the tool, its arguments, the answer."""

OK = "The file has been updated."


def chat(*steps: Step) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please see to it."}]
    for n, (text, tool, given, answer) in enumerate(steps):
        function = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": text or None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": answer})
    return messages


def edit(old: str, new: str, path: str = "a.py", intent: str = "", text: str = "", answer: str = OK) -> Step:
    given = {"file_path": path, "old_string": old, "new_string": new, **({"intent": intent} if intent else {})}
    return text, "Edit", given, answer


def write(content: str, path: str = "a.py", intent: str = "", answer: str = OK) -> Step:
    return "", "Write", {"file_path": path, "content": content, **({"intent": intent} if intent else {})}, answer


def bash(command: str, answer: str = "", text: str = "") -> Step:
    return text, "bash", {"command": command}, answer


def patch(text: str, answer: str = "Success. Updated the following files:") -> Step:
    return "", "apply_patch", {"input": text}, answer


def rows(log: Changelog) -> list[tuple[str, str, int, int]]:
    return [(file.path, line.purpose, line.added, line.removed) for file in log.files for line in file.lines]


def of(*steps: Step, since: int = 0) -> list[tuple[str, str, int, int]]:
    return rows(generate_changelog(chat(*steps), since))


def test_the_intent_of_the_call_is_the_purpose() -> None:
    log = generate_changelog(chat(edit("a\nb", "a\nc\nd", intent="Raise the limit", text="Now I raise it.")))
    assert rows(log) == [("a.py", "Raise the limit", 2, 1)]
    assert log.files[0].lines[0].origin == "given"


def test_without_intent_the_sentence_before_stands_in_and_is_marked() -> None:
    log = generate_changelog(chat(edit("one", "two", text="I found it. The limit is too low for slow hosts:")))
    assert rows(log) == [("a.py", "The limit is too low for slow hosts", 1, 1)]
    assert log.files[0].lines[0].origin == "inferred"
    assert "[inferred]" in as_markdown(log)


def test_a_sentence_reaches_over_a_look_at_the_file_but_not_far() -> None:
    look = ("", "Read", {"file_path": "b.py"}, "text")
    said = ("Next the retries go.", "Read", {"file_path": "a.py"}, "text")
    assert of(said, look, edit("one", "two"))[0][1] == "Next the retries go."
    assert of(said, *[look] * 4, edit("one", "two"))[0][1] == "Edited"


def test_a_message_of_the_user_ends_the_inferred_purpose() -> None:
    messages = chat(("The retries go.", "Read", {"file_path": "b.py"}, "text"), edit("one", "two"))
    messages.insert(3, {"role": "user", "content": "And now something else."})
    assert rows(generate_changelog(messages)) == [("a.py", "Edited", 1, 1)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## Plan\n\n- **Fix** the parser first.\n\n```py\nx = 1\n```\n", "Fix the parser first."),
        ("THOUGHT: The loop never ends, so I add a break.", "The loop never ends, so I add a break."),
        ("The cache is never cleared. Fixing now.", "The cache is never cleared. Fixing now."),
        ("...", "Edited"),
        ("word " * 60, ("word " * 60)[:159].rstrip() + "…"),
    ],
)
def test_the_sentence_is_the_last_one_without_markdown(text: str, said: str) -> None:
    assert of(edit("one", "two", text=text))[0][1] == said


def test_edits_for_one_purpose_are_one_line() -> None:
    log = generate_changelog(
        chat(
            edit("alpha", "beta", intent="Rename it"),
            edit("gamma", "delta", intent="Rename it"),
            edit("eps", "zeta\neta", intent="Split it"),
            edit("x", "y", path="b.py", intent="Rename it"),
        )
    )
    assert rows(log) == [("a.py", "Rename it", 2, 2), ("a.py", "Split it", 2, 1), ("b.py", "Rename it", 1, 1)]
    first = log.files[0].lines[0]
    assert (first.edits, first.first, first.last) == (2, 1, 2)
    assert (log.files[0].added, log.files[0].removed) == (4, 3)


def test_failed_edits_are_left_out_and_counted() -> None:
    failed = edit("nope", "new", answer="Error: old_string not found")
    log = generate_changelog(chat(failed, edit("one", "two")))
    assert rows(log) == [("a.py", "Edited", 1, 1)]
    assert log.failed == 1


def test_an_unanswered_edit_is_left_out() -> None:
    assert rows(generate_changelog(chat(edit("one", "two"))[:2])) == []


def test_an_edit_that_is_edited_back_is_left_out() -> None:
    log = generate_changelog(chat(edit("timeout = 3", "timeout = 9"), edit("timeout = 9", "timeout = 3")))
    assert log.files == ()
    assert log.reverted == 2


def test_a_reverting_edit_may_include_more_context_lines() -> None:
    assert of(edit("timeout = 3", "timeout = 9"), edit("a\ntimeout = 9\nb", "a\ntimeout = 3\nb")) == []


def test_edits_that_lead_back_over_several_steps_are_left_out() -> None:
    steps = [edit("first", "second"), edit("other", "another"), edit("second", "third"), edit("third", "first")]
    assert of(*steps) == [("a.py", "Edited", 1, 1)]


def test_removing_a_blank_line_elsewhere_takes_nothing_back() -> None:
    assert len(of(edit("a", "a\n"), edit("x = 1", "x = 1\n\n", intent="Space"), edit("y\n\n", "y\n"))) > 0
    assert ("a.py", "Space", 1, 0) in of(edit("x = 1", "x = 1\n\n", intent="Space"), edit("y\n\n", "y\n"))


def test_an_edit_back_in_another_file_takes_nothing_back() -> None:
    assert len(of(edit("timeout = 3", "timeout = 9"), edit("timeout = 9", "timeout = 3", path="b.py"))) == 2


def test_a_write_that_restores_the_text_before_takes_back_what_was_between() -> None:
    steps = [write("one\ntwo\n", intent="Start"), edit("two", "three"), write("one\ntwo\n")]
    assert of(*steps) == [("a.py", "Start", 2, 0)]


@pytest.mark.parametrize(
    "command",
    [
        "git checkout a.py", "git checkout -- a.py", "git restore a.py", "git checkout .",
        "git restore -- src a.py", "git checkout HEAD -- a.py", "git reset --hard",
        "git reset --hard HEAD", "git stash", "cd /srv && git -C /srv checkout -- a.py",
    ],
)  # fmt: skip
def test_git_takes_edits_back(command: str) -> None:
    log = generate_changelog(chat(edit("one", "two"), bash(command)))
    assert log.files == ()
    assert log.reverted == 1


@pytest.mark.parametrize(
    "commands",
    [
        ("git checkout b.py",), ("git restore --staged a.py",), ("git checkout -b feature",),
        ("git checkout main",), ("git status",), ("git diff a.py",),
        ("git add a.py", "git checkout a.py"), ("git commit -am x", "git reset --hard"),
        ("git stash", "git stash pop"),
    ],
)  # fmt: skip
def test_git_leaves_edits_where_they_are(commands: tuple[str, ...]) -> None:
    assert of(edit("one", "two"), *map(bash, commands)) == [("a.py", "Edited", 1, 1)]


def test_a_new_file_outlives_a_checkout_of_everything() -> None:
    assert of(write("one\n"), bash("git checkout .")) == [("a.py", "Created", 1, 0)]


def test_a_git_command_that_failed_takes_nothing_back() -> None:
    answer = "error: pathspec 'a.py' did not match any file(s) known to git\n\nCommand exited with code 1"
    assert of(edit("one", "two"), bash("git checkout a.py", answer)) == [("a.py", "Edited", 1, 1)]


def test_a_file_that_is_made_and_removed_is_left_out() -> None:
    assert of(write("scratch\n"), bash("rm a.py")) == []
    assert of(write("scratch\n", path="tmp/a.py"), bash("rm -rf tmp/")) == []
    assert of(bash("rm old.py")) == [("old.py", "Deleted", 0, 0)]


def test_the_undo_of_an_editor_takes_the_last_edit_back() -> None:
    tool = "str_replace_editor"
    change = ("", tool, {"command": "str_replace", "path": "a.py", "old_str": "one", "new_str": "two"}, "Edited it")
    undo = ("", tool, {"command": "undo_edit", "path": "a.py"}, "Last edit undone successfully")
    assert of(change, undo) == []


def test_a_write_over_a_known_text_counts_the_difference() -> None:
    assert of(write("one\ntwo\n"), write("one\nthree\nfour\n", intent="More")) == [
        ("a.py", "Created", 2, 0),
        ("a.py", "More", 2, 1),
    ]


def test_a_write_over_an_unknown_text_says_that_its_count_is_not_exact() -> None:
    seen = ("", "Read", {"file_path": "a.py"}, "     1→old words")
    log = generate_changelog(chat(seen, write("new\n")))
    assert rows(log) == [("a.py", "Rewritten", 1, 0)]
    assert not log.files[0].exact
    assert "and more" in as_markdown(log)


def test_replacing_everywhere_counts_each_place() -> None:
    everywhere = {"file_path": "a.py", "old_string": "x", "new_string": "y", "replace_all": True}
    assert of(write("x\nx\nx\n", intent="Start"), ("", "Edit", everywhere, OK))[1][2:] == (3, 3)


@pytest.mark.parametrize(
    ("step", "counted"),
    [
        (("", "MultiEdit", {"file_path": "a.py", "edits": [
            {"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d\ne"}]}, OK), (3, 2)),
        (("", "edit", {"filePath": "a.py", "oldString": "a", "newString": "b"}, "Edit applied"), (1, 1)),
        (("", "edit", {"path": "a.py", "oldText": "a", "newText": "b"}, "Edited a.py"), (1, 1)),
        (("", "replace", {"file_path": "a.py", "old_string": "a", "new_string": ""}, "Successfully done"), (0, 1)),
        (("", "str_replace_editor", {"command": "insert", "path": "a.py", "insert_line": 3, "new_str": "x\ny"},
          "The file a.py has been edited."), (2, 0)),
        (("", "str_replace_based_edit_tool", {"command": "create", "path": "a.py", "file_text": "x"}, OK), (1, 0)),
        (("", "replace_in_file", {"path": "a.py", "diff":
          "<<<<<<< SEARCH\none\ntwo\n=======\none\n>>>>>>> REPLACE\n"}, "Updated a.py"), (0, 1)),
        (("", "my_own_editor", {"path": "a.py", "old_str": "a", "new_str": "b"}, "fine"), (1, 1)),
        (patch("*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+three\n+four\n*** End Patch"), (2, 1)),
        (patch("*** Begin Patch\n*** Add File: a.py\n+one\n+two\n*** End Patch"), (2, 0)),
        (("", "patch", {"patchText": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n--- 2\n+++ 3\n"}, "Done"),
         (1, 1)),
        (bash("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\nEOF"),
         (1, 1)),
        (bash("cat > a.py <<'EOF'\none\ntwo\nEOF"), (2, 0)),
        (bash("cat >> a.py <<'EOF'\none\nEOF"), (1, 0)),
        (bash("echo hello > a.py"), (1, 0)),
        (bash("tee a.py <<'EOF'\none\nEOF"), (1, 0)),
    ],
)  # fmt: skip
def test_edits_of_all_agents_are_counted(step: Step, counted: tuple[int, int]) -> None:
    log = generate_changelog(chat(step))
    assert [(file.path, (file.added, file.removed), file.exact) for file in log.files] == [("a.py", counted, True)]


def test_freeform_patches_of_the_responses_api_are_read() -> None:
    text = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b.py\n*** End Patch"
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": text},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "Exit code: 0\nSuccess."},
    ]
    assert rows(generate_changelog({"model": "gpt-5", "input": items})) == [
        ("a.py", "Edited", 1, 1),
        ("b.py", "Deleted", 0, 0),
    ]


def test_a_shell_edit_has_a_line_without_a_count() -> None:
    log = generate_changelog(chat(bash("sed -i 's/a/b/' a.py && make")))
    assert rows(log) == [("a.py", "Changed by a shell command", 0, 0)]
    assert "lines unknown" in as_markdown(log)


def test_a_shell_edit_counts_even_if_a_later_command_fails() -> None:
    failed = "2 failed\n\nCommand exited with code 1"
    assert len(of(bash("sed -i 's/a/b/' a.py && pytest", failed))) == 1
    assert (
        of(bash("sed -i 's/a/b/' a.py", "sed: can't read a.py: No such file\n\nCommand exited with code 2")) == []
    )


@pytest.mark.parametrize(
    "command", ["make > build.log 2>&1", "ls > /dev/null", "cat a.py", "curl -o page.html x.org"]
)
def test_output_of_programs_is_no_edit(command: str) -> None:
    assert of(bash(command)) == []


def test_files_of_one_name_in_two_folders_are_two_files() -> None:
    command = "cd one && echo x > a.txt; cd ../two && echo y > a.txt"
    assert [row[0] for row in of(bash(command, "<returncode>0</returncode>"))] == ["one/a.txt", "two/a.txt"]


def test_a_copied_file_has_one_line() -> None:
    assert [row[0] for row in of(bash("cp a.py lib", "<returncode>0</returncode>"))] == ["lib/a.py"]


def test_powershell_writes_and_removes_files() -> None:
    done = "<returncode>0</returncode>"
    made = bash("@'\none\ntwo\n'@ | Set-Content a.ts", done)
    assert of(made) == [("a.ts", "Created", 2, 0)]
    assert of(made, bash("Remove-Item a.ts", done)) == []
    assert of(edit("one", "two"), bash("Get-Date; git checkout -- a.py", done)) == []


def test_a_renamed_file_takes_its_edits_along() -> None:
    assert [row[:2] for row in of(edit("one", "two", intent="Fix"), bash("git mv a.py b.py"))] == [
        ("b.py", "Fix"),
        ("b.py", "Renamed from a.py"),
    ]
    assert of(bash("mv a.py b.py"), bash("mv b.py a.py")) == []


def test_since_counts_from_a_turn_on() -> None:
    steps = [edit("one", "two", intent="First"), edit("three", "four", intent="Second")]
    assert [row[1] for row in of(*steps, since=2)] == ["Second"]


def test_reverting_a_change_from_before_since_is_listed() -> None:
    steps = [edit("first", "second"), edit("second", "first", intent="Back again")]
    assert of(*steps, since=2) == [("a.py", "Back again", 1, 1)]
    [row] = of(edit("first", "second"), bash("git checkout a.py"), since=2)
    assert row[1] == "Restored from git"


def test_paths_are_seen_from_the_folder_the_agent_works_in() -> None:
    messages = chat(edit("one", "two", path="/srv/app/a.py"), edit("three", "four", path="a.py"))
    messages[0]["content"] = "Working directory: /srv/app\nPlease see to it."
    assert rows(generate_changelog(messages)) == [("a.py", "Edited", 2, 2)]


def test_bodies_bytes_histories_and_sessions_give_the_same() -> None:
    messages = chat(edit("one", "two", intent="Fix"))
    session = Session("talk", "test", "openai_chat", "", tuple(messages), (1,), (None,))
    expected = generate_changelog(messages)
    assert expected.files
    for given in ({"messages": messages}, tuple(messages), encode(messages), json.dumps(messages),
                  read(encode(messages)), session):  # fmt: skip
        assert generate_changelog(given) == expected


def test_several_sessions_are_one_and_repeated_calls_count_once() -> None:
    first, both = chat(edit("one", "two")), chat(edit("one", "two"), edit("three", "four"))
    sessions = [Session("talk", "test", "openai_chat", "", tuple(m), (1,), (None,)) for m in (first, both)]
    log = generate_changelog(sessions)
    assert rows(log) == [("a.py", "Edited", 2, 2)]
    assert (log.files[0].lines[0].first, log.files[0].lines[0].last) == (1, 3)


def test_anthropic_messages_are_read() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": edit("one", "two")[2]}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "text", "text": "The limit goes up."}, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": OK}]},
    ]
    assert rows(generate_changelog(messages)) == [("a.py", "The limit goes up.", 1, 1)]


def test_a_changelog_of_no_history_is_an_error() -> None:
    with pytest.raises(FormatError):
        generate_changelog(7)
    with pytest.raises(FormatError):
        generate_changelog({"nothing": 1})


def test_the_text_of_a_changelog_is_a_list_of_files() -> None:
    log = generate_changelog(
        chat(edit("a", "b", intent="Fix"), edit("c", "d", path="b.py", intent="One"), edit("e", "f", "b.py", "Two"))
    )
    assert str(log) == (
        "- a.py: Fix (+1 -1, turn 1)\n"
        "- b.py (+2 -2)\n"
        "  - One (+1 -1, turn 2)\n"
        "  - Two (+1 -1, turn 3)\n"
    )  # fmt: skip
    assert str(generate_changelog(chat())) == "No file was changed.\n"


def test_plain_data_holds_everything() -> None:
    log = generate_changelog(chat(edit("a", "b", intent="Fix"), edit("x", "y", answer="Error: not found")))
    assert as_json(log) == {
        "files": [
            {
                "path": "a.py", "added": 1, "removed": 1, "exact": True,
                "changes": [{"purpose": "Fix", "origin": "given", "added": 1, "removed": 1, "exact": True,
                             "edits": 1, "turns": [1, 1]}],
            }
        ],
        "failed": 1,
        "reverted": 0,
    }  # fmt: skip


def test_an_empty_file_has_no_lines() -> None:
    assert of(bash("cat > data/.gitkeep <<'EOF'\nEOF")) == [("data/.gitkeep", "Created", 0, 0)]

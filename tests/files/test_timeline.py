from hashlib import blake2b

import pytest

from prunus.history import Ref, short_id
from tests.files.talk import bash, codex, edit, history, patch, read, write

A = "/w/a.py"
ABC = read(A, "a", "b", "c")


def test_a_full_read_shows_the_whole_file() -> None:
    state = history(ABC).file_state_at(A)
    assert state.lines == ("a", "b", "c")
    assert state.whole and state.text == "a\nb\nc\n"


def test_a_ranged_read_leaves_the_rest_unknown() -> None:
    state = history(read(A, "x", "y", start=4)).file_state_at(A)
    assert state.lines == (None, None, None, "x", "y")
    assert state.length is None and not state.whole


def test_an_empty_last_line_of_a_ranged_read_is_not_claimed() -> None:
    assert history(read(A, "x", "", start=4)).file_state_at(A).lines[-1] == "x"


def test_ranged_reads_add_up() -> None:
    state = history(read(A, "c", start=3), read(A, "a", "b", limit=2)).file_state_at(A)
    assert state.lines == ("a", "b", "c")


def test_a_very_long_line_contradicts_a_short_one() -> None:
    assert history(ABC, read(A, "a", "x" * 2500, "c")).file_state_at(A).lines == ("a", None, "c")


def test_an_edit_changes_the_line() -> None:
    assert history(ABC, edit(A, "b", "B\nBB")).file_state_at(A).text == "a\nB\nBB\nc\n"


def test_a_failed_edit_changes_nothing() -> None:
    failed = (
        "Edit",
        {"file_path": A, "old_string": "b", "new_string": "z"},
        "<tool_use_error>no</tool_use_error>",
        True,
    )
    assert history(ABC, failed).file_state_at(A).text == "a\nb\nc\n"


def test_an_edit_that_contradicts_what_is_known_makes_the_file_unknown() -> None:
    assert history(ABC, edit(A, "nowhere", "z")).file_state_at(A).known == 0


def test_an_edit_of_unknown_lines_keeps_what_stands_before_them() -> None:
    state = history(read(A, "a", "b", limit=2), edit(A, "q", "q\nr")).file_state_at(A)
    assert state.lines == ("a", "b")


def test_an_edit_without_new_lines_among_unknown_ones_keeps_the_others() -> None:
    state = history(read(A, "x", "y", start=4), edit(A, "q", "r")).file_state_at(A)
    assert state.lines == (None, None, None, "x", "y")


def test_an_edit_that_may_have_shifted_known_lines_forgets_them() -> None:
    assert history(read(A, "x", "y", start=4), edit(A, "q", "r\ns")).file_state_at(A).known == 0


def test_overlapping_matches_leave_the_file_unknown() -> None:
    assert history(read(A, "b", "b", "b"), edit(A, "b\nb", "x")).file_state_at(A).known == 0
    assert history(read(A, "b", "b", start=2), edit(A, "b\nb", "x")).file_state_at(A).known == 0


def test_replace_all_changes_every_line() -> None:
    state = history(read(A, "x", "-", "x"), edit(A, "x", "z", replace_all=True)).file_state_at(A)
    assert state.text == "z\n-\nz\n"


def test_removing_a_whole_line_takes_its_line_break_along() -> None:
    assert history(ABC, edit(A, "b", "")).file_state_at(A).text == "a\nc\n"


def test_several_edits_in_one_call_are_made_in_order() -> None:
    edits = [{"oldText": "a", "newText": "A"}, {"oldText": "A\nb", "newText": "AB"}]
    state = history(
        ("read", {"path": A}, "a\nb\nc\n"),
        ("edit", {"path": A, "edits": edits}, "Successfully replaced 2 block(s)"),
    ).file_state_at(A)
    assert state.text == "AB\nc\n"


def test_a_write_is_the_whole_file() -> None:
    assert history(ABC, write(A, "new\n")).file_state_at(A).text == "new\n"


def test_an_insertion_moves_what_follows() -> None:
    step = (
        "str_replace_editor",
        {"command": "insert", "path": A, "insert_line": 1, "new_str": "i"},
        "Done.",
        False,
    )
    assert history(ABC, step).file_state_at(A).text == "a\ni\nb\nc\n"


def test_lines_that_a_tool_shows_after_an_edit_are_known() -> None:
    answer = f"The file {A} has been updated. Here's the result of running `cat -n` on a snippet of {A}:\n"
    answer += "     4→x\n     5→y\n     6→z"
    state = history(("Edit", {"file_path": A, "old_string": "q", "new_string": "y"}, answer)).file_state_at(A)
    assert state.lines == (None, None, None, "x", "y", "z")


def test_qwen_shows_the_edited_lines_with_their_numbers() -> None:
    answer = f"The file: {A} has been updated. Showing lines 1-3 of 3 from the edited file:\n\n---\n\na\nB\n"
    step = ("edit", {"file_path": A, "old_string": "b", "new_string": "B"}, answer)
    assert history(step).file_state_at(A).text == "a\nB\n"


def test_the_result_of_a_gemini_write_shows_the_written_text() -> None:
    wrote = ("write_file", {"file_path": A, "content": "a\nb\n"})
    said = f"Successfully created and wrote to new file: {A}. Here is the updated code:\n"
    assert history((*wrote, said + "a\nb\n")).file_state_at(A).whole
    assert history((*wrote, said + "a\nc\n")).file_state_at(A).known == 0


def test_a_read_that_shows_something_else_is_believed() -> None:
    state = history(ABC, read(A, "B", start=2, limit=1)).file_state_at(A)
    assert state.lines == (None, "B")


@pytest.mark.parametrize(
    "command",
    [
        "python fix.py",
        "./fix.sh",
        "make everything",
        "npm run generate",
        "sed -i 's/a/b/' a.py",
        "echo x >> /w/a.py",
        "git checkout .",
        "git stash",
        "claude -p 'fix it'",
        "cat x | (unclosed",
        "find . -name '*.py' -exec sed -i 's/a/b/' {} +",
        "black .",
        "pre-commit run --all-files",
        "echo $(./fix.sh)",
        "bash -c 'python fix.py'",
    ],
)
def test_a_command_that_may_write_makes_the_file_unknown(command: str) -> None:
    assert history(ABC, bash(command)).file_state_at(A).known == 0


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status && git diff",
        "rg -n foo src | head -20",
        "pytest -q",
        "npm test",
        "npm run -w backend build",
        "cargo check 2>&1 | tail -5",
        "rm -rf dist",
        "go test ./...",
        "gofmt -w .",
        "curl -s localhost:8000 | python3 -m json.tool",
        "sed -i 's/a/b/' other.py",
        "git add a.py && git commit -m done",
    ],
)
def test_a_command_that_leaves_the_file_alone_keeps_it(command: str) -> None:
    output = "[main 1234567] done\n 1 file changed" if "commit" in command else "ok"
    assert history(ABC, bash(command, output)).file_state_at(A).whole


def test_hooks_of_a_commit_make_the_files_unknown() -> None:
    output = "lint-staged: running prettier\n[main 1234567] done"
    assert history(ABC, bash("git add a.py && git commit -m done", output)).file_state_at(A).known == 0
    assert history(ABC, bash("git commit -m done", "[main 1234567] done")).file_state_at(A).whole


def test_a_formatter_does_not_change_files_that_it_formatted_before() -> None:
    again = history(ABC, bash("ruff format ."), ABC, bash("ruff format ."))
    assert again.file_state_at(A, 2).known == 0
    assert again.file_state_at(A).whole
    assert (
        history(ABC, bash("ruff format ."), ABC, edit(A, "b", "B"), bash("ruff format .")).file_state_at(A).known
        == 0
    )


def test_a_script_whose_text_is_known_and_harmless_keeps_the_files() -> None:
    script = codex("cat > check.py <<'EOF'\nprint('hello')\nEOF")
    assert history(ABC, script, codex("python check.py")).file_state_at(A).whole


def test_a_script_that_spells_out_what_it_writes_changes_only_that() -> None:
    script = codex("cat > fix.py <<'EOF'\nopen('a.py', 'w').write('')\nEOF\npython fix.py")
    files = history(ABC, read("/w/b.py", "x"), script)
    assert files.file_state_at(A).known == 0
    assert files.file_state_at("/w/b.py").whole


def test_the_output_of_a_task_runner_shows_whether_files_change() -> None:
    checks = bash("npm run lint", "> app@1.0.0 lint\n> eslint .")
    assert history(ABC, checks).file_state_at(A).whole
    fixes = bash("npm run lint", "> app@1.0.0 lint\n> eslint --fix .")
    assert history(ABC, fixes).file_state_at(A).known == 0


def test_another_agent_makes_everything_unknown_unless_it_only_looks() -> None:
    fixer = ("Task", {"subagent_type": "general-purpose", "prompt": "fix"}, "done")
    looker = ("Task", {"subagent_type": "Explore", "prompt": "look"}, "done")
    assert history(ABC, fixer).file_state_at(A).known == 0
    assert history(ABC, looker).file_state_at(A).whole


def test_a_refused_edit_that_names_a_change_elsewhere_makes_the_file_unknown() -> None:
    answer = (
        "<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>"
    )
    step = ("Edit", {"file_path": A, "old_string": "b", "new_string": "c"}, answer, True)
    assert history(ABC, step).file_state_at(A).known == 0


def test_a_note_about_a_change_elsewhere_makes_the_file_unknown() -> None:
    note = (f"<system-reminder>Note: {A} was modified, either by the user or by a linter.</system-reminder>",)
    assert history(ABC, note).file_state_at(A).known == 0


def test_a_note_about_a_change_elsewhere_may_stand_behind_a_result() -> None:
    note = f"<system-reminder>\nNote: {A} was modified, either by the user or by a linter.\n</system-reminder>"
    assert history(ABC, ("Bash", {"command": "ls"}, f"a.py\n\n{note}\n")).file_state_at(A).known == 0
    assert history(ABC, ("Bash", {"command": "ls"}, f"{note}\nis what it says")).file_state_at(A).whole


def test_a_change_under_another_spelling_of_the_path_counts() -> None:
    assert history(ABC, write("a.py", "x\n")).file_state_at(A).known == 0


@pytest.mark.parametrize(
    "answer", ["[Prunus: read of a.py removed; it was read again.]", "File unchanged since last read"]
)
def test_a_pruned_read_teaches_nothing(answer: str) -> None:
    assert history(("Read", {"file_path": A}, answer)).timeline().state(A).known == 0


def test_a_heredoc_is_a_write() -> None:
    assert history(codex("cat > a.py <<'EOF'\nx = $y\nEOF")).file_state_at("a.py").text == "x = $y\n"


def test_a_heredoc_that_expands_is_not_known() -> None:
    assert history(codex("cat > a.py <<EOF\nx = $y\nEOF")).file_state_at("a.py").known == 0


@pytest.mark.parametrize("script", ["2d", "s/b/bb/g", "1c\\new", "/b/,/c/d", "s/b/x/w log", "1{d}", "y/a/b/"])
def test_a_sed_script_makes_the_file_unknown(script: str) -> None:
    files = history(codex("cat a.py", "a\nb\nc\n"), codex(f"sed -i '{script}' a.py"))
    assert files.file_state_at("a.py").known == 0


def test_a_renamed_file_keeps_its_lines() -> None:
    files = history(codex("cat a.py", "a\nb\n"), codex("mv a.py b.py"))
    assert files.file_state_at("b.py").text == "a\nb\n"
    assert files.file_state_at("a.py").deleted


@pytest.mark.parametrize(
    ("command", "output", "lines"),
    [
        ("cat a.py", "a\nb\n", ("a", "b")),
        ("sed -n '2,3p' a.py", "b\nc\n", (None, "b", "c")),
        ("nl -ba a.py | sed -n '2,3p'", "     2\tb\n     3\tc\n", (None, "b", "c")),
        ("head -n 2 a.py", "a\nb\n", ("a", "b")),
        ("tail -n +3 a.py", "c\nd\n", (None, None, "c", "d")),
        ("cat -n a.py", "     1\ta\n     2\tb\n", ("a", "b")),
        ("echo first; cat a.py", "first\na\n", ("a",)),
        ("echo a; cat a.py", "a\na\n", ()),
        ("cat b.py && echo --- && sed -n '2,3p' a.py", "b\n---\nb\nc\n", (None, "b", "c")),
        ("cat b.py; echo ---; cat a.py", "cat: b.py: No such file or directory\n---\na\n", ()),
        ("cat b.py && cat a.py && echo ---", "b\na\n---\n", ()),
        ("ls && echo --- && cat a.py", "a.py\n---\na\n", ("a",)),
        ("make && echo --- && cat a.py", "cc\n---\na\n", ()),
        ("nl a.py", "     1\ta\n       \n     2\tb\n", ()),
        ("cat -A a.py", "a$\nb$\n", ()),
        ("tail -n 2 a.py", "b\nc\n", ()),
        ("cat a.py b.py", "a\nb\n", ()),
    ],
)
def test_printed_lines_are_known_where_that_is_certain(
    command: str, output: str, lines: tuple[str | None, ...]
) -> None:
    assert history(codex(command, output)).timeline().state("a.py").lines == lines


def test_powershell_prints_and_writes() -> None:
    printed = codex(
        "$i=0; Get-Content a.py | ForEach-Object { $i++; '{0,4}: {1}' -f $i, $_ }", "   1: a\n   2: b\n"
    )
    assert history(printed).file_state_at("a.py").lines == ("a", "b")
    assert history(codex("@'\nx\n'@ | Set-Content a.py")).file_state_at("a.py").text == "x\n"


def test_a_patch_changes_adds_moves_and_deletes() -> None:
    files = history(
        codex("cat a.py", "one\ntwo\nthree\n"),
        patch("*** Update File: a.py", "@@", " one", "-two", "+2", "+2.5", " three"),
        patch("*** Add File: b.py", "+new"),
        patch("*** Update File: a.py", "*** Move to: c.py", "@@", "-one", "+1"),
        patch("*** Delete File: b.py"),
    )
    assert files.file_state_at("a.py", 2).text == "one\n2\n2.5\nthree\n"
    assert files.file_state_at("b.py", 3).text == "new\n"
    assert files.file_state_at("c.py").text == "1\n2\n2.5\nthree\n"
    assert files.file_state_at("a.py").deleted and files.file_state_at("b.py").deleted


def test_a_patch_whose_place_is_not_certain_claims_nothing_there() -> None:
    state = history(
        codex("sed -n '4,6p' a.py", "x\ny\nz\n"), patch("*** Update File: a.py", "@@", "-y", "+Y", "+Z")
    ).file_state_at("a.py")
    assert state.known == 0


def test_swe_agent_windows_are_read() -> None:
    shown = "[File: a.py (5 lines total)]\n(1 more lines above)\n2:b\n3:c\n(2 more lines below)\n"
    shown += "(Open file: /w/a.py)\n(Current directory: /w)\nbash-$"
    state = history(("open", {"path": "a.py"}, shown)).file_state_at(A)
    assert state.lines == (None, "b", "c", None, None) and state.length == 5


def test_a_printed_diff_is_followed() -> None:
    diff = f"--- {A}\n+++ {A}\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n"
    step = ("edit_file", {"path": A, "content": "B", "start": 2, "end": 2}, diff)
    assert history(ABC, step).file_state_at(A).text == "a\nB\nBB\nc\n"


def test_a_timeline_seen_message_by_message_equals_one_seen_at_once() -> None:
    steps = (ABC, edit(A, "b", "x\ny"), bash("pytest"), read(A, "c", start=4, limit=1))
    whole = history(*steps)
    for turn in range(1, 5):
        assert history(*steps[:turn]).file_state_at(A) == whole.file_state_at(A, turn)


def test_text_that_prunus_put_behind_a_read_is_no_line_of_the_file() -> None:
    reminder = "\n\n[Prunus reminder: the context is 80% full.]"
    id = short_id(Ref(2, 0), blake2b(b"a\nb\n", digest_size=16).digest())
    for behind in (reminder, f"\n[id {id}, text 0b1c2d]", f"\n[id {id}]{reminder}"):
        assert history(("read", {"path": A}, f"a\nb\n{behind}")).file_state_at(A).text == "a\nb\n"


def test_an_id_that_prunus_did_not_put_there_is_a_line_of_the_file() -> None:
    shown = "read", {"path": A}, "a\nb\n[id 3fa9c2]"
    assert history(shown).file_state_at(A).text.splitlines() == ["a", "b", "[id 3fa9c2]"]


def test_a_line_number_does_not_decide_how_much_is_held() -> None:
    assert history(read(A, "x", start=999_999_999)).file_state_at(A).lines == ()


def test_lines_that_fit_nearly_everywhere_are_not_followed() -> None:
    held = write(A, "\n" * 9_000)
    assert history(held, edit(A, "\n" * 4_000, "x")).file_state_at(A).known == 0


def test_a_file_longer_than_any_source_is_not_followed() -> None:
    assert history(write(A, "a\n" * 20_001)).file_state_at(A).known == 0
    assert history(write(A, "a\n" * 20_000)).file_state_at(A).known == 20_000

"""When a call asks for something that an edit took away, and when it only looks like that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.calls.toolbox import Toolbox
from prunus.edits import OWN_WORDS, Added, Input, Note, Proposal, Replacement
from prunus.history import Ref
from prunus.reuse.asked_again import TASKS, AskedAgain, Showings, part_kind
from prunus.tally import Tally
from prunus.tokens import Counter
from prunus.view.uses import Use
from prunus.view.view import View
from tests.files.talk import Step, bash, edit, messages, read, write

ROWS = tuple(f"line {n}" for n in range(1, 31))
SPEAKS = ("Go on.",)
GREP: Step = ("Grep", {"pattern": "needle", "path": "src"}, "src/a.py:3:needle")
FETCH: Step = ("WebFetch", {"url": "https://example.com/a", "prompt": "Read."}, "A page.")
OTHER: Step = ("mcp__tracker__issue", {"id": 7}, "An issue.")
A, B = "/src/a.py", "/src/b.py"


def seen(*steps: Step) -> View:
    view = View(Toolbox(), Counter())
    for message in messages(*steps):
        for event in view.extend(message):
            if isinstance(event, Use):
                view.admit(event)
    return view


def asks(
    *steps: Step, cut: tuple[int, ...] = (0,), inputs: tuple[int, ...] = (), **more: Any
) -> list[tuple[int, str]]:
    """What the last call asks for again: the number of the call whose part was cut, and the kind of the part.

    The results of the calls `cut` and the inputs of the calls `inputs` are cut.
    """
    view = seen(*steps)
    edits: dict[Ref, Proposal] = {}
    for number in cut:
        ref = view.uses[number].result
        edits[ref] = Proposal(ref, Note("[cut]"), "some_rule", "old", **more)
    for number in inputs:
        ref = view.uses[number].call
        edits[ref] = Proposal(ref, Input({}), "some_rule", "old", **more)
    found = Showings(view.uses).asks(view.uses[-1:], edits.get, view.loops)
    return [(view.by_ref[ask.target].index, ask.kind) for ask in found]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (read(A, *ROWS), "read"),
        (bash(f"cat {A}", "text"), "read"),
        (bash("git log -3", "a\nb"), "shell"),
        (GREP, "search"),
        (("Glob", {"pattern": "*.py", "path": "src"}, "src/a.py"), "search"),
        (FETCH, "other"),
        (OTHER, "other"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_the_same_call_asks_again(call: Step, kind: str) -> None:
    assert asks(call, read(B, "other"), call) == [(0, kind)]


def test_lines_of_a_file_that_was_cut_as_a_whole_are_asked_for() -> None:
    assert asks(read(A, *ROWS), read(A, *ROWS[4:9], start=5)) == [(0, "read")]


def test_lines_that_were_not_shown_are_not_asked_for_again() -> None:
    assert asks(read(A, *ROWS[:5], limit=5), read(A, *ROWS[4:9], start=5)) == []
    assert asks(read(A, *ROWS[:5], limit=5), read(A, *ROWS)) == []


def test_the_text_that_was_written_is_asked_for_by_a_read() -> None:
    assert asks(write(A, "text\n" * 30), read(A, *ROWS), cut=(), inputs=(0,)) == [(0, "write")]
    assert asks(write(A, "text\n" * 30), read(A, *ROWS), cut=()) == []


def test_a_search_for_fewer_results_is_the_same_search() -> None:
    fewer: Step = ("Grep", {"pattern": "needle", "path": "src", "head_limit": 5}, "src/a.py:3:needle")
    assert asks(GREP, fewer) == [(0, "search")]


@pytest.mark.parametrize("change", [edit(A, "line 3", "row 3"), bash(f"sed -i s/3/4/ {A}")], ids=["edit", "sed"])
def test_a_file_that_was_edited_since_is_read_for_its_new_text(change: Step) -> None:
    assert asks(read(A, *ROWS), change, read(A, *ROWS)) == []
    assert asks(read(B, *ROWS), change, read(B, *ROWS)) == [(0, "read")]


def test_a_failed_edit_changes_nothing() -> None:
    failed = (*edit(A, "line 3", "row 3")[:2], "String to replace not found", True)
    assert asks(read(A, *ROWS), failed, read(A, *ROWS)) == [(0, "read")]


def test_a_command_behind_a_change_may_print_something_else() -> None:
    assert asks(bash("pytest -q", "1 failed"), edit(A, "x", "y"), bash("pytest -q", "ok")) == []
    assert asks(bash("pytest -q", "1 failed"), read(A, *ROWS), bash("pytest -q", "1 failed")) == [(0, "shell")]


def test_a_search_behind_a_change_asks_for_the_same() -> None:
    assert asks(GREP, edit(A, "x", "y"), GREP) == [(0, "search")]


def test_a_command_that_changes_files_is_run_for_its_effect() -> None:
    assert asks(bash("git checkout .", "done"), bash("git checkout .", "done")) == []
    assert asks(bash("echo x > a.txt", ""), bash("echo x > a.txt", "")) == []


def test_a_command_in_another_directory_is_another_one() -> None:
    assert asks(bash("ls", "a"), bash("cd src", ""), bash("ls", "b")) == []


def test_more_output_of_a_running_command_is_not_asked_for_again() -> None:
    poll: Step = ("BashOutput", {"bash_id": "1"}, "compiling")
    assert asks(poll, poll) == []


def test_a_todo_list_is_no_regret() -> None:
    todo: Step = ("TodoRead", {}, "1. work")
    assert asks(todo, todo) == []


def test_a_retry_of_a_failed_call_does_not_ask_again() -> None:
    failed = bash("make", "no rule", failed=True)
    assert asks(failed, failed) == []
    assert asks(failed, bash("make", "fine")) == []


def test_a_failed_call_asks_for_nothing() -> None:
    assert asks(bash("ls", "a"), bash("ls", "Permission denied", failed=True)) == []


def test_a_newer_copy_in_view_answers() -> None:
    assert asks(read(A, *ROWS), read(A, *ROWS), read(A, *ROWS)) == []
    assert asks(read(A, *ROWS), write(A, "all"), read(A, *ROWS)) == []


def test_the_newest_copy_is_the_one_that_was_missed() -> None:
    assert asks(read(A, *ROWS), read(A, *ROWS), read(A, *ROWS), cut=(0, 1)) == [(1, "read")]


@pytest.mark.parametrize(
    "more",
    [
        {"points_to": Ref(9, 0)},
        {"needs_cover": True},
        {"covers": frozenset({Ref(0, 0)})},
        {"when": OWN_WORDS},
    ],
    ids=["a pointer", "covered by a view", "a view", "own words"],
)
def test_an_edit_that_leaves_the_text_in_view_took_nothing_away(more: dict[str, Any]) -> None:
    assert asks(read(A, *ROWS), read(A, *ROWS), **more) == []


@pytest.mark.parametrize("replacement", [Added("[a reminder]")])
def test_an_addition_took_nothing_away(replacement: Replacement) -> None:
    view = seen(read(A, *ROWS), read(A, *ROWS))
    added = Proposal(view.uses[0].result, replacement, "reminders", "due")
    assert not list(Showings(view.uses).asks(view.uses, {added.target: added}.get, view.loops))


def test_calls_of_one_turn_do_not_ask_for_each_other() -> None:
    view = seen(read(A, *ROWS), read(A, *ROWS))
    both = [replace(use, turn=1) for use in view.uses]
    cut = Proposal(view.uses[0].result, Note(""), "some_rule", "old")
    assert not list(Showings(both).asks(both, {cut.target: cut}.get, view.loops))


@pytest.mark.parametrize(("tasks", "found"), [(TASKS, [(0, "read")]), (TASKS + 1, [])])
def test_only_the_next_few_tasks_count(tasks: int, found: list[tuple[int, str]]) -> None:
    assert asks(SPEAKS, read(A, *ROWS), *[SPEAKS] * tasks, read(A, *ROWS)) == found


def test_a_part_that_several_calls_ask_for_counts_once() -> None:
    view = seen(read(A, *ROWS), read(A, *ROWS[:3], limit=3), read(A, *ROWS[5:9], start=6))
    cut = Proposal(view.uses[0].result, Note(""), "some_rule", "old")
    found = list(Showings(view.uses).asks(view.uses, {cut.target: cut}.get, view.loops))
    assert [ask.call for ask in found] == [view.uses[1].call]


def test_only_new_calls_are_looked_at() -> None:
    view = seen(read(A, *ROWS), read(A, *ROWS), read(B, *ROWS))
    cut = Proposal(view.uses[0].result, Note(""), "some_rule", "old")
    for since, count in ((0, 1), (3, 1), (4, 0)):
        assert len(list(Showings(view.uses).asks(view.uses, {cut.target: cut}.get, view.loops, since))) == count


def test_a_part_that_a_call_can_ask_for_has_a_kind() -> None:
    view = seen(
        read(A, *ROWS), edit(A, "a", "b"), write(B, "x"), GREP, ("TodoRead", {}, "1. x"), bash("x", "y", True)
    )
    of_read, of_edit, of_write, of_grep, of_todo, failed = view.uses
    assert part_kind(of_read, of_read.result, changed=view.changed_since(of_read)) == "edited read"
    assert part_kind(of_read, of_read.result, changed=False) == "read"
    assert part_kind(of_edit, of_edit.call, changed=False) == "edit"
    assert part_kind(of_write, of_write.call, changed=view.changed_since(of_write)) == "write"
    assert part_kind(of_grep, of_grep.result, changed=False) == "search"
    assert part_kind(of_grep, of_grep.call, changed=False) is None
    assert part_kind(of_todo, of_todo.result, changed=False) is None
    assert part_kind(failed, failed.result, changed=False) is None


def body(*steps: Step) -> dict[str, Any]:
    made: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    for n, (tool, given, answer, *_) in enumerate(steps):
        call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": answer}
        made += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return {"model": "claude-sonnet-4-5", "messages": made}


def test_the_report_of_a_request_says_what_was_asked_for_again() -> None:
    long = "\n".join(f"commit {n} by somebody" for n in range(200))
    log, others = bash("git log", long), [bash(f"git show {n}", long + str(n)) for n in range(6)]
    pruner = Pruner(Settings(schedule="eager"))
    for count in range(1, 7):
        assert pruner.prune(body(log, *others[:count])).report.asked_again == AskedAgain()
    grown = body(log, *others, log)
    outcome = pruner.prune(grown)
    [ask] = outcome.report.asked_again.asks
    assert (ask.target, ask.call) == (Ref(2, 0), Ref(15, 0))
    assert outcome.report.asked_again.kinds == {"shell": Tally(1, ask.tokens)}
    assert outcome.report.asked_again.strategies == {ask.strategy: Tally(1, ask.tokens)}
    assert ask.tokens > 500
    assert pruner.prune(grown).report.asked_again.count == 0

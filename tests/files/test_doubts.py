"""Files that may have been changed, and what settles it."""

import pytest

from tests.files.talk import Step, bash, codex, edit, history, read

A = "/w/a.ts"
ABC = read(A, "a", "b", "c")
SAME = "Read", {"file_path": A}, "File unchanged since last read. The earlier result is still current."
DOUBTS = [
    bash("bun run format"),
    bash("./generate"),
    ("Agent", {"prompt": "do it", "subagent_type": "general-purpose"}, "Done."),
]


@pytest.mark.parametrize("doubt", DOUBTS)
def test_an_edit_that_claude_code_makes_shows_that_nobody_changed_the_file(doubt: Step) -> None:
    assert history(ABC, doubt).file_state_at(A).known == 0
    assert history(ABC, doubt, edit(A, "b", "x")).file_state_at(A).lines == ("a", "x", "c")


@pytest.mark.parametrize("doubt", DOUBTS)
def test_a_read_that_claude_code_spares_settles_a_doubt(doubt: Step) -> None:
    assert history(ABC, doubt, SAME).file_state_at(A).lines == ("a", "b", "c")


def test_a_read_in_between_is_all_that_an_edit_can_speak_for() -> None:
    again = read(A, "a", limit=1)
    assert history(ABC, DOUBTS[0], again, edit(A, "a", "x")).file_state_at(A).lines == ("x",)


def test_tools_that_do_not_look_settle_nothing() -> None:
    given = {"filePath": A, "oldString": "b", "newString": "x"}
    assert history(ABC, DOUBTS[0], ("edit", given, "Edit applied successfully.")).file_state_at(A).known == 0


def test_a_command_that_names_the_file_leaves_nothing_to_settle() -> None:
    assert history(ABC, bash(f"perl -pi -e 's/b/q/' {A}"), edit(A, "a", "x")).file_state_at(A).known == 0


@pytest.mark.parametrize("answer", ["", "Async agent launched successfully.\nagentId: 12"])
def test_nothing_is_settled_while_another_agent_is_at_work(answer: str) -> None:
    agent = "Agent", {"prompt": "do it"}, answer
    assert history(ABC, agent, SAME).file_state_at(A).known == 0
    done = ("<task-notification>\n<task-id>12</task-id>\n</task-notification>",)
    assert history(agent, ABC, done).file_state_at(A).known == 0


def test_a_command_that_has_ended_in_the_background_reaches_no_further_than_it_can() -> None:
    agent = "Agent", {"prompt": "do it"}, ""
    started = bash("npm test", "Command running in background with ID: b7. Output is being written to: /tmp/b7")
    done = ("<task-notification>\n<task-id>b7</task-id>\n</task-notification>",)
    assert history(agent, started, ABC, done).file_state_at(A).known == 3


def test_users_who_say_that_they_changed_a_file_are_believed() -> None:
    other = read("/w/b.ts", "x")
    files = history(ABC, other, ("I have updated a.ts, go on",))
    assert files.file_state_at(A).known == 0 and files.file_state_at("/w/b.ts").known == 1
    assert history(ABC, ("ok, I've just fixed the imports",)).file_state_at(A).known == 0
    assert history(ABC, ("please fix the imports",)).file_state_at(A).known == 3


def test_a_changed_file_may_be_laid_out_while_the_user_has_the_word() -> None:
    changed = (ABC, edit(A, "b", "x"))
    linted, spoken = bash("npx eslint src", "1:1 error"), ("now make it blue",)
    assert history(*changed, linted).file_state_at(A).known == 3
    assert history(*changed, linted, spoken).file_state_at(A).known == 0
    assert history(*changed, spoken).file_state_at(A).known == 3
    assert history(*changed, bash("npx prettier --write ."), ABC, linted, spoken).file_state_at(A).known == 3
    told = ("<system-reminder>Nothing was changed.</system-reminder>",)
    assert history(told, *changed, linted, spoken).file_state_at(A).known == 3


def test_a_running_command_reaches_its_files_until_it_has_ended() -> None:
    running = "Chunk ID: 1\nWall time: 9 seconds\nProcess running with session ID 7\nOutput:\n"
    start = "exec_command", {"cmd": "./generate"}, running, None
    shown = codex("cat a.py", "a\n")
    ended = (
        "write_stdin",
        {"session_id": 7, "chars": ""},
        "Chunk ID: 2\nProcess exited with code 0\nOutput:\n",
        None,
    )
    later = "write_stdin", {"session_id": 8, "chars": ""}, running.replace("7", "8"), None
    assert history(start, shown, ended).file_state_at("a.py").known == 0
    assert history(start, ended, shown, later).file_state_at("a.py").known == 1


def _opencode(lines: list[str], first: int, last: int) -> str:
    shown = "\n".join(f"{number}: {lines[number - 1]}" for number in range(first, last + 1))
    foot = f"(Showing lines {first}-{last} of {len(lines)}. Use offset={last + 1} to continue.)"
    return f"<path>/home/me/project/plan.md</path>\n<type>file</type>\n<content>\n{shown}\n\n{foot}\n</content>"

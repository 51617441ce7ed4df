from collections.abc import Sequence
from typing import Any

import pytest

from prunus.clients.sessions import Session
from prunus.lab.policy import Mask, Policy, Unpruned
from prunus.lab.replay import Reader, replay
from prunus.lab.retention import Needs, Retention, retention
from prunus.providers import provider_named
from tests.lab.talk import Step, anthropic, chat


def kept(talk: Session, policy: Policy) -> Retention:
    reader = Reader(provider_named(talk.format))
    return retention(Needs(talk, reader), replay(talk, policy, reader))


def read(path: str, text: str) -> Step:
    return "Read", {"file_path": path}, text


def edit(path: str, old: str) -> Step:
    return "Edit", {"file_path": path, "old_string": old, "new_string": "short"}, "ok"


READ = read("/a", "     1\u2192def opening(door):\n     2\u2192    return door.handle\n" + "more words\n" * 30)


def test_without_pruning_everything_is_kept() -> None:
    found = kept(anthropic([READ, edit("/a", "    return door.handle")]), Unpruned())
    assert (found.lines, found.lines_kept, found.lost) == (1, 1, ())


def test_a_line_in_a_cleared_result_is_lost() -> None:
    found = kept(anthropic([READ, edit("/a", "    return door.handle")]), Mask(0))
    assert (found.lines, found.lines_kept) == (1, 0)


def test_a_line_that_another_part_still_shows_is_kept() -> None:
    found = kept(anthropic([READ, READ, edit("/a", "    return door.handle")]), Mask(1))
    assert (found.lines, found.lines_kept) == (1, 1)


def test_a_line_that_the_history_never_showed_does_not_count() -> None:
    found = kept(anthropic([READ, edit("/a", "    return window.handle")]), Mask(0))
    assert found.lines == 0


def test_a_use_is_checked_against_the_request_before_its_answer() -> None:
    steps = [READ, edit("/a", "    return door.handle"), ("Bash", {"command": "ls"}, "ok")]
    assert kept(anthropic(steps), Mask(2)).lines_kept == 1, "it was cleared only after the edit"


def test_a_lost_line_is_read_again_once_from_the_smallest_part() -> None:
    small = read("/b", "return door.handle")
    steps: list[Step] = [READ, small, edit("/a", "return door.handle"), edit("/b", "return door.handle")]
    talk = anthropic(steps)
    reader = Reader(provider_named(talk.format))
    [form] = reader.sheet(talk.messages[4]).forms
    [lost] = kept(talk, Mask(0)).lost
    assert (lost.request, lost.tokens) == (2, form.tokens)


def test_names_in_the_arguments_are_soft_uses() -> None:
    steps: list[Step] = [read("/a", "found remarkable_name here"), ("Grep", {"pattern": "remarkable_name"}, "ok")]
    found = kept(anthropic(steps), Mask(0))
    assert (found.soft, found.soft_kept) == (1, 0)
    assert kept(anthropic(steps), Mask(1)).soft_kept == 1


def test_common_names_do_not_count_as_uses() -> None:
    def talk(times: int) -> Session:
        steps = [read(f"/{n}", f"found remarkable_name {n}") for n in range(times)]
        return anthropic([*steps, ("Grep", {"pattern": "remarkable_name"}, "ok")])

    assert kept(talk(6), Unpruned()).soft == 1
    assert kept(talk(7), Unpruned()).soft == 0


class Shortened:
    """A policy that leaves the first 40 characters of each result."""

    name = "shortened"
    declared = ""

    def start(self) -> "Shortened":
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        messages: Sequence[Any] = body["messages"]
        return body | {
            "messages": [m | {"content": m["content"][:40]} if m["role"] == "tool" else m for m in messages]
        }


def test_a_shortened_part_is_searched_for_what_it_still_shows() -> None:
    steps = [READ, edit("/a", "def opening(door):\n    return door.handle")]
    found = kept(chat(steps), Shortened())
    assert (found.lines, found.lines_kept) == (2, 1)


def test_lines_of_a_result_that_is_json_are_found() -> None:
    steps = [("bash", {"command": "cat a"}, '{"returncode": 0, "output": "one\\n  return door.handle\\n"}')]
    found = kept(chat([*steps, edit("/a", "return door.handle")]), Unpruned())
    assert found.lines == 1


def listing(*paths: str) -> Step:
    return "Bash", {"command": "find . -name '*.py'"}, "\n".join(paths)


def test_a_file_that_no_part_shows_any_more_is_lost() -> None:
    steps = [listing("./src/door.py", "./src/window.py"), read("/srv/app/src/door.py", "words")]
    found = kept(anthropic(steps), Mask(0))
    assert (found.files, found.files_kept, found.hard, found.hard_kept) == (1, 0, 1, 0)
    assert found.lost == (), "a path can be named without reading again"
    assert kept(anthropic(steps), Mask(1)).files_kept == 1


def test_a_file_that_an_earlier_call_names_is_kept() -> None:
    steps = [listing("./src/door.py"), read("/srv/app/src/door.py", "words"), read("/srv/app/src/door.py", "words")]
    found = kept(anthropic(steps), Mask(0))
    assert (found.files, found.files_kept) == (2, 1)


def test_a_file_is_recognised_with_either_slash() -> None:
    found = kept(anthropic([listing(".\\src\\door.py"), read("C:/app/src/door.py", "words")]), Mask(1))
    assert (found.files, found.files_kept) == (1, 1)


def test_a_file_that_was_never_shown_does_not_count() -> None:
    assert kept(anthropic([listing("./src/door.py"), read("/srv/app/src/wall.py", "words")]), Mask(0)).files == 0


def test_a_part_that_was_read_again_is_visible_for_thirty_requests() -> None:
    wait: list[Step] = [("Bash", {"command": "true"}, "ok")] * 30
    first, second = edit("/a", "def opening(door):"), edit("/a", "    return door.handle")
    soon = kept(anthropic([READ, first, *wait[1:], second]), Mask(0))
    late = kept(anthropic([READ, first, *wait, second]), Mask(0))
    assert [part.request for part in soon.lost] == [1]
    assert [part.request for part in late.lost] == [1, 32]
    assert (late.lines, late.lines_kept) == (2, 0), "hard says what was shown, read again or not"


class Noted:
    """A policy that puts the same note in the place of each result."""

    name = "noted"
    declared = ""

    def __init__(self, note: str) -> None:
        self.note = note

    def start(self) -> "Noted":
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        messages: Sequence[Any] = body["messages"]
        return body | {"messages": [m | {"content": self.note} if m["role"] == "tool" else m for m in messages]}


@pytest.mark.parametrize(
    ("note", "in_place"),
    [
        ("[cut; names: remarkable_name another_name]", 0),
        ("[cut]\n  7: found remarkable_name here", 1),
        ("[cut; read src/remarkable_name.py again]", 1),
    ],
)
def test_a_name_is_in_place_in_an_unchanged_line_or_a_path(note: str, in_place: int) -> None:
    steps: list[Step] = [
        read("/a", "   12\u2192found remarkable_name here\n"),
        ("Grep", {"pattern": "remarkable_name"}, "ok"),
    ]
    found = kept(chat(steps), Noted(note))
    assert (found.soft, found.soft_kept, found.in_place) == (1, 1, in_place)

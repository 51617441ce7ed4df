"""What learning would have done over recorded conversations, one after another."""

from __future__ import annotations

from dataclasses import replace

from bench.lessons import Subject, asked_in_view, in_order_of_time, lessons
from prunus import Settings
from prunus.clients.sessions import Session
from prunus.reuse.learning import Learned
from prunus.tally import Tally
from tests.lab.talk import Step, anthropic, reads

ROWS = "\n".join(f"the output in line {n}" for n in range(300))
SHOWS: Step = ("Bash", {"command": "git show"}, ROWS)
NEEDS: Step = ("Edit", {"file_path": "/a.py", "old_string": "the output in line 150", "new_string": "x"}, "ok")
EAGER = Settings(schedule="eager")


def talk(*steps: Step) -> Session:
    return anthropic([SHOWS, *reads(6), *steps])


def test_a_lost_part_counts_as_one_ask_against_the_edit_that_took_it() -> None:
    [lesson] = lessons([Subject.read(talk(NEEDS, NEEDS))], EAGER)
    assert [part.place for part in lesson.kept.lost] == [2]
    tried = lesson.experience.tried["finished_results", "shell"]
    assert (tried.cut, tried.asked) == (1, 1)
    assert tried.expected > 0
    assert lesson.chance.total.asked == 0
    assert lesson.experience.requests == len(talk(NEEDS, NEEDS).requests)


def test_a_call_that_asks_for_a_cut_part_does_so_by_chance() -> None:
    [lesson] = lessons([Subject.read(talk(SHOWS))], EAGER)
    assert lesson.chance.kinds["shell"].asked == 1
    assert lesson.experience.total.asked == 0


def test_each_conversation_learns_from_those_before_it() -> None:
    subjects = [Subject.read(talk(NEEDS))] * 9
    learned = [lesson.learned for lesson in lessons(subjects, EAGER)]
    assert learned[0] == Learned()
    assert 0 < learned[1].offsets["shell"] < learned[4].offsets["shell"]
    back = ["finished_results" in one.stepped_back for one in learned]
    assert not any(back[:2])
    assert back[-1]
    off = EAGER.model_copy(update={"learn": False})
    assert [lesson.learned for lesson in lessons(subjects, off)] == [Learned()] * 9


def test_a_strategy_that_stepped_back_loses_nothing_more() -> None:
    found = [*lessons([Subject.read(talk(NEEDS))] * 9, EAGER)]
    assert "finished_results" in found[0].experience.strategies
    assert "finished_results" not in found[-1].experience.strategies


def test_asks_for_parts_in_view_are_counted_without_any_cut() -> None:
    asked, parts = asked_in_view(talk(SHOWS, SHOWS))
    assert asked.kinds == {"shell": Tally(2, asked.asks[0].tokens * 2)}
    assert parts == {"shell": 3, "read": 6}


def test_sessions_are_ordered_by_their_first_request() -> None:
    one = talk()
    later, earlier, unknown = (
        replace(one, name=name, times=(time, *one.times[1:]))
        for name, time in (("a", 9.0), ("b", 5.0), ("c", None))
    )
    assert in_order_of_time([later, earlier, unknown]) == [unknown, earlier, later]

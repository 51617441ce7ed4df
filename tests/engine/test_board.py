"""The board: which views cover a part, and which parts are decided anew when that changes."""

from __future__ import annotations

from prunus import Settings
from prunus.edits import Note, Postpone, Proposal, Shorter, When, Withdraw
from prunus.engine.board import Board
from prunus.engine.cell import Decision
from prunus.history import Message, Ref, Text
from prunus.view.view import View

PART, OLDER, NEWER = (Ref(message, 0) for message in range(3))
STRATEGY = "long_outputs"


def board() -> Board:
    settings = Settings()
    view = View(settings.toolbox(), settings.counter())
    messages = [Message("assistant", (Text("word " * 50),))] * 3
    view.look_at(messages.__getitem__)
    for message in messages:
        view.extend(message)
    return Board(view, settings.active_strategies())


def view_at(ref: Ref) -> Proposal:
    return Proposal(ref, Shorter("current lines"), STRATEGY, "", covers=frozenset({PART}))


def touched(one: Board) -> set[Ref]:
    found = set()
    while (ref := one.next_touched()) is not None:
        found.add(ref)
    return found


def test_the_newest_view_of_a_part_counts() -> None:
    for first, second in ((OLDER, NEWER), (NEWER, OLDER)):
        one = board()
        one.want(first, view_at(first))
        one.want(second, view_at(second))
        assert one[PART].cover == NEWER


def test_an_older_view_covers_a_part_when_the_newer_view_goes() -> None:
    one = board()
    one.want(OLDER, view_at(OLDER))
    one.want(NEWER, view_at(NEWER))
    one.want(NEWER, None)
    assert one[PART].cover == OLDER


def test_a_part_is_decided_again_when_its_last_view_goes() -> None:
    one = board()
    one.want(OLDER, view_at(OLDER))
    touched(one)
    one.want(OLDER, None)
    assert one[PART].cover is None and touched(one) == {PART}


def test_a_second_view_of_a_part_changes_no_decision_about_the_part() -> None:
    one = board()
    one.want(OLDER, view_at(OLDER))
    touched(one)
    one.want(NEWER, view_at(NEWER))
    assert PART not in touched(one)


def test_a_note_is_decided_again_when_the_part_that_it_points_to_leaves() -> None:
    one = board()
    one.take(Proposal(NEWER, Note("see above"), STRATEGY, "", points_to=PART))
    touched(one)
    one.judge(PART, Decision(leaves=True))
    assert touched(one) == {NEWER}
    one.judge(PART, Decision(leaves=True))
    assert touched(one) == set()


def test_a_part_is_decided_again_when_the_answer_that_could_point_to_it_is_replaced() -> None:
    one = board()
    one.take(Proposal(NEWER, Note("see above"), STRATEGY, "", points_to=PART, when=When(before_first_send=True)))
    touched(one)
    one.judge(NEWER, Decision(replaced=True))
    assert touched(one) == {PART}


def test_only_a_proposal_whose_time_has_not_come_is_postponed() -> None:
    one = board()
    for turn, moved in ((1, False), (5, True)):
        one.take(Proposal(PART, Note("gone"), STRATEGY, "", when=When(turn), reuse=0.5))
        one.take(Postpone(PART, STRATEGY, 7))
        one.take(Postpone(PART, STRATEGY, 9))
        one.catch_up(PART)
        [option] = one[PART].options.values()
        assert (option.when.from_turn, option.reuse) == (9 if moved else turn, 0.5)


def test_a_restored_part_is_cut_again_only_by_request() -> None:
    one = board()
    one.take(Withdraw(PART, STRATEGY, restored=True))
    one.take(Proposal(PART, Note("gone"), STRATEGY, ""))
    assert one[PART].restored
    one.take(Proposal(PART, Note("gone"), STRATEGY, "", when=When(requested_by="user")))
    assert not one[PART].restored

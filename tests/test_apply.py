"""Carrying edits out on values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prunus.apply import apply, change, spelled_out, with_text_behind
from prunus.edits import Added, Continued, Edit, Gone, Input, Note, Proposal, Replacement, Shorter
from prunus.errors import InvariantError
from prunus.history import Attachment, Call, History, Marker, Message, Opaque, Part, Ref, Result, Text, Thinking

CALL = Call("c", "Write", {"file_path": "/a", "content": "x" * 50}, "{...}", at=("content", 0, "input"))
RESULT = Result("c", "long text", at=("content", 0, "content"))
IMAGE = Attachment("shot.png", "image/png", 900, inside=0, at=("content", 0, "content", 1))


def edit(message: int, part: int, replacement: Replacement) -> Edit:
    return Edit(Ref(message, part), replacement, "test", "why")


def changed(part: Part, replacement: Replacement) -> Part:
    after = change(Message("user", (part,)), {0: replacement})
    assert after is not None
    return after.parts[0]


def test_no_edits_give_the_same_history() -> None:
    history = History("openai_chat", (Message("user", (Text("Hi"),)), Message("assistant", (CALL,))))
    assert apply(history, ()) == history


def test_only_the_named_parts_change() -> None:
    history = History("openai_chat", (Message("assistant", (Text("a"), CALL)), Message("tool", (RESULT,))))
    after = apply(history, [edit(1, 0, Note("[gone]"))])
    assert after.messages[0] is history.messages[0]
    assert after.messages[1].parts == (replace(RESULT, text="[gone]"),)


def test_the_given_history_is_untouched() -> None:
    history = History("openai_chat", (Message("tool", (RESULT,)),))
    apply(history, [edit(0, 0, Note("[gone]"))])
    assert history.messages[0].parts == (RESULT,)


@pytest.mark.parametrize("part", [Text("words"), Thinking("words", hidden=3), RESULT])
@pytest.mark.parametrize("replacement", [Note("less"), Shorter("less")])
def test_words_become_fewer_words(part: Text | Thinking | Result, replacement: Replacement) -> None:
    assert changed(part, replacement) == replace(part, text="less")


def test_a_call_gets_other_arguments_and_their_text() -> None:
    assert changed(CALL, Input({"file_path": "/a"})) == replace(
        CALL, input={"file_path": "/a"}, text='{"file_path":"/a"}'
    )


def test_an_attachment_becomes_words() -> None:
    assert changed(replace(IMAGE, inside=None), Note("[File]")) == Text("[File]")


def test_a_note_removes_the_parts_inside_the_result() -> None:
    other = replace(RESULT, id="d")
    message = Message("user", (RESULT, IMAGE, Opaque("x", inside=0), other, replace(IMAGE, inside=3)))
    after = change(message, {0: Note("[gone]")})
    assert after is not None
    assert after.parts == (replace(RESULT, text="[gone]"), other, replace(IMAGE, inside=1))


def test_a_shorter_result_keeps_the_parts_inside_it() -> None:
    after = change(Message("user", (RESULT, IMAGE)), {0: Shorter("less")})
    assert after is not None
    assert after.parts == (replace(RESULT, text="less"), IMAGE)


def test_a_removed_part_leaves_no_gap() -> None:
    marker = Marker("step-start", at=("parts", 0))
    after = change(Message("assistant", (marker, RESULT, replace(IMAGE, inside=1))), {0: Gone()})
    assert after is not None
    assert after.parts == (RESULT, replace(IMAGE, inside=0))


def test_an_item_without_other_parts_goes_with_its_part() -> None:
    history = History(
        "openai_responses", (Message("assistant", (Thinking("Hm."),)), Message("user", (Text("Hi"),)))
    )
    assert apply(history, [edit(0, 0, Gone())]).messages == history.messages[1:]


@pytest.mark.parametrize(
    ("part", "replacement"),
    [
        (CALL, Note("x")),
        (CALL, Shorter("x")),
        (Text("x"), Input({})),
        (RESULT, Input({})),
        (IMAGE, Shorter("x")),
        (Marker("step-start"), Note("x")),
        (Opaque("x"), Note("x")),
        (Marker("step-start"), Added("x")),
    ],
)
def test_an_impossible_edit_is_refused(part: Part, replacement: Replacement) -> None:
    with pytest.raises(InvariantError):
        change(Message("user", (RESULT, part)), {1: replacement})


@pytest.mark.parametrize(
    ("replacement", "after"),
    [
        (None, Added(" words tag")),
        (Note("[gone]"), Note("[gone] words tag")),
        (Shorter("short"), Shorter("short words tag")),
        (Added(" reminder"), Added(" words tag reminder")),
        (Gone(), Gone()),
    ],
)
def test_words_stand_behind_the_rest_of_a_result_and_before_a_reminder(
    replacement: Replacement | None, after: Replacement
) -> None:
    assert with_text_behind(replacement, " words", " tag") == after


def test_a_continued_part_is_made_with_both_texts() -> None:
    part = Result("t1", "own")
    proposal = Proposal(Ref(0, 0), Continued(" and more"), "folded_views", "")
    assert spelled_out(proposal, part).replacement == Shorter("own and more")
    noted = replace(proposal, replacement=Note("gone"))
    assert spelled_out(noted, part) is noted

"""Each invariant refuses what its provider would, and lets the rest pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from prunus.errors import InvariantError
from prunus.history import Call, Message, Opaque, Result, Text, Thinking
from prunus.invariants import (
    ALL,
    ChangedMessage,
    batches,
    check,
    gemini_signatures,
    non_empty,
    order,
    pairs,
    responses_reasoning,
    roles,
    thinking,
)

READ = Call("a", "Read", {"file_path": "/a"})
BASH = Call("b", "Bash", {"command": "ls"})
ANSWERS = Message("user", (Result("a", "text"), Result("b", "text")))
CALLS = Message("assistant", (Thinking("Hm.", hidden=9), READ, BASH))
REASONING = Message("assistant", (Thinking("Hm."),), joins=True)


def changes(before: Message, after: Message | None, **more: Any) -> ChangedMessage:
    given: dict[str, Any] = {"format": "anthropic_messages", "following": None, "open_loop": False, **more}
    return ChangedMessage(before=before, after=after, **given)


def less(message: Message, *parts: Any) -> Message:
    return replace(message, parts=parts)


@pytest.mark.parametrize("invariant", ALL)
@pytest.mark.parametrize("message", [ANSWERS, CALLS, REASONING, Message("user", (Text(""),)), Message("user", ())])
@pytest.mark.parametrize("open_loop", [True, False])
def test_no_change_is_always_fine(invariant: Any, message: Message, open_loop: bool) -> None:
    assert invariant(changes(message, message, open_loop=open_loop)) is None


def test_other_words_in_a_result_are_fine() -> None:
    check(changes(ANSWERS, less(ANSWERS, Result("a", "[gone]"), Result("b", "text"))))


def test_fewer_arguments_are_fine() -> None:
    check(changes(CALLS, less(CALLS, Thinking("Hm.", hidden=9), replace(READ, input={}), BASH)))


def test_a_result_cannot_be_removed_without_its_call() -> None:
    assert pairs(changes(ANSWERS, less(ANSWERS, Result("a", "text"))))


def test_a_call_cannot_be_removed_without_its_result() -> None:
    assert pairs(changes(CALLS, less(CALLS, READ)))
    assert batches(changes(CALLS, less(CALLS, READ)))


def test_results_keep_their_ids() -> None:
    assert pairs(changes(ANSWERS, less(ANSWERS, Result("a", "text"), Result("c", "text"))))


def test_calls_keep_their_tools() -> None:
    assert batches(changes(CALLS, less(CALLS, READ, replace(BASH, tool="Shell"))))


def test_results_keep_their_order() -> None:
    assert order(changes(ANSWERS, less(ANSWERS, *reversed(ANSWERS.parts))))


def test_a_message_cannot_go_unless_it_is_reasoning_alone() -> None:
    assert roles(changes(CALLS, None))
    assert roles(changes(Message("user", (Text("Hi"),)), None))
    assert roles(changes(REASONING, None)) is None


def test_a_message_keeps_its_role() -> None:
    assert roles(changes(ANSWERS, replace(ANSWERS, role="tool")))


def test_a_message_is_never_left_empty() -> None:
    before = Message("assistant", (Thinking("Hm."), Text("Yes.")))
    assert non_empty(changes(before, less(before)))
    assert non_empty(changes(before, less(before, Thinking("Hm."))))
    assert non_empty(changes(before, less(before, Text("Yes.")))) is None


def test_a_text_is_never_left_empty() -> None:
    before = Message("user", (Text("words"), Opaque("x")))
    assert non_empty(changes(before, less(before, Text(""), Opaque("x"))))


def test_signed_thinking_goes_whole_or_stays_whole() -> None:
    assert thinking(changes(CALLS, less(CALLS, READ, BASH))) is None
    assert thinking(changes(CALLS, less(CALLS, Thinking("H", hidden=9), READ, BASH)))


def test_thinking_of_the_open_loop_stays() -> None:
    assert thinking(changes(CALLS, less(CALLS, READ, BASH), open_loop=True))


def test_required_reasoning_may_shrink_but_not_vanish() -> None:
    before = Message("assistant", (Thinking("Hm. " * 9, required=True), READ))
    assert thinking(changes(before, less(before, Thinking("—", required=True), READ))) is None
    assert thinking(changes(before, less(before, READ)))
    assert thinking(changes(before, less(before, Thinking("", required=True), READ)))


def test_parts_that_gemini_signed_stay() -> None:
    signed = replace(READ, fixed=True)
    before = Message("assistant", (signed, BASH))
    assert gemini_signatures(changes(before, less(before, replace(signed, input={}), BASH), format="gemini"))
    assert (
        gemini_signatures(changes(before, less(before, signed, replace(BASH, input={})), format="gemini")) is None
    )


def test_reasoning_stays_with_the_call_behind_it() -> None:
    call = Message("assistant", (READ,), joins=True)
    said = Message("assistant", (Text("Yes."),), joins=True)
    search = Message("assistant", (Opaque("web_search_call"),), joins=True)
    assert responses_reasoning(changes(REASONING, None, format="openai_responses", following=call))
    assert responses_reasoning(changes(REASONING, None, format="openai_responses", following=search))
    assert responses_reasoning(changes(REASONING, None, format="openai_responses", following=said)) is None


def test_reasoning_with_an_id_stays() -> None:
    bound = Message("assistant", (Thinking("Hm.", fixed=True),), joins=True)
    assert responses_reasoning(changes(bound, None, format="openai_responses"))


def test_the_error_names_the_invariant() -> None:
    with pytest.raises(InvariantError, match="pairs"):
        check(changes(ANSWERS, less(ANSWERS, Result("a", "text"))))

from typing import Any

from prunus.lab.policy import Mask, Unpruned
from prunus.lab.replay import Reader, replay
from prunus.providers import provider_named
from tests.lab.talk import anthropic, chat, reads, session


class Scripted:
    """A policy that does what a test says."""

    name = "scripted"

    def __init__(self, change: Any, declared: str = "") -> None:
        self.change = change
        self.declared = declared

    def start(self) -> "Scripted":
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        return self.change(body)


def test_without_pruning_every_request_continues_the_one_before() -> None:
    sent = replay(anthropic(reads(5)), Unpruned()).requests
    assert [one.broken for one in sent] == [0] * 6
    assert sent[0].cached == 0
    assert [one.cached for one in sent[1:]] == [one.tokens for one in sent[:-1]]


def test_tokens_count_the_messages_and_the_rest_of_the_request() -> None:
    talk = anthropic(reads(2))
    reader = Reader(provider_named(talk.format))
    around = {key: value for key, value in talk.body().items() if key != "messages"}
    expected = reader.count(around) + sum(reader.sheet(message).tokens for message in talk.messages)
    assert replay(talk, Unpruned()).requests[-1].tokens == expected


def test_a_cut_breaks_the_prefix_from_its_message_on() -> None:
    talk = anthropic(reads(3))
    reader = Reader(provider_named(talk.format))
    *_, before, after = replay(talk, Mask(1), reader).requests
    # The second result became a placeholder: the head, the first pair and the second call are shared.
    shared = before.tokens - sum(reader.sheet(message).tokens for message in talk.messages[4:5])
    assert after.cached == shared
    assert after.broken == before.tokens - shared > 0


def test_parts_before_the_first_change_inside_a_message_are_shared() -> None:
    def turn(n: int, first: str, second: str) -> list[dict[str, Any]]:
        call = [{"type": "tool_use", "id": f"{n}{c}", "name": "Read", "input": {}} for c in "ab"]
        texts = zip("ab", (first, second), strict=True)
        result = [{"type": "tool_result", "tool_use_id": f"{n}{c}", "content": text} for c, text in texts]
        return [{"role": "assistant", "content": call}, {"role": "user", "content": result}]

    talk = session(
        "anthropic_messages", [{"role": "user", "content": "Go"}, *turn(1, "x " * 99, "y " * 99)], [1, 3]
    )
    again = session("anthropic_messages", [*talk.messages, *turn(2, "z", "z")], [1, 3, 5])

    def hide(body: Any) -> Any:
        if len(body["messages"]) < 5:
            return body
        content = [*body["messages"][2]["content"]]
        content[1] = content[1] | {"content": "hidden"}
        return body | {
            "messages": [*body["messages"][:2], {"role": "user", "content": content}, *again.messages[3:]]
        }

    _, before, after = replay(again, Scripted(hide)).requests
    assert before.tokens - after.cached == before.sheets[2].forms[1].tokens


def test_changed_tool_definitions_leave_nothing_cached() -> None:
    bodies = iter(range(10))
    policy = Scripted(lambda body: body | {"tools": [{"name": f"tool{next(bodies)}"}]})
    assert [one.cached for one in replay(anthropic(reads(2)), policy).requests] == [0, 0, 0]


def test_a_gap_needs_the_times_of_both_requests() -> None:
    talk = anthropic(reads(3), times=[100.0, 160.0, None, 200.0])
    assert [one.gap for one in replay(talk, Unpruned()).requests] == [None, 60.0, None, None]


def test_a_request_that_loses_a_result_is_invalid() -> None:
    policy = Scripted(lambda body: body | {"messages": body["messages"][:2]})
    assert [one.valid for one in replay(chat(reads(1)), policy).requests] == [True, False]


def test_a_declared_break_is_recorded() -> None:
    sent = replay(anthropic(reads(1)), Scripted(lambda body: body, declared="flush")).requests
    assert [one.declared for one in sent] == ["flush", "flush"]


def test_a_shared_reader_changes_nothing() -> None:
    talk = anthropic(reads(4))
    reader = Reader(provider_named(talk.format))
    replay(talk, Unpruned(), reader)
    costs = [(one.tokens, one.cached) for one in replay(talk, Mask(1), reader).requests]
    assert costs == [(one.tokens, one.cached) for one in replay(talk, Mask(1)).requests]

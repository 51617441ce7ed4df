"""The layer's records of one conversation never enter another conversation or that of another caller."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prunus import Settings
from prunus.agent.layer import AgentLayer
from tests.agent.scripts import FORMATS, Part, declared, question
from tests.agent.test_hidden import Memory, Talk

every_format = pytest.mark.parametrize("format", FORMATS)
SETTINGS = Settings(preset="off", agent={"offer": "hidden", "intent": True})
KEYS = {key: {"type": "string"} for key in ("file_path", "new_string")}
TURNS = st.lists(
    st.tuples(
        st.sampled_from(("Go.", "Again.")), st.booleans(), st.sampled_from(("words", "call", "edit")), st.booleans()
    ),
    min_size=1,
    max_size=5,
)
"""What the user says, whether a hidden call is made, how the turn ends, and whether its id is a short one."""
ELSE = {"role": "user", "content": "Something else."}


class Conversation(Talk):
    """A client with secrets that only the layer knows: a summary, or the intent of an edit."""

    def __init__(self, format: str, store: Memory) -> None:
        super().__init__(format, True, SETTINGS, store, tools=[declared(format, "Edit", KEYS)])
        self.secrets: list[tuple[str, int]] = []
        """Each with the number of messages that the client has once it is part of the conversation."""

    def turn(self, number: int, words: str, hidden: bool, end: str, short: bool) -> None:
        if number:
            self.messages.append({"role": "user", "content": words})
        found = []
        hops: list[list[Part]] = []
        if hidden:
            found.append(f"secret-h{number}-")
            summary = {"action": "distill", "targets": [["tools", found[-1]]]}
            hops.append([("call", f"hid_{number:012}", "context_prune", summary)])
        id = "call_1" if short else f"call_{number:012}"
        arguments = {"file_path": "/a", "new_string": "x"}
        match end:
            case "words":
                hops.append([("text", "Done.")])
            case "call":
                hops.append([("call", id, "Read", {"file_path": "/a"})])
            case _:
                found.append(f"secret-i{number}-")
                hops.append([("call", id, "Edit", {**arguments, "intent": found[-1]})])
        self.ask(*hops)
        self.secrets += ((secret, len(self.messages)) for secret in found)
        if end != "words":
            self.answer((id, "ok"))

    def heard(self, messages: list[Any], caller: str = "", *, tenant: str = "", restarted: bool = False) -> str:
        """What goes upstream for a request with these messages."""
        layer = AgentLayer(SETTINGS, self.store) if restarted else self.layer
        body = question(self.format, messages, True, self.tools)
        exchange = layer.open(body, self.format, streaming=True, tenant=tenant, caller=caller)
        assert exchange is not None
        return exchange.before().decode()


def told(format: str, turns: list[tuple[str, bool, str, bool]]) -> Conversation:
    conversation = Conversation(format, Memory())
    for number, turn in enumerate(turns):
        conversation.turn(number, *turn)
    return conversation


@every_format
@settings(max_examples=30, deadline=None)
@given(turns=TURNS, restarted=st.booleans())
def test_equal_messages_behind_another_first_one_bring_nothing(
    format: str, turns: list[tuple[str, bool, str, bool]], restarted: bool
) -> None:
    one = told(format, turns)
    assert "secret" not in one.heard([ELSE, *one.messages[1:]], restarted=restarted)


@every_format
@settings(max_examples=30, deadline=None)
@given(turns=TURNS, restarted=st.booleans())
def test_another_key_or_another_tenant_with_the_same_conversation_gets_nothing(
    format: str, turns: list[tuple[str, bool, str, bool]], restarted: bool
) -> None:
    one = told(format, turns)
    assert "secret" not in one.heard(one.messages, "bob", restarted=restarted)
    assert "secret" not in one.heard(one.messages, tenant="bob", restarted=restarted)
    assert all(secret in one.heard(one.messages, restarted=restarted) for secret, _ in one.secrets)


@every_format
@settings(max_examples=60, deadline=None)
@given(turns=TURNS, pick=st.integers(0, 100), restarted=st.booleans())
def test_a_fork_keeps_what_stands_before_it_and_nothing_behind(
    format: str, turns: list[tuple[str, bool, str, bool]], pick: int, restarted: bool
) -> None:
    one = told(format, turns)
    spoken = [i for i, message in enumerate(one.messages) if isinstance(message.get("content"), str) and
              message.get("role") == "user"]  # fmt: skip
    at = spoken[pick % len(spoken)]
    body = one.heard([*one.messages[:at], ELSE, *one.messages[at + 1 :]], restarted=restarted)
    assert [secret for secret, _ in one.secrets if secret in body] == [s for s, end in one.secrets if end <= at]


@every_format
@settings(max_examples=60, deadline=None)
@given(turns=TURNS, pick=st.integers(0, 100), restarted=st.booleans())
def test_an_undo_keeps_the_hidden_calls_before_it(
    format: str, turns: list[tuple[str, bool, str, bool]], pick: int, restarted: bool
) -> None:
    one = told(format, turns)
    ends = [0, *(i for i, message in enumerate(one.messages) if message.get("role") == "user"), len(one.messages)]
    at = ends[pick % len(ends)]
    for messages in (one.messages[:at], [*one.messages[:at], ELSE], one.messages):
        body = one.heard(messages, restarted=restarted)
        left = [secret for secret, end in one.secrets if end <= min(at, len(messages)) or messages is one.messages]
        assert [secret for secret, _ in one.secrets if secret in body] == left


@every_format
def test_the_words_done_of_another_conversation_bring_nothing(format: str) -> None:
    """The fault as it was found: a password of one key went out with another."""
    alice = told(format, [("Go.", True, "words", False)])
    bob = [{"role": "user", "content": "Hello."}, *alice.messages[1:], {"role": "user", "content": "And?"}]
    assert "secret" in alice.heard([*alice.messages, bob[-1]])
    assert "secret" not in alice.heard(bob, "bob") and "secret" not in alice.heard(bob)

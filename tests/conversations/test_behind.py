"""A look that a deadline ends: the sent request, the recorded state, and catching up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from prunus.pruner import _MANY
from tests.conversations.test_memory import Shelf
from tests.generate.build import sessions
from tests.generate.encode import encode, prefixes
from tests.generate.render import FORMATS, render
from tests.laws.cases import fewer
from tests.laws.test_replicas import talk

NEVER: Final = 0.0
"""No time at all."""
DEAR_READS: Final = Settings(prices=[{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}])
TALK: Final = talk(7)


def messages(body: bytes) -> list[Any]:
    return list(json.loads(body)["messages"])


def extends(later: Outcome[bytes], earlier: Outcome[bytes]) -> bool:
    """Whether a request changes nothing that was sent before, or says from where on it does."""
    sent = messages(earlier.body)
    cut = later.flush.cut if later.flush is not None else len(sent)
    return messages(later.body)[:cut] == sent[:cut]


def test_a_request_that_is_not_looked_at_carries_the_edits_in_force() -> None:
    pruner, steady = Pruner(DEAR_READS), Pruner(DEAR_READS)
    for n in range(12):
        before = pruner.prune(TALK[n], 10.0 * n)
        steady.prune(TALK[n], 10.0 * n)
    assert before.edits
    late = pruner.prune(TALK[12], 120.0, deadline=NEVER)
    assert (late.error, late.behind, late.flush) == (None, True, None)
    assert late.edits == before.edits
    assert extends(late, before)
    assert messages(late.body)[len(messages(before.body)) :] == messages(TALK[12])[len(messages(before.body)) :]
    assert late.conversation == before.conversation and late.request == before.request + 1


def test_a_conversation_without_a_ledger_goes_out_as_it_came() -> None:
    outcome = Pruner(DEAR_READS).prune(TALK[12], 0.0, deadline=NEVER)
    assert (outcome.behind, outcome.body, outcome.edits) == (True, TALK[12], ())


def test_messages_that_a_deadline_left_out_are_caught_up_with() -> None:
    pruner = Pruner(DEAR_READS)
    late = pruner.prune(TALK[12], 0.0, deadline=NEVER)
    while not pruner.catch_up(late.conversation):
        pass
    engine = pruner._conversations[-1].engine
    assert len(engine.view.turns) == len(messages(TALK[12]))
    after = pruner.prune(TALK[13], 1_000.0, deadline=600.0)
    assert not after.behind and after.edits
    assert after.flush is not None and "idle" in after.flush.reason


def test_catching_up_with_an_unknown_conversation_is_nothing_to_do() -> None:
    assert Pruner().catch_up("nobody")


@fewer
@given(late=st.sets(st.integers(1, len(TALK) - 1)), caught=st.booleans())
def test_late_requests_never_rewrite_sent_messages(late: set[int], caught: bool) -> None:
    pruner = Pruner(DEAR_READS, Shelf())
    before: Outcome[bytes] | None = None
    for n, body in enumerate(TALK):
        outcome = pruner.prune(body, 10.0 * n, deadline=NEVER if n in late else 600.0)
        assert outcome.error is None
        assert outcome.behind == (n in late)
        assert before is None or extends(outcome, before)
        if outcome.behind and caught:
            pruner.catch_up(outcome.conversation)
        before = outcome
    assert outcome.request == len(TALK)
    assert outcome.edits or len(TALK) - 1 in late


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("preset", ["auto", "acp", "smart"])
@fewer
@given(session=sessions())
def test_the_ledger_alone_writes_what_was_sent(format: str, preset: str, session: Any) -> None:
    """The same request again, by a process that has looked at nothing: the same bytes."""
    offered = Settings(preset=preset, schedule="eager", agent={"offer": "mcp"})
    memory = Shelf()
    pruner = Pruner(offered, memory)
    for n, request in enumerate(prefixes(render(session, format), format)):
        body = encode(request)
        sent = pruner.prune(body, 10.0 * n, format=format)
        again = Pruner(offered, memory).prune(body, 10.0 * n, format=format, hold=True)
        assert (sent.error, again.error) == (None, None)
        assert again.body == sent.body
        assert again.report.tokens_after == sent.report.tokens_after


def test_a_late_result_of_pruning_is_not_saved() -> None:
    memory = Shelf()
    pruner = Pruner(DEAR_READS, memory)
    for n in range(11):
        before = pruner.prune(TALK[n], 10.0 * n)
    kept = dict(memory.memos)
    late = pruner.prune(TALK[11], 110.0, claim=lambda: False)
    assert late.error is not None and late.error.startswith("TooLate")
    assert memory.memos == kept
    sent = pruner.prune(TALK[11], 110.0, deadline=NEVER)
    assert sent.error is None and extends(sent, before)
    assert extends(pruner.prune(TALK[12], 120.0), sent)


def test_a_command_is_carried_out_by_the_request_after_a_late_one() -> None:
    waiting = ["sweep 3"]
    settings = Settings(schedule="manual", strategies={"asked": {"enabled": True}})
    pruner = Pruner(settings, asks=lambda _: [waiting.pop()] if waiting else [])
    assert pruner.prune(TALK[11], 110.0, claim=lambda: False).error is not None
    assert waiting == []
    assert len(pruner.prune(TALK[11], 110.0).edits) > 0 == len(Pruner(settings).prune(TALK[11], 110.0).edits)


def test_after_a_restart_a_long_conversation_is_written_as_before_and_not_looked_at() -> None:
    """A request in which only the words of the user are new goes out at once, however long the conversation is."""
    memory = Shelf()
    long = json.loads(TALK[-1])
    while len(long["messages"]) <= _MANY + 10:
        long["messages"] += json.loads(TALK[-1])["messages"]
    first = Pruner(DEAR_READS, memory)
    before = first.prune(json.dumps(long).encode(), 0.0, deadline=600.0)
    assert before.edits and not before.behind
    long["messages"] += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "And now?"}]
    after = Pruner(DEAR_READS, memory).prune(json.dumps(long).encode(), 10.0, deadline=600.0)
    assert after.behind and extends(after, before) and after.edits == before.edits
    saved, saved_before = (
        {name: tally.tokens for name, tally in o.report.strategies.items()} for o in (after, before)
    )
    assert saved == saved_before
    plain = {"tokens_before": 0, "tokens_after": 0, "messages": 0, "categories": {}, "strategies": {}}
    assert replace(after.report, **plain) == replace(before.report, **plain)


def test_a_request_that_is_held_changes_nothing_that_is_remembered() -> None:
    memory = Shelf()
    pruner = Pruner(DEAR_READS, memory)
    for n in range(12):
        before = pruner.prune(TALK[n], 10.0 * n)
    kept = dict(memory.memos)
    body = json.loads(TALK[11])
    body["messages"] += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Summarise."}]
    held = pruner.prune(json.dumps(body).encode(), 120.0, hold=True)
    assert held.edits == before.edits and extends(held, before)
    assert messages(held.body)[-1] == body["messages"][-1]
    assert memory.memos == kept and not held.behind
    assert held.conversation == before.conversation


def test_a_held_request_that_shares_little_belongs_to_no_conversation() -> None:
    pruner = Pruner(DEAR_READS)
    pruner.prune(TALK[11], 0.0)
    body = json.loads(TALK[0])
    held = pruner.prune(json.dumps(body).encode(), 1.0, hold=True)
    assert held.conversation == "" and json.loads(held.body) == body

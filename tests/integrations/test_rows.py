"""The laws of the rows adapter, over any messages of any framework."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said
from tests.integrations.scenario import FailingPruner

LONG = "\n".join(f"line {n} of a file that is long enough to be worth a note" for n in range(60))


@dataclass(frozen=True)
class Part:
    """A part of a message in a framework that exists only here."""

    kind: str
    """text, call, result, or something that Prunus cannot know."""
    text: str = ""
    id: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Said:
    """A message: of the user, or of the model with its calls, or of the tools with any number of results."""

    id: int
    role: str
    parts: tuple[Part, ...]


def to_rows(message: Said) -> Iterator[ChatRow]:
    unknown = sum(part.kind == "unknown" for part in message.parts)
    known = [(n, part) for n, part in enumerate(message.parts) if part.kind != "unknown"]
    if message.role == "assistant":
        calls = [MadeCall(p.id, "read_file", dict(p.arguments), n) for n, p in known if p.kind == "call"]
        texts = [(n, part.text) for n, part in known if part.kind == "text"]
        place, text = texts[0] if texts else (None, "")
        yield said("assistant", text, place, unknown, calls)
    for n, part in known:
        if part.kind == "result":
            yield answered(part.id, part.text, n, unknown)
        elif message.role == "user":
            yield said("user", part.text, n, unknown)


def put_back(message: Said, changes: RowChanges) -> Said:
    parts = list(message.parts)
    for n, new in changes.items():
        assert isinstance(n, int)
        change = {"arguments": tuple(new.items())} if isinstance(new, dict) else {"text": new}
        parts[n] = replace(parts[n], **change)
    return replace(message, parts=tuple(parts))


def broken_put_back(message: Said, changes: RowChanges) -> Said:
    raise TypeError("a message of another version")


@st.composite
def histories(draw: st.DrawFn) -> list[Said]:
    """Turns of a user and a model that reads the same few files again and again."""
    found: list[Said] = []
    count = 0
    for _ in range(draw(st.integers(1, 3))):
        found.append(Said(len(found), "user", (Part("text", draw(st.sampled_from(["Go on.", "/prunus stats"]))),)))
        for _ in range(draw(st.integers(0, 4))):
            names = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3))
            ids = [f"c{count + n}" for n in range(len(names))]
            count += len(names)
            beside = draw(st.sampled_from([(), (Part("unknown", "?"),), (Part("text", "I look."),)]))
            pairs = list(zip(ids, names, strict=True))
            calls = tuple(Part("call", id=id, arguments=(("path", f"{name}.py"),)) for id, name in pairs)
            results = tuple(Part("result", f"# {name}\n{LONG}", id=id) for id, name in pairs)
            found.append(Said(len(found), "assistant", (*beside, *calls)))
            found.append(Said(len(found), "tool", results))
    return found


def pruning(preset: str = "acp") -> Integration:
    return Integration(pruner=Pruner(Settings(preset=preset)))


@given(histories())
def test_number_order_ids_and_unknown_parts_stay_and_the_given_messages_are_unchanged(messages: list[Said]) -> None:
    before = copy.deepcopy(messages)
    here = pruning()
    pruned = prune_rows(here, messages, to_rows, put_back)
    assert messages == before
    assert here.last is not None and here.last.error is None
    assert [_shape(message) for message in pruned] == [_shape(message) for message in messages]
    assert here.unmapped == sum(part.kind == "unknown" for message in messages for part in message.parts)
    for old, new in zip(messages, pruned, strict=True):
        assert new is old or new != old


def _shape(message: Said) -> Any:
    unknown = [part for part in message.parts if part.kind == "unknown"]
    return message.id, message.role, [(part.kind, part.id) for part in message.parts], unknown


@given(histories())
def test_an_integration_sends_the_rows_as_pruning_leaves_them(messages: list[Said]) -> None:
    rows = [row.chat for message in messages for row in to_rows(message)]
    whole = Pruner(Settings(preset="acp")).prune({"tools": [{}], "messages": rows}, format="openai_chat").body
    sent = [row.chat for message in prune_rows(pruning(), messages, to_rows, put_back) for row in to_rows(message)]
    commands = [row for row in rows if str(row["content"]).startswith("/prunus")]
    assert [row for row in sent if row not in commands] == [row for row in whole["messages"] if row not in commands]


@given(histories())
def test_pruning_a_pruned_history_changes_nothing(messages: list[Said]) -> None:
    once = prune_rows(pruning(), messages, to_rows, put_back)
    assert prune_rows(pruning(), once, to_rows, put_back) == once


@given(histories())
def test_without_a_break_each_request_extends_the_one_before(messages: list[Said]) -> None:
    here = pruning("auto")
    before: list[Said] = []
    for end in (n for n, message in enumerate(messages, 1) if message.role != "assistant"):
        after = prune_rows(here, messages[:end], to_rows, put_back)
        assert here.last is not None
        assert after[: len(before)] == before or here.last.flush is not None
        before = after


@given(histories())
def test_a_failure_of_the_pruner_or_of_the_put_back_passes_the_messages_as_they_were(messages: list[Said]) -> None:
    here = Integration(pruner=FailingPruner())
    assert prune_rows(here, messages, to_rows, put_back) == messages
    assert here.last is not None and here.last.error == "RuntimeError: the pruner is broken"
    assert prune_rows(pruning(), messages, to_rows, broken_put_back) == messages


def test_any_fault_in_an_integration_returns_the_given_request() -> None:
    here, given = pruning(), object()
    assert here.safely(given, lambda: 1 // 0) is given
    assert here.last is not None and here.last.error == "ZeroDivisionError: integer division or modulo by zero"


def test_threads_share_an_integration_and_each_conversation_keeps_its_prefix() -> None:
    here = pruning("auto")

    def converse(name: str) -> list[list[Said]]:
        history = [Said(0, "user", (Part("text", f"I am {name}."),))]
        sent = []
        for step in range(12):
            call = Part("call", id=f"c{step}", arguments=(("path", f"{step % 3}.py"),))
            history.append(Said(len(history), "assistant", (call,)))
            history.append(Said(len(history), "tool", (Part("result", f"# {step % 3}\n{LONG}", id=f"c{step}"),)))
            sent.append(prune_rows(here, history, to_rows, put_back))
        return sent

    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(converse, ["one", "two", "three", "four"]))
    for sent in runs:
        assert all(after[: len(before)] == before for before, after in itertools.pairwise(sent))
        assert sum(len(part.text) for message in sent[-1] for part in message.parts) < 6 * len(LONG)


def test_a_failure_is_logged_once(caplog: Any) -> None:
    here = Integration(pruner=FailingPruner())
    for _ in range(3):
        prune_rows(here, [Said(0, "user", (Part("text", "Hi."),))], to_rows, put_back)
    assert [record.message for record in caplog.records] == [
        "a request is sent as it is: RuntimeError: the pruner is broken"
    ]

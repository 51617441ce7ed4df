"""Hidden exchanges put back: where they belong, or nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from prunus.agent.steps import keys_of, root, steps_from
from prunus.agent.threads import Found, Threads
from prunus.providers import api_named, frame
from prunus.providers.hidden_calls import HiddenExchange, MixedCall
from prunus.providers.rewriting import rewritten
from tests.agent.scripts import FORMATS
from tests.formats import FIELDS, call_and_result

every_format = pytest.mark.parametrize("format", FORMATS)
USER = {"role": "user", "content": "Go."}


def body(format: str, *messages: Any) -> bytes:
    return json.dumps({"model": "m", FIELDS[format]: [USER, *messages]}).encode()


def messages(format: str, raw: bytes) -> list[Any]:
    found = json.loads(raw)[FIELDS[format]]
    assert isinstance(found, list)
    return found


def said(format: str, text: str) -> dict[str, Any]:
    if format == "openai_responses":
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {"role": "assistant", "content": text}


def hidden(format: str) -> list[Any]:
    """A hop that the client does not know."""
    return call_and_result(format, "hid_0123456789", "context_prune", {"action": "discard"}, "Done.")


def mixed(format: str, before: int) -> MixedCall:
    [call, _] = hidden(format)
    block = call["content"][0] if format == "anthropic_messages" else call
    block = call["tool_calls"][0] if format == "openai_chat" else block
    return MixedCall(block, "hid_0123456789", "context_prune", "Done.", before)


def kept(raw: bytes, format: str, record: HiddenExchange | bytes) -> Mapping[str, bytes]:
    """The record under each key of what the model said last."""
    *_, said = (
        (step.before, message.value)
        for step, messages in steps_from(frame(raw, format), api_named(format), 0, root("", "", format))
        for message in messages
        if message.model and message.value is not None
    )
    dump = record if isinstance(record, bytes) else record.dump()
    return dict.fromkeys(keys_of(api_named(format), *said), dump)


def expand(raw: bytes, format: str, store: Mapping[str, bytes]) -> bytes:
    def lookup(keys: Iterable[str]) -> Found:
        return Found({key: store[key] for key in keys if key in store})

    threads = Threads(8, 1 << 20, intents=False)
    thread = threads.read(threads.arrive(raw, api_named(format), root("", "", format)), lookup, hides=True)
    return rewritten(thread.cut.body, thread.changes())


@every_format
def test_nothing_kept_leaves_the_very_same_body(format: str) -> None:
    raw = body(format, said(format, "Hello."), USER)
    assert expand(raw, format, {}) is raw
    empty = json.dumps({FIELDS[format]: []}).encode()
    assert expand(empty, format, {"call:x": b"{}"}) is empty


@every_format
@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"format": 7}', b"\xff", b'{"messages": []}'])
def test_a_damaged_record_of_a_hidden_exchange_is_ignored(format: str, damaged: bytes) -> None:
    raw = body(format, said(format, "Hello."), USER)
    assert expand(raw, format, kept(raw, format, damaged)) is raw


@every_format
def test_a_hidden_exchange_of_another_format_is_ignored(format: str) -> None:
    raw = body(format, said(format, "Hello."), USER)
    other = next(one for one in FORMATS if one != format)
    assert expand(raw, format, kept(raw, format, HiddenExchange(other, hidden(other)))) is raw


@every_format
def test_a_hidden_exchange_comes_before_the_text_that_followed_it(format: str) -> None:
    raw = body(format, said(format, "Hello."), USER)
    found = messages(format, expand(raw, format, kept(raw, format, HiddenExchange(format, hidden(format)))))
    assert found[1:3] == json.loads(json.dumps(hidden(format)))
    assert "Hello." in json.dumps(found[3])
    assert found[4] == USER and len(found) == 5


@every_format
def test_a_hidden_exchange_of_another_message_changes_nothing(format: str) -> None:
    raw = body(format, said(format, "Hello."), USER)
    record = HiddenExchange(format, hidden(format), text="Something else that the client has dropped.")
    assert messages(format, expand(raw, format, kept(raw, format, record))) == messages(format, raw)


@every_format
@pytest.mark.parametrize("before", [0, 1, 2, 99])
def test_a_hidden_call_goes_among_two_visible_ones_and_so_does_its_answer(format: str, before: int) -> None:
    pairs = [call_and_result(format, f"toolu_00000000000{n}", "Read", {"n": n}, f"file {n}") for n in (1, 2)]
    calls = [pair[0] for pair in pairs]
    answers = [pair[1] for pair in pairs]
    match format:
        case "anthropic_messages":
            calls = [{**calls[0], "content": [call["content"][0] for call in calls]}]
            answers = [{**answers[0], "content": [answer["content"][0] for answer in answers]}]
        case "openai_chat":
            calls = [{**calls[0], "tool_calls": [call["tool_calls"][0] for call in calls]}]
    raw = body(format, *calls, *answers)
    record = HiddenExchange(format, mixed=[mixed(format, before)])
    first = body(format, calls[0])
    store = kept(first, format, record)
    text = json.dumps(messages(format, expand(raw, format, store)))
    order = ["toolu_000000000001", "toolu_000000000002"]
    order.insert(min(before, 2), "hid_0123456789")
    places = [text.index(id) for id in order]
    assert places == sorted(places)
    places = [text.rindex(id) for id in order]
    assert places == sorted(places)
    assert text.count("hid_0123456789") == 2


@every_format
def test_a_hidden_call_whose_turn_was_not_answered_stays_away(format: str) -> None:
    [call, _] = call_and_result(format, "toolu_000000000001", "Read", {}, "x")
    raw = body(format, call)
    store = kept(raw, format, HiddenExchange(format, mixed=[mixed(format, 0)]))
    assert "hid_0123456789" not in json.dumps(messages(format, expand(raw, format, store)))


@every_format
def test_two_turns_get_each_their_own(format: str) -> None:
    raw = body(format, said(format, "One."), USER, said(format, "Two."), USER)
    store: dict[str, bytes] = {}
    for end, words in ((2, "first"), (4, "second")):
        part = json.dumps({FIELDS[format]: messages(format, raw)[:end]}).encode()
        hop = call_and_result(format, "hid_0123456789", "context_info", {}, words)
        store |= kept(part, format, HiddenExchange(format, hop))
    text = json.dumps(messages(format, expand(raw, format, store)))
    assert text.index("first") < text.index("One.") < text.index("second") < text.index("Two.")


def test_a_message_of_the_model_that_holds_no_content_stays() -> None:
    raw = body("anthropic_messages", {"role": "assistant", "content": 7}, USER)
    assert expand(raw, "anthropic_messages", {}) is raw
    call = {"role": "assistant", "content": None, "tool_calls": 7}
    raw = body("openai_chat", call, USER)
    assert expand(raw, "openai_chat", {}) is raw

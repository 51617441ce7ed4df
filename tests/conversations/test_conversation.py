"""The state that is kept for a conversation, and how the next request is recognised."""

from __future__ import annotations

import json
from typing import Any

from prunus import Settings
from prunus.conversations.conversation import Conversation, Loader
from prunus.conversations.memory import ConversationRecord
from prunus.engine import Engine
from prunus.providers import frame
from prunus.schedule.ledger import Ledger
from tests.generate.encode import encode, marked

ASKED = {"role": "user", "content": "Hi"}
SAID = {"role": "assistant", "content": "Yes?"}
MORE = {"role": "user", "content": "Read it."}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"system": "x", "messages": list(messages), **more}


def conversation(*messages: Any) -> Conversation:
    settings = Settings()
    cut = frame(encode(body(*messages)))
    engine = Engine(
        cut.format.name,
        settings.active_strategies(),
        settings.active_guards(),
        settings.toolbox(),
        settings.counter(),
    )
    load = Loader(cut)
    engine.look(len(messages), load)
    known = Conversation(ConversationRecord("x", Ledger(), len(messages), 1, 0.0, b""), cut, engine)
    known.record(cut, load, [])
    return known


def continued(known: Conversation, request: dict[str, Any]) -> bool:
    cut = frame(encode(request))
    return known.shared(Loader(cut), len(cut)) == len(known.digests)


def test_a_longer_body_with_the_same_messages_continues() -> None:
    assert continued(conversation(ASKED, SAID), body(ASKED, SAID, MORE))


def test_the_same_body_continues() -> None:
    assert continued(conversation(ASKED, SAID), body(ASKED, SAID))


def test_a_moved_cache_marker_continues() -> None:
    assert continued(conversation(ASKED, SAID, MORE), marked(body(ASKED, SAID, MORE)))


def test_other_things_around_the_messages_continue() -> None:
    assert continued(conversation(ASKED, SAID), body(ASKED, SAID, MORE, metadata={"n": 2}, temperature=0))


def test_an_undone_message_does_not_continue() -> None:
    assert not continued(conversation(ASKED, SAID, MORE), body(ASKED, SAID))


def test_another_message_does_not_continue() -> None:
    assert not continued(conversation(ASKED, SAID), body(ASKED, {**SAID, "content": "No."}, MORE))


def test_equal_bytes_are_counted_in_messages() -> None:
    known = frame(encode(body(ASKED, SAID, MORE)))
    assert known.shared(encode(body(ASKED, SAID, MORE, SAID))) == 3
    assert known.shared(encode(body(ASKED, SAID))) == 2
    assert known.shared(encode(body(ASKED, MORE))) == 1
    assert known.shared(encode(body(MORE))) == 0
    assert known.shared(b"") == 0


def test_a_longer_text_does_not_count_as_equal() -> None:
    known = frame(encode(body(ASKED, SAID)))
    assert known.shared(encode(body(ASKED, {**SAID, "content": "Yes? Go on."}))) == 1


def test_a_message_is_parsed_once() -> None:
    load = Loader(frame(encode(body(ASKED, SAID))))
    assert load(1) is load(1)


def test_recording_takes_the_newest_bytes() -> None:
    known = conversation(ASKED, SAID)
    newer = frame(encode(marked(body(ASKED, SAID, MORE))))
    known.record(newer, Loader(newer), [])
    assert len(known.digests) == 3
    assert json.loads(known.last.raw(2))["content"][0]["cache_control"]

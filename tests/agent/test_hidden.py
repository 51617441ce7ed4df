"""The hidden tool: what the client sees, what the model sees, and what later requests look like."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.agent.layer import AgentLayer
from prunus.providers import frame
from prunus.store import StoreError
from tests.agent.scripts import FORMATS, Part, answer, chunks, keep, question, results, understood

SETTINGS = Settings(agent={"offer": "hidden"})
TEXT = "line of a file\n" * 60

every_format = pytest.mark.parametrize("format", FORMATS)
either_way = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
PRUNE = ("call", "hid_0123456789", "context_prune", {"action": "discard", "targets": [["tools"]]})
INFO = ("call", "hid_0123456789", "context_info", {})


class Memory:
    """A store that outlives the layer."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        self.kept[tenant, key] = value

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        return {key: self.kept[tenant, key] for key in keys if (tenant, key) in self.kept}


@dataclass
class Talk:
    """One client behind one proxy."""

    format: str
    streaming: bool
    settings: Settings = SETTINGS
    store: Memory = field(default_factory=Memory)
    messages: list[Any] = field(default_factory=list)
    tools: list[Any] = field(default_factory=list)
    sent: list[list[bytes]] = field(default_factory=list)
    """The messages of each request that went upstream."""
    bodies: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.restart()
        self.messages.append({"role": "user", "content": "Look at the files."})

    def restart(self) -> None:
        self.layer, self.pruner = AgentLayer(self.settings, self.store), Pruner(self.settings)

    def ask(self, *hops: list[Part], size: int = 37) -> dict[str, Any]:
        """One request of the client; the model answers hop by hop."""
        body = question(self.format, self.messages, self.streaming, self.tools)
        exchange = self.layer.open(body, self.format, streaming=self.streaming, tenant="", caller="")
        assert exchange is not None and exchange.reply() is None
        outcome = self.pruner.prune(exchange.before(), format=self.format)
        assert outcome.error is None
        self._note(exchange.after(outcome))
        out = b""
        again: bytes | None = b""
        for parts in hops:
            assert again is not None, "no further call was made"
            for chunk in chunks(answer(self.format, parts, streaming=self.streaming), size):
                out += exchange.feed(chunk)
            rest, again = exchange.end()
            out += rest
            if again is not None:
                further = self.pruner.prune(again, format=self.format)
                assert further.error is None
                self._note(exchange.again(further))
        assert again is None, "a further call was made"
        got = understood(self.format, out, streaming=self.streaming)
        self.messages += keep(self.format, got["message"])
        return got

    def answer(self, *told: tuple[str, str]) -> None:
        self.messages += results(self.format, list(told))

    def _note(self, body: bytes) -> None:
        self.bodies.append(json.loads(body))
        cut = frame(body, self.format)
        self.sent.append([cut.raw(i) for i in range(len(cut))])

    def begun(self) -> None:
        """Two turns in which files are read."""
        for i in range(2):
            self.ask(
                [
                    ("text", f"Step {i}."),
                    ("call", f"toolu_{i:012}", _read(self.format), _file(self.format, f"/{i}")),
                ]
            )
            self.answer((f"toolu_{i:012}", f"File {i}:\n{TEXT}"))


def _read(format: str) -> str:
    return "Read" if format == "anthropic_messages" else "read"


def _file(format: str, path: str) -> dict[str, str]:
    return {"file_path" if format == "anthropic_messages" else "filePath": path}


def words(message: Any) -> str:
    return json.dumps(message)


@every_format
@either_way
def test_the_client_sees_one_message_without_the_hidden_call(format: str, streaming: bool) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    got = talk.ask([("text", "Tidy first. "), PRUNE], [("text", "Now on."), call])
    assert "context_prune" not in words(got["message"])
    assert "hid_0123456789" not in words(got["message"])
    assert "Tidy first. " in words(got["message"]) and "Now on." in words(got["message"])
    assert "toolu_000000000099" in words(got["message"])
    assert got["end"] in ("tool_use", "tool_calls", "completed")
    assert got["output"] == 14


@every_format
@either_way
def test_the_tools_are_offered_and_the_answer_is_the_models_to_read(format: str, streaming: bool) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    talk.ask([("text", "Tidy first. "), PRUNE], [("text", "Done.")])
    assert "context_prune" in words(talk.bodies[0]["tools"]) and "context_info" in words(talk.bodies[0]["tools"])
    before, after = talk.sent[-2], talk.sent[-1]
    changed = [index for index, raw in enumerate(before) if after[index] != raw]
    assert all(b"you discarded it" in after[index] for index in changed) and len(changed) == 2
    assert b"Tidy first. " in b"".join(after[len(before) :])
    assert b"Discarded read of /0, read of /1: 2 results" in after[-1]


@every_format
@either_way
def test_later_requests_show_the_model_its_turn_as_it_was(format: str, streaming: bool) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    talk.ask([("think", "hm"), ("text", "Look. "), INFO], [("think", "ah"), ("text", "Now on."), call])
    further = talk.sent[-1]
    talk.answer(("toolu_000000000099", TEXT))
    talk.ask([("text", "Fine.")])
    assert talk.sent[-1][: len(further)] == further
    rest = b"".join(talk.sent[-1][len(further) :])
    assert b"Look. " not in rest and b"Now on." in rest


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_responses"])
@either_way
@pytest.mark.parametrize("ends", ["call", "text"])
def test_a_tool_that_the_provider_runs_needs_no_answer_of_the_client(
    format: str, streaming: bool, ends: str
) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    second: list[Part] = [("think", "ah"), ("search", "srv_2", "second words"), ("text", "Now on.")]
    talk.ask(
        [("think", "hm"), ("search", "srv_1", "first words"), INFO], [*second, *([call] if ends == "call" else [])]
    )
    further = talk.sent[-1]
    if ends == "call":
        talk.answer(("toolu_000000000099", TEXT))
    else:
        talk.messages.append({"role": "user", "content": "Thanks."})
    talk.ask([("text", "Fine.")])
    assert talk.sent[-1][: len(further)] == further
    whole = b"".join(talk.sent[-1])
    assert (whole.count(b"first words"), whole.count(b"second words"), whole.count(b"Now on.")) == (1, 1, 1)


@every_format
@either_way
def test_a_decision_takes_effect_with_the_next_request_and_stays(format: str, streaming: bool) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    talk.ask([PRUNE], [call])
    talk.answer(("toolu_000000000099", TEXT))
    for _ in range(2):
        talk.ask([("text", "Fine.")])
        assert b"[Prunus: read of /0 removed; you discarded it.]" in b"".join(talk.sent[-1])
        talk.messages.append({"role": "user", "content": "Go on."})


@every_format
@either_way
def test_a_restart_changes_nothing(format: str, streaming: bool) -> None:
    bodies = []
    for restarts in (False, True):
        talk = Talk(format, streaming)
        talk.begun()
        call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
        talk.ask([("text", "Tidy. "), PRUNE], [call])
        talk.answer(("toolu_000000000099", TEXT))
        if restarts:
            talk.restart()
        talk.ask([("text", "Fine.")])
        bodies.append(talk.bodies[-1])
    assert bodies[0] == bodies[1]


@every_format
@either_way
def test_a_turn_that_ends_in_words_is_found_again(format: str, streaming: bool) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    talk.ask([("text", "Look. "), INFO], [("text", "All is well.")])
    further = talk.sent[-1]
    talk.messages.append({"role": "user", "content": "Thanks."})
    talk.ask([("text", "Bye.")])
    assert talk.sent[-1][: len(further)] == further
    assert b"All is well." in b"".join(talk.sent[-1][len(further) :])


@every_format
@either_way
def test_hidden_and_visible_calls_in_one_message(format: str, streaming: bool) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    one: Part = ("call", "toolu_000000000098", _read(format), _file(format, "/8"))
    two: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    got = talk.ask([("text", "All at once."), one, PRUNE, two])
    assert "context_prune" not in words(got["message"])
    talk.answer(("toolu_000000000098", TEXT), ("toolu_000000000099", TEXT))
    talk.ask([("text", "Fine.")])
    whole = b"".join(talk.sent[-1])
    ids = [b"toolu_000000000098", b"hid_0123456789", b"toolu_000000000099"]
    calls = [whole.index(id) for id in ids]
    answers = [whole.index(id, calls[-1] + 1) for id in ids]
    assert calls == sorted(calls) and answers == sorted(answers)
    assert b"[Prunus: read of /0 removed; you discarded it.]" in whole


@every_format
@either_way
def test_hops_are_bounded_and_the_message_still_ends(format: str, streaming: bool) -> None:
    settings = Settings(agent={"offer": "hidden", "hops": 2})
    talk = Talk(format, streaming, settings)
    talk.begun()
    got = talk.ask([INFO], [INFO], [INFO])
    assert "context_info" not in words(got["message"])
    assert got["end"] in ("end_turn", "stop", "completed")
    assert b"go on with the task" in talk.sent[-1][-1]
    talk.messages.append({"role": "user", "content": "Go on."})
    talk.ask([("text", "Fine.")])


@every_format
@either_way
@pytest.mark.parametrize("size", [1, 50, 10_000])
def test_an_answer_without_hidden_calls_passes_byte_for_byte(format: str, streaming: bool, size: int) -> None:
    layer, pruner = AgentLayer(SETTINGS), Pruner(SETTINGS)
    exchange = layer.open(
        question(format, [{"role": "user", "content": "Hi"}]), format, streaming=streaming, tenant="", caller=""
    )
    assert exchange is not None
    exchange.after(pruner.prune(exchange.before(), format=format))
    said: list[Part] = [("think", "x"), ("search", "s1", "words"), ("text", "a [b] [id zz]")]
    raw = answer(format, [*said, ("call", "t1", "Read", {})], streaming=streaming)
    out = b"".join(exchange.feed(chunk) for chunk in chunks(raw, size))
    rest, again = exchange.end()
    assert out + rest == raw and again is None


@every_format
@either_way
@pytest.mark.parametrize("size", [3, 10_000])
def test_ids_that_the_model_repeats_do_not_reach_the_client(format: str, streaming: bool, size: int) -> None:
    talk = Talk(format, streaming)
    talk.begun()
    talk.ask([("text", "Hm.")], size=size)
    id = json.dumps(talk.bodies[-1]).partition("[id ")[2][:6]
    talk.messages.append({"role": "user", "content": "Go on."})
    got = talk.ask([("text", f"See the file.\n[id {id}]\nAnd [id ffffff] and [i")], size=size)
    assert f"[id {id}]" not in words(got["message"])
    assert "[id ffffff] and [i" in words(got["message"])


@every_format
def test_a_further_call_that_fails_ends_the_stream_with_the_providers_error(format: str) -> None:
    layer, pruner = AgentLayer(SETTINGS), Pruner(SETTINGS)
    exchange = layer.open(
        question(format, [{"role": "user", "content": "Hi"}]), format, streaming=True, tenant="", caller=""
    )
    assert exchange is not None
    exchange.after(pruner.prune(exchange.before(), format=format))
    exchange.feed(answer(format, [INFO], streaming=True))
    _, again = exchange.end()
    assert again is not None
    assert b"Slow down" in exchange.fail(
        429, b'{"type":"error","error":{"type":"rate_limit","message":"Slow down"}}'
    )


@every_format
def test_an_answer_that_breaks_off_is_passed_as_it_is(format: str) -> None:
    layer, pruner = AgentLayer(SETTINGS), Pruner(SETTINGS)
    exchange = layer.open(
        question(format, [{"role": "user", "content": "Hi"}]), format, streaming=True, tenant="", caller=""
    )
    assert exchange is not None
    exchange.after(pruner.prune(exchange.before(), format=format))
    raw = answer(format, [("text", "Hello there."), ("call", "t1", "Read", {})], streaming=True)
    half = raw[: len(raw) // 2]
    out = exchange.feed(half)
    rest, again = exchange.end()
    assert out + rest == half and again is None


def test_nothing_is_done_where_nothing_is_offered() -> None:
    layer = AgentLayer(Settings(agent={"offer": "off", "commands": False}))
    assert layer.open(b"{}", "openai_chat", streaming=True, tenant="", caller="") is None


def test_tenants_do_not_share_exchanges() -> None:
    talk = Talk("openai_chat", True)
    talk.begun()
    talk.ask([("text", "Look. "), INFO], [("text", "All is well.")])
    body = question("openai_chat", [*talk.messages, {"role": "user", "content": "Thanks."}])
    for tenant, found in (("", True), ("other", False)):
        exchange = talk.layer.open(body, "openai_chat", streaming=True, tenant=tenant, caller="")
        assert exchange is not None and (b"hid_0123456789" in exchange.before()) is found


@every_format
@either_way
@pytest.mark.parametrize("offer", ["mcp", "hidden"])
def test_a_client_tool_named_context_prune_is_not_hidden(format: str, streaming: bool, offer: str) -> None:
    """By MCP, or by a plugin that has one of the same name."""
    settings = Settings(agent={"offer": offer})
    body = question(format, [{"role": "user", "content": "Hi"}], streaming)
    body = body.replace(b'"Read"', b'"context_prune"').replace(b'"read"', b'"context_prune"')
    exchange = AgentLayer(settings).open(body, format, streaming=streaming, tenant="", caller="")
    assert exchange is not None
    assert exchange.after(Pruner(settings).prune(exchange.before(), format=format)).count(b'"context_prune"') == 1
    raw = answer(format, [("text", "Tidy."), PRUNE], streaming=streaming)
    out = exchange.feed(raw)
    rest, again = exchange.end()
    assert out + rest == raw and again is None


@every_format
def test_a_store_that_is_down_does_not_stop_the_exchange(format: str) -> None:
    class Down(Memory):
        def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
            raise StoreError("locked")

        def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
            raise StoreError("locked")

    told: list[Exception] = []
    talk = Talk(format, True, store=Down())
    talk.layer = AgentLayer(SETTINGS, talk.store, told.append)
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    talk.ask([PRUNE], [call])
    talk.answer(("toolu_000000000099", TEXT))
    talk.ask([("text", "Fine.")])
    assert b"you discarded it" in b"".join(talk.sent[-1])
    assert told and all(isinstance(error, StoreError) for error in told)


@either_way
@pytest.mark.parametrize("first", ["Enough of it.", "Enough of it.\n"])
def test_in_chat_a_blank_line_keeps_the_words_of_two_hops_apart(streaming: bool, first: str) -> None:
    talk = Talk("openai_chat", streaming, Settings(preset="off", agent={"offer": "hidden"}))
    talk.begun()
    got = talk.ask([("text", first), INFO], [INFO], [("text", "\n\nThe sum is 3.")])
    assert got["message"]["content"] == f"{first}\n\n\n\nThe sum is 3."
    further = talk.sent[-1]
    talk.messages.append({"role": "user", "content": "Thanks."})
    talk.ask([("text", "Bye.")])
    assert talk.sent[-1][: len(further)] == further
    assert json.loads(talk.sent[-1][len(further)]) == {"role": "assistant", "content": "\n\nThe sum is 3."}


def trimmed(message: Any) -> Any:
    """A client's copy without spaces around its texts."""
    match message:
        case dict():
            return {key: value.strip() if key == "text" else trimmed(value) for key, value in message.items()}
        case list():
            return [trimmed(item) for item in message]
    return message


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_responses"])
def test_a_copy_that_the_client_trimmed_is_still_known(format: str) -> None:
    talk = Talk(format, True, Settings(preset="off", agent={"offer": "hidden"}))
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    talk.ask([("text", "One. "), INFO], [("text", "Two. "), INFO], [("text", "Three."), call])
    further = talk.sent[-1]
    talk.messages = trimmed(talk.messages)
    talk.answer(("toolu_000000000099", TEXT))
    talk.ask([("text", "Fine.")])
    hops = 4 if format == "anthropic_messages" else 6
    assert talk.sent[-1][len(further) - hops : len(further)] == further[-hops:]
    assert b"".join(talk.sent[-1]).count(b"One.") == 1


@every_format
def test_a_copy_that_the_client_rewrote_stays_merged_and_valid(format: str) -> None:
    talk = Talk(format, True)
    talk.begun()
    call: Part = ("call", "toolu_000000000099", _read(format), _file(format, "/9"))
    talk.ask([("text", "Tidy first. "), INFO], [("text", "Now on."), call])
    talk.messages = json.loads(json.dumps(talk.messages).replace("Tidy first. ", "Something else. "))
    talk.answer(("toolu_000000000099", TEXT))
    talk.ask([("text", "Fine.")])
    whole = b"".join(talk.sent[-1])
    assert b"hid_0123456789" not in whole and b"Something else. " in whole


def test_reasoning_keeps_the_order_of_keys_in_which_the_client_writes_it() -> None:
    talk = Talk("openai_responses", True)
    talk.begun()

    def turn(number: int) -> list[bytes]:
        talk.ask([("think", f"a{number}"), INFO], [("think", f"b{number}"), ("text", f"Yes {number}.")])
        for at, item in enumerate(talk.messages):
            if item.get("type") == "reasoning":
                keys = ("encrypted_content", "summary", "type")
                talk.messages[at] = {key: item[key] for key in (*keys, *(item.keys() - keys))}
        hop = talk.sent[-1]
        talk.messages.append({"role": "user", "content": "Go on."})
        return hop

    turn(1)
    second = turn(2)
    talk.ask([("text", "Bye.")])
    # What the second hop has sent is in the client's order already, as far as that was known then.
    assert talk.sent[-1][: len(second)] == second
    items = [json.loads(raw) for raw in talk.sent[-1]]
    found = [list(item)[:3] for item in items if item.get("type") == "reasoning"]
    assert found == [["encrypted_content", "summary", "type"]] * 4

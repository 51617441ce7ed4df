"""The hidden tool and the commands through a running proxy, its store included."""

from __future__ import annotations

import gzip
import json
import re
import time
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp")

import brotli
import zstandard
from aiohttp import web

from prunus.providers import frame
from prunus.store import open_store
from tests.agent.scripts import FORMATS, Part, answer, keep, question, results, understood
from tests.formats import FIELDS
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind

PATHS = {
    "anthropic_messages": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
}
TEXT = "line of a file\n" * 60
HIDDEN: Part = ("call", "hid_0123456789", "context_prune", {"action": "discard", "targets": [["tools"]]})


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def script(provider: Provider, format: str, streaming: bool, *hops: list[Part]) -> None:
    """The provider answers one request after the other."""
    left = [answer(format, hop, streaming=streaming) for hop in hops]

    async def answered(request: web.Request) -> web.StreamResponse:
        kind = "text/event-stream" if streaming else "application/json"
        return web.Response(body=left.pop(0), headers={"content-type": kind})

    provider.answer = answered


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_a_hidden_decision_over_a_restart(format: str, streaming: bool, provider: Provider, tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "preset": "auto", "agent": {"offer": "hidden"}, "store": {"url": f"sqlite:///{tmp_path / 'p.db'}"},
    }  # fmt: skip
    key, tool = ("file_path", "Read") if format == "anthropic_messages" else ("filePath", "read")
    messages: list[Any] = [{"role": "user", "content": "Look."}]

    def ask(url: str) -> dict[str, Any]:
        body = question(format, messages, streaming)
        answered = call(url, "POST", PATHS[format], body, [("content-type", "application/json")])
        assert answered.status == 200
        got = understood(format, answered.body, streaming=streaming)
        messages.extend(keep(format, got["message"]))
        return got

    with behind(provider, **values) as proxy:
        script(provider, format, streaming, [("call", "toolu_000000000001", tool, {key: "/1"})])
        ask(proxy.url)
        messages += results(format, [("toolu_000000000001", TEXT)])
        second: Part = ("call", "toolu_000000000002", tool, {key: "/2"})
        script(provider, format, streaming, [("text", "Tidy. "), HIDDEN], [("text", "On."), second])
        got = ask(proxy.url)
        assert "context_prune" not in json.dumps(got) and "toolu_000000000002" in json.dumps(got)
    messages += results(format, [("toolu_000000000002", TEXT)])
    with behind(provider, **values) as proxy:
        script(provider, format, streaming, [("text", "Done.")])
        ask(proxy.url)
    last = json.loads(provider.asked[-1].body)
    whole = json.dumps(last[FIELDS[format]])
    assert "[Prunus: read of /1 removed; you discarded it.]" in whole
    assert "hid_0123456789" in whole and "context_prune" in json.dumps(last["tools"])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("preset", ["auto", "acp"])
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_a_discarded_result_goes_in_the_same_turn_and_stays_away(
    format: str, preset: str, streaming: bool, provider: Provider, tmp_path: Path
) -> None:
    """The next call of the model shows the cut, what stands before keeps its bytes, and later requests agree."""
    url = f"sqlite:///{tmp_path / 'p.db'}"
    values: dict[str, Any] = {"preset": preset, "agent": {"offer": "hidden"}, "store": {"url": url}}
    key, tool = ("file_path", "Read") if format == "anthropic_messages" else ("filePath", "read")
    messages: list[Any] = [{"role": "user", "content": "Look."}]

    def ask(url: str, *hops: list[Part]) -> None:
        script(provider, format, streaming, *hops)
        body = question(format, messages, streaming)
        answered = call(url, "POST", PATHS[format], body, [("content-type", "application/json")])
        assert answered.status == 200
        messages.extend(keep(format, understood(format, answered.body, streaming=streaming)["message"]))

    def sent(number: int) -> list[bytes]:
        cut = frame(provider.asked[number].body, format)
        return [cut.raw(index) for index in range(len(cut))]

    with behind(provider, **values) as proxy:
        for n in range(3):
            ask(proxy.url, [("call", f"toolu_00000000000{n}", tool, {key: f"/{n}"})])
            messages += results(format, [(f"toolu_00000000000{n}", f"File {n}\n{TEXT}")])
        ask(proxy.url, [("text", "Hm.")])
        messages.append({"role": "user", "content": "Go on."})
        _, second, third = re.findall(r"\[id ([0-9a-f]+)", b"".join(sent(-1)).decode())
        first: Part = ("call", "hid_0123456789", "context_prune", {"action": "discard", "targets": [[second]]})
        again: Part = ("call", "hid_0123456790", "context_prune", {"action": "discard", "targets": [[third]]})
        ask(proxy.url, [("text", "Tidy. "), first], [again], [("text", "On.")])
        before, hop, last = sent(-3), sent(-2), sent(-1)
        cut = next(index for index, raw in enumerate(before) if b"File 1" in raw)
        assert hop[:cut] == before[:cut] and b"read of /1 removed; you discarded it" in hop[cut]
        assert hop[cut + 1 : len(before)] == before[cut + 1 :], "nothing else changes"
        assert len(hop) > len(before) and b"Discarded read of /1: 1 result" in b"".join(hop[len(before) :])
        cut = next(index for index, raw in enumerate(hop) if b"File 2" in raw)
        assert last[:cut] == hop[:cut] and b"read of /2 removed; you discarded it" in last[cut]
        messages.append({"role": "user", "content": "Thanks."})
        ask(proxy.url, [("text", "Fine.")])
        assert sent(-1)[: len(last)] == last
        recorded(url, 6)
    with behind(provider, **values) as proxy:
        messages.append({"role": "user", "content": "And now?"})
        ask(proxy.url, [("text", "Fine.")])
        assert sent(-1)[: len(last)] == last
    store = open_store(url, existing=True)
    [session] = store.sessions("")
    assert {row.id for row in store.receipts("", session.id)} == {second, third}
    store.close()


@pytest.mark.parametrize("format", FORMATS)
def test_a_command_is_answered_without_the_provider(format: str, provider: Provider) -> None:
    with behind(provider, preset="auto") as proxy:
        body = question(format, [{"role": "user", "content": "/prunus help"}])
        answered = call(proxy.url, "POST", PATHS[format], body, [("content-type", "application/json")])
    assert "[Prunus] " in json.dumps(understood(format, answered.body, streaming=True)["message"])
    assert provider.asked == []


def recorded(url: str, requests: int) -> None:
    """Wait until the store has counted so many requests."""
    store = open_store(url, existing=True)
    while store.totals("").requests != requests:
        time.sleep(0.02)
    store.close()


@pytest.mark.parametrize("key", [[], [("authorization", "Bearer k")]])
@pytest.mark.parametrize("offer", ["off", "hidden"])
def test_statistics_are_those_of_the_conversation(
    offer: str, key: list[tuple[str, str]], provider: Provider, tmp_path: Path
) -> None:
    values: dict[str, Any] = {
        "preset": "auto", "agent": {"offer": offer}, "store": {"url": f"sqlite:///{tmp_path / 'p.db'}"},
    }  # fmt: skip
    headers = [("content-type", "application/json"), *key]
    shown = []
    with behind(provider, **values) as proxy:
        for talk in range(2):
            messages: list[Any] = [{"role": "user", "content": f"Hello {talk}."}]
            for turn in range(talk + 1):
                script(provider, "openai_chat", True, [("text", f"Hello to you {turn}.")])
                body = question("openai_chat", messages)
                answered = call(proxy.url, "POST", PATHS["openai_chat"], body, headers)
                messages.append(understood("openai_chat", answered.body, streaming=True)["message"])
                messages.append({"role": "user", "content": "Go on."})
            recorded(values["store"]["url"], [1, 3][talk])
            messages[-1] = {"role": "user", "content": "/prunus stats"}
            body = question("openai_chat", messages)
            answered = call(proxy.url, "POST", PATHS["openai_chat"], body, headers)
            shown.append(understood("openai_chat", answered.body, streaming=True)["message"]["content"])
    for number, text in enumerate(shown, 1):
        assert text.startswith("[Prunus] ") and "before a summary.\n\nPrunus Statistics" in text
        assert re.search(rf"Session [0-9a-f]+: {number} request", text)
        assert "All time" not in text


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("id", ["", "call_1"])
def test_a_hidden_exchange_goes_out_with_no_other_key(
    format: str, id: str, provider: Provider, tmp_path: Path
) -> None:
    """Two conversations that differ in their first message only, and one that does not differ at all."""
    url = f"sqlite:///{tmp_path / 'p.db'}"
    values: dict[str, Any] = {"preset": "auto", "agent": {"offer": "hidden"}, "store": {"url": url}}
    secret: Part = (
        "call", "hid_0123456789", "context_prune", {"action": "distill", "targets": [["tools", "it is hunter2"]]},
    )  # fmt: skip
    last: Part = ("call", id, "read", {"path": "/1"}) if id else ("text", "Done.")

    def ask(url: str, key: str, messages: list[Any]) -> list[Any]:
        headers = [("content-type", "application/json"), ("authorization", f"Bearer {key}")]
        answered = call(url, "POST", PATHS[format], question(format, messages), headers)
        assert answered.status == 200
        return keep(format, understood(format, answered.body, streaming=True)["message"])

    def sent() -> str:
        return provider.asked[-1].body.decode()

    for restarted in (False, True):
        with behind(provider, **values) as proxy:
            behind_it = [*results(format, [(id, TEXT)])] if id else []
            behind_it.append({"role": "user", "content": "And now?"})
            if not restarted:
                script(provider, format, True, [secret], [last], *[[("text", "Yes.")]] * 4)
                said = ask(proxy.url, "alice", [{"role": "user", "content": "Hi."}])
            else:
                script(provider, format, True, *[[("text", "Yes.")]] * 3)
            ask(proxy.url, "bob", [{"role": "user", "content": "Hello."}, *said, *behind_it])
            assert "hunter2" not in sent()
            ask(proxy.url, "bob", [{"role": "user", "content": "Hi."}, *said, *behind_it])
            assert "hunter2" not in sent()
            ask(proxy.url, "alice", [{"role": "user", "content": "Hi."}, *said, *behind_it])
            assert "hunter2" in sent()
    assert b"alice" not in (tmp_path / "p.db").read_bytes()


ENCODE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("encoding", ENCODE)
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_an_answer_that_is_compressed_all_the_same_hides_the_call(
    encoding: str, streaming: bool, provider: Provider
) -> None:
    format = "anthropic_messages"
    hops: list[list[Part]] = [[("text", "Tidy. "), HIDDEN], [("text", "Done.")]]
    left = [ENCODE[encoding](answer(format, hop, streaming=streaming)) for hop in hops]
    kind = "text/event-stream" if streaming else "application/json"

    async def answered(request: web.Request) -> web.StreamResponse:
        assert request.headers["accept-encoding"] == "identity"
        headers = {"content-type": kind, "content-encoding": encoding, "content-digest": "sha-256=:x:"}
        return web.Response(body=left.pop(0), headers=headers)

    provider.answer = answered
    with behind(provider, preset="auto", agent={"offer": "hidden"}) as proxy:
        body = question(format, [{"role": "user", "content": "Look."}], streaming)
        got = call(proxy.url, "POST", PATHS[format], body, [("content-type", "application/json")])
    names = {name.lower() for name, _ in got.headers}
    assert got.status == 200 and not names & {"content-encoding", "content-digest"}
    told = understood(format, got.body, streaming=streaming)
    assert "context_prune" not in json.dumps(told) and "Done." in json.dumps(told) and told["output"] == 14
    assert left == [] and "hid_0123456789" in provider.asked[-1].body.decode()


@pytest.mark.parametrize("encoding", ["gzip", "nonsense"])
def test_an_answer_that_cannot_be_decoded_does_not_look_whole(encoding: str, provider: Provider) -> None:
    """One in an encoding that nobody knows passes as it came; one that is not what it says is cut off."""

    async def answered(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"plain words", headers={"content-encoding": encoding})

    provider.answer = answered
    with behind(provider, preset="auto", agent={"offer": "hidden"}) as proxy:
        body = question("openai_chat", [{"role": "user", "content": "Look."}])
        if encoding == "nonsense":
            got = call(proxy.url, "POST", PATHS["openai_chat"], body, [("content-type", "application/json")])
            assert got.body == b"plain words" and ("content-encoding", "nonsense") in got.headers
            return
        with pytest.raises((ConnectionError, HTTPException)):
            call(proxy.url, "POST", PATHS["openai_chat"], body, [("content-type", "application/json")])


@pytest.mark.parametrize("format", FORMATS)
def test_a_request_without_tools_gets_no_guidance_unless_it_continues_a_conversation(
    format: str, provider: Provider
) -> None:
    def without_tools(messages: list[Any]) -> bytes:
        body = json.loads(question(format, messages))
        del body["tools"]
        return json.dumps(body).encode()

    said = "anchor the essential"
    key, tool = ("file_path", "Read") if format == "anthropic_messages" else ("filePath", "read")
    messages: list[Any] = [{"role": "user", "content": "Look."}]
    kind = [("content-type", "application/json")]
    with behind(provider, preset="acp", agent={"offer": "hidden"}) as proxy:
        title = without_tools([{"role": "user", "content": "A title for this, please."}])
        script(provider, format, True, [("text", "Title.")])
        call(proxy.url, "POST", PATHS[format], title, kind)
        assert provider.asked[-1].body == title
        for n in range(3):
            script(provider, format, True, [("call", f"toolu_00000000000{n}", tool, {key: "/1"})])
            answered = call(proxy.url, "POST", PATHS[format], question(format, messages), kind)
            assert said in provider.asked[-1].body.decode()
            messages += keep(format, understood(format, answered.body, streaming=True)["message"])
            messages += results(format, [(f"toolu_00000000000{n}", TEXT)])
        messages.append({"role": "user", "content": "A summary, please."})
        script(provider, format, True, [("text", "Summary.")])
        call(proxy.url, "POST", PATHS[format], without_tools(messages), kind)
        whole = provider.asked[-1].body.decode()
        assert said in whole and "[auto-superseded: " in whole, "it carries the edits that are in force"

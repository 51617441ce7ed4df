"""The relay passes requests on, keeps them, and holds the budget."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from prunus.ab.exchanges import Meter, append, read_exchanges, usage_in
from prunus.ab.relay import Relay
from prunus.providers.usage import Usage
from tests.upstream import Fault, Run, Script, Step, Upstream
from tests.upstream.player import FORMATS, Player

NAMES = ("anthropic", "openai", "gemini")


@pytest.fixture
def up() -> Iterator[Upstream]:
    steps = (*(Step((Run(f"make {n}"),)) for n in range(3)), Step(text="Done."))
    with Upstream(Script(steps)) as running:
        yield running


def relay(up: Upstream, folder: Path, budget: float = 10.0, prefix: str = "") -> Relay:
    upstreams = dict.fromkeys(NAMES, up.url + prefix)
    return Relay(upstreams, "openai", Meter(budget), folder)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_usage_is_that_of_the_provider(up: Upstream, tmp_path: Path, format: str, stream: bool) -> None:
    with relay(up, tmp_path) as running:
        Player(running.url, format, stream).play()
    kept = list(read_exchanges(tmp_path))
    assert [one.number for one in kept] == [0, 1, 2, 3]
    assert [one.request.encode() for one in kept] == [request.bytes for request in up.requests]
    for one, request in zip(kept, up.requests, strict=True):
        used = one.usage
        assert used is not None
        assert used.input + used.cache_read + used.cache_write == request.usage.input
        assert (used.cache_read, used.output) == (request.usage.read, request.usage.output)
        assert one.model and one.status == 200


def test_a_named_upstream_is_found_below_its_name(up: Upstream, tmp_path: Path) -> None:
    with relay(up, tmp_path) as running:
        Player(f"{running.url}/@anthropic", "anthropic_messages").step()
    assert [request.path for request in up.requests] == ["/v1/messages"]


def test_errors_of_the_provider_are_passed_on_and_cost_nothing(up: Upstream, tmp_path: Path) -> None:
    up.fail(Fault("429"))
    with relay(up, tmp_path) as running:
        assert Player(running.url, "openai_chat").send().status == 429
    [kept] = read_exchanges(tmp_path)
    assert (kept.status, kept.usage) == (429, None)


def test_a_silent_provider_is_a_502(tmp_path: Path) -> None:
    upstreams = {"openai": "http://127.0.0.1:9"}
    with Relay(upstreams, "openai", Meter(1.0), tmp_path) as running:
        reply = Player(running.url, "openai_chat").send()
    assert reply.status == 502
    assert b"the provider does not answer" in reply.bytes
    [kept] = read_exchanges(tmp_path)
    assert kept.status == 0


def test_nothing_is_sent_once_the_budget_is_used_up(up: Upstream, tmp_path: Path) -> None:
    meter = Meter(0.0)
    with Relay(dict.fromkeys(NAMES, up.url), "openai", meter, tmp_path) as running:
        reply = Player(running.url, "openai_chat").send()
    assert reply.status == 402
    assert b"the budget of $0.00 is used up" in reply.bytes
    assert up.requests == [] and meter.refusal


def test_a_model_without_a_price_is_refused(up: Upstream, tmp_path: Path) -> None:
    with relay(up, tmp_path) as running:
        player = Player(running.url, "openai_chat")
        player.body["model"] = "mystery"
        reply = player.send()
    assert b"no dollar price is known for the model mystery" in reply.bytes
    assert up.requests == []


def test_an_upgrade_is_refused(up: Upstream, tmp_path: Path) -> None:
    asked = {"Connection": "Upgrade", "Upgrade": "websocket"}
    with relay(up, tmp_path) as running, pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(f"{running.url}/v1/responses", headers=asked))
    with caught.value as refused:
        assert refused.code == 426


def test_keys_are_passed_on_and_not_kept(up: Upstream, tmp_path: Path) -> None:
    with relay(up, tmp_path) as running:
        Player(running.url, "openai_chat").send(headers={"authorization": "Bearer secret-key"})
    assert up.requests[0].headers["Authorization"] == "Bearer secret-key"
    assert "secret-key" not in json.dumps([one.request + one.answer for one in read_exchanges(tmp_path)])


def test_a_transcript_that_was_cut_off_is_read_to_its_last_whole_line(up: Upstream, tmp_path: Path) -> None:
    with relay(up, tmp_path) as running:
        Player(running.url, "openai_chat").play()
    kept = list(read_exchanges(tmp_path))
    path = tmp_path / "exchanges.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    assert list(read_exchanges(tmp_path)) == kept[:-1]
    assert list(read_exchanges(tmp_path / "nowhere")) == []


def test_writes_that_live_for_an_hour_are_counted_separately() -> None:
    counts = {"input_tokens": 5, "cache_creation_input_tokens": 30, "output_tokens": 2}
    split = {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}
    answer = json.dumps({"usage": {**counts, "cache_creation": split}}).encode()
    assert usage_in(answer) == (Usage(5, 0, 30, 2), 20)


def test_exchanges_are_appended(tmp_path: Path, up: Upstream) -> None:
    with relay(up, tmp_path) as running:
        Player(running.url, "openai_chat").step()
    [first] = read_exchanges(tmp_path)
    append(tmp_path, first)
    assert list(read_exchanges(tmp_path)) == [first, first]

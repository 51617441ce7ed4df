"""A proxy with a Redis store prunes as without one, says that it keeps no receipts, and survives the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from prunus.cli import main
from prunus.proxy.exchange import Event
from tests.proxy.breaks import undeclared
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body
from tests.proxy.test_store_faults import play, sent_without_a_store
from tests.store import redis_server
from tests.store.redis_server import RedisServer

pytestmark = pytest.mark.skipif(bool(redis_server.missing()), reason=redis_server.missing())


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server.running() as server:
        yield server


def freeze(redis: RedisServer) -> Callable[[], None]:
    frozen = redis.frozen()
    frozen.__enter__()
    return lambda: frozen.__exit__(None, None, None) and None


def kill(redis: RedisServer) -> Callable[[], None]:
    redis.kill()
    return redis.start


def fill(redis: RedisServer) -> Callable[[], None]:
    full = redis.full()
    full.__enter__()
    return lambda: full.__exit__(None, None, None) and None


def flush(redis: RedisServer) -> Callable[[], None]:
    with redis.client() as client:
        client.flushall()
    return lambda: None


@pytest.mark.parametrize("harm", [freeze, kill, fill, flush])
def test_requests_pass_while_a_redis_server_fails(
    provider: Provider, redis: RedisServer, harm: Callable[[RedisServer], Callable[[], None]]
) -> None:
    events: list[Event] = []
    with behind(provider, watch=events, store={"url": redis.url}) as proxy:
        assert play(proxy.url, 2, 4) == [200] * 2
        mend = harm(redis)
        assert play(proxy.url, 4, 6) == [200] * 2
        mend()
        assert play(proxy.url, 6, 8) == [200] * 2
    assert undeclared([asked.body for asked in provider.asked], events) == []


def test_two_proxies_send_what_one_would_send(provider: Provider, redis: RedisServer) -> None:
    with behind(provider, store={"url": redis.url}) as one, behind(provider, store={"url": redis.url}) as two:
        for count in range(2, 8):
            play((one, two)[count % 2].url, count, count + 1)
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 8))


def test_pages_and_commands_say_that_no_receipts_are_kept(provider: Provider, redis: RedisServer) -> None:
    with behind(provider, store={"url": redis.url}) as proxy:
        play(proxy.url, 2, 4)
        for page in ("", "conversations", "receipts", "strategies"):
            shown = call(proxy.url, "GET", f"/dashboard/{page}")
            assert shown.status == 404
            assert b"keeps no requests, receipts, originals and totals" in shown.body
        assert call(proxy.url, "GET", "/dashboard/settings").status == 200
        answer = json.loads(call(proxy.url, "POST", "/v1/compress", body("openai_chat", 6)).body)
        assert answer["ccr_hashes"] == []
        assert call(proxy.url, "GET", f"/v1/retrieve/{'0' * 24}").status == 404
    for words in (["stats"], ["sessions"], ["receipts"], ["restore", "abcdef"], ["context"]):
        result = run(*words, "--store", redis.url)
        assert result.exit_code == 2, result.output
        assert "keeps no requests, receipts, originals and totals" in result.stderr


def test_a_sweep_from_a_terminal_reaches_the_next_request(provider: Provider, redis: RedisServer) -> None:
    with behind(provider, store={"url": redis.url}, agent={"offer": "mcp"}) as proxy:
        play(proxy.url, 2, 4)
        assert "goes without the newest 1 results" in run("sweep", "1", "--store", redis.url).stdout
        info = json.loads(run("store", "info", "--json", "--store", redis.url).stdout)
        assert (info["conversations"], info["keeps_receipts"]) == (1, False)
        assert "not kept" in run("store", "info", "--store", redis.url).stdout
        assert run("store", "forget", "--older-than", "1h", "--yes", "--store", redis.url).exit_code == 0


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)

"""Who may use the proxy, and what never leaves it."""

import logging
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from prunus.errors import SettingsError
from prunus.proxy.security import Gate, Refused, check_address, is_loopback
from prunus.proxy.serve import bind
from prunus.settings import Settings
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import PATHS, body


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
def test_loopback_needs_no_token(host: str) -> None:
    assert is_loopback(host)
    check_address(host, "")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com", ""])
def test_an_address_other_than_loopback_needs_a_token(host: str) -> None:
    for token in ("", " ", ",", " , "):
        with pytest.raises(SettingsError, match=r"proxy\.token"):
            check_address(host, token)
    check_address(host, "secret")


def test_the_proxy_does_not_listen_for_others_without_a_token() -> None:
    with pytest.raises(SettingsError):
        bind(Settings(proxy={"host": "0.0.0.0", "port": 0}))


@pytest.mark.parametrize("host", ["localhost:8787", "127.0.0.1:1", "[::1]:8787", "LOCALHOST", "box.lan:80"])
def test_names_of_ours_are_let_in(host: str) -> None:
    assert Gate.build("", "127.0.0.1", ("box.lan",)).admit({"host": host}) == ""


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:1", "", "::1"])
def test_a_name_that_was_rebound_is_refused(host: str) -> None:
    refused = Gate.build("", "127.0.0.1").admit({"host": host})
    assert isinstance(refused, Refused)
    assert refused.status == 403


def test_a_web_page_is_refused() -> None:
    gate = Gate.build("", "127.0.0.1")
    assert isinstance(gate.admit({"host": "localhost:8787", "origin": "https://evil.example"}), Refused)
    assert isinstance(gate.admit({"host": "localhost:8787", "origin": "null"}), Refused)
    assert gate.admit({"host": "localhost:8787", "origin": "http://localhost:8787"}) == ""


@pytest.mark.parametrize("token", ["", "secret"])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site", "anything"])
def test_a_request_of_another_site_is_refused_on_every_path(provider: Provider, token: str, site: str) -> None:
    with behind(provider, proxy={"token": token}) as proxy:
        for method, path in (("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/v1/models"), ("POST", "/v1/x")):
            headers = [("sec-fetch-site", site), ("x-prunus-token", token)]
            assert call(proxy.url, method, path, b"{}", headers).status == 403
            headers = [("sec-fetch-site", "none"), ("x-prunus-token", token)]
            assert call(proxy.url, method, path, b"{}", headers).status == 200
    assert len(provider.asked) == 2


def test_health_is_shown_only_under_the_names_of_the_proxy(provider: Provider) -> None:
    with behind(provider) as proxy:
        assert call(proxy.url, "GET", "/healthz", headers=[("host", "evil.example")]).status == 403
        assert call(proxy.url, "GET", "/healthz", headers=[("origin", "https://evil.example")]).status == 403
        assert call(proxy.url, "GET", "/healthz").status == 200


@pytest.mark.parametrize("coding", ["utf-8", "latin-1"])
def test_a_token_may_have_letters_beyond_ascii(coding: str) -> None:
    gate = Gate.build("schlüssel", "127.0.0.1")
    shown = "schlüssel".encode(coding).decode("latin-1")
    assert gate.admit({"x-prunus-token": shown}) == next(iter(gate.tokens))


def test_tokens_tell_tenants_apart_and_their_names_do_not_show_them() -> None:
    gate = Gate.build("alpha, beta", "0.0.0.0")
    one, two = (gate.admit({"host": "any", "x-prunus-token": token}) for token in ("alpha", "beta"))
    assert isinstance(one, str)
    assert isinstance(two, str)
    assert one != two
    assert "alpha" not in one
    for wrong in ({}, {"x-prunus-token": ""}, {"x-prunus-token": "alph"}, {"x-prunus-token": "alpha, beta"}):
        refused = gate.admit({"host": "localhost", **wrong})
        assert isinstance(refused, Refused)
        assert refused.status == 401


def test_the_gate_stands_before_everything_but_health(provider: Provider) -> None:
    with behind(provider, proxy={"token": "secret"}) as proxy:
        for method, path in (
            ("POST", "/v1/messages"),
            ("GET", "/v1/models"),
            ("GET", "/metrics"),
            ("OPTIONS", "/"),
        ):
            assert call(proxy.url, method, path, b"{}").status == 401
        assert call(proxy.url, "GET", "/healthz").status == 200
        shown = [("x-prunus-token", "secret")]
        assert call(proxy.url, "GET", "/metrics", headers=shown).status == 200
        assert call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"), shown).status == 200
    with behind(provider) as proxy:
        assert call(proxy.url, "GET", "/metrics", headers=[("host", "evil.example")]).status == 403
        assert call(proxy.url, "GET", "/v1/models", headers=[("origin", "https://evil.example")]).status == 403
    [asked] = provider.asked
    assert asked.header("x-prunus-token") is None


def test_no_api_key_is_stored_or_shown_anywhere(
    provider: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    keys = ["sk-in-bearer", "sk-in-x-api-key", "sk-in-goog", "sk-in-query", "sk-in-cookie", "sk-token-of-prunus"]
    headers = [
        ("authorization", "Bearer sk-in-bearer"), ("x-api-key", "sk-in-x-api-key"),
        ("x-goog-api-key", "sk-in-goog"), ("cookie", "session=sk-in-cookie"),
        ("x-prunus-token", "sk-token-of-prunus"),
    ]  # fmt: skip
    failing = [200, 400, 500]

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response({"usage": {"input_tokens": 9}}, status=failing[len(provider.asked) % 3])

    provider.answer = answer
    events: list[Any] = []
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    with behind(provider, watch=events, store=store, proxy={"token": "sk-token-of-prunus"}) as proxy:
        for format, path in PATHS.items():
            call(proxy.url, "POST", f"{path}?key=sk-in-query", body(format), headers)
        call(proxy.url, "GET", "/v1/models?key=sk-in-query", headers=headers)
        call(proxy.url, "POST", "/v1/messages?key=sk-in-query", b"{broken", headers)
        provider.answer = _hang_up
        failed = call(proxy.url, "POST", "/v1/messages?key=sk-in-query", body("anthropic_messages"), headers)
        metrics = call(proxy.url, "GET", "/metrics", headers=headers)
        assert failed.status == 502
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"anthropic_messages" in raw for raw in kept)
    out, err = capfd.readouterr()
    said = [out, err, caplog.text, repr(events), failed.body.decode(), metrics.body.decode()]
    for key in keys:
        assert not [text for text in said if key in text]
        assert not [raw for raw in kept if key.encode() in raw]


async def _hang_up(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def test_tenants_never_see_each_others_originals(provider: Provider, tmp_path: Path) -> None:
    from prunus.store import open_store

    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}, proxy={"token": "alpha,beta"}) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"), [("x-prunus-token", "alpha")])
    gate = Gate.build("alpha,beta", "127.0.0.1")
    one, two = gate.tokens
    store = open_store(url)
    [receipt, *_] = store.receipts(one)
    assert store.original(one, receipt.original)
    assert store.receipts(two) == []
    assert store.original(two, receipt.original) is None
    assert store.receipts("") == []
    store.close()

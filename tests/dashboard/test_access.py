"""Who gets a page of the dashboard, and what never happens to those who do not."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from prunus.proxy.app import App
from prunus.settings import Settings
from prunus.store import Store, StoredSession
from prunus.store.in_memory import InMemoryStore
from tests.dashboard.conftest import Site
from tests.dashboard.sample import fill
from tests.proxy.caller import Answered, call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body

PATHS = ("/dashboard/", "/dashboard/conversations", "/dashboard/receipts", "/dashboard/settings", "/dashboard/live")


def test_a_browser_that_asks_for_the_root_gets_the_dashboard(site: Site, provider: Provider) -> None:
    answered = site.get("/")
    assert (answered.status, answered.header("location")) == (303, "/dashboard/")
    assert site.get("/dashboard").header("location") == "/dashboard/"
    assert provider.asked == []


def test_a_program_that_asks_for_the_root_still_gets_the_provider(site: Site, provider: Provider) -> None:
    for method, accept in (
        ("GET", "*/*"),
        ("GET", "application/json"),
        ("HEAD", "text/html"),
        ("POST", "text/html"),
    ):
        assert call(site.proxy.url, method, "/", b"{}", [("accept", accept)]).status == 200
    assert len(provider.asked) == 4


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        [("host", "evil.example")],
        [("host", "127.0.0.1.evil.example:80")],
        [("origin", "https://evil.example")],
        [("origin", "null")],
        [("sec-fetch-site", "cross-site")],
        [("sec-fetch-site", "same-site")],
    ],
)
def test_pages_of_others_and_rebound_names_get_nothing(
    site: Site, path: str, headers: list[tuple[str, str]]
) -> None:
    answered = site.get(path, *headers)
    assert answered.status == 403
    assert site.ids[0][:8].encode() not in answered.body


def test_a_form_of_another_page_changes_nothing(site: Site) -> None:
    receipt = site.store.receipts("", site.ids[0])[0]
    path = f"/dashboard/receipts/{receipt.conversation}/{receipt.message}.{receipt.part}/restore"
    for headers in (
        [],
        [("origin", "null")],
        [("origin", "https://evil.example")],
        [("origin", f"https://{site.host}")],
        [("origin", f"http://{site.host}"), ("sec-fetch-site", "cross-site")],
        [("origin", "http://localhost:1")],
    ):
        assert site.post(path, *headers).status == 403
    assert site.store.asked("", receipt.conversation) == ()
    assert site.get(path).status == 404
    assert site.post(path, ("origin", f"http://{site.host}")).status == 303
    assert site.store.asked("", receipt.conversation) == (f"restore {receipt.id}",)


def test_every_answer_forbids_content_from_other_sites(site: Site) -> None:
    for path in ("/dashboard/", "/dashboard/nothing", "/dashboard/static/dashboard.js", "/"):
        answered = site.get(path)
        policy = answered.header("content-security-policy") or ""
        assert policy.startswith("default-src 'self';") and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy
        assert answered.header("x-content-type-options") == "nosniff"
        assert answered.header("x-frame-options") == "DENY"
    assert site.get("/dashboard/").header("cache-control") == "no-store"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_refused_and_reach_no_provider(site: Site, provider: Provider, method: str) -> None:
    assert call(site.proxy.url, method, "/dashboard/", b"").status == 405
    assert provider.asked == []


@pytest.mark.parametrize("path", ["static/../page.py", "static/%2e%2e/page.py", "static/", "static/uplot.LICENSE"])
def test_only_listed_files_are_served(site: Site, path: str) -> None:
    assert site.get(f"/dashboard/{path}").status == 404


def code(url: str, *headers: tuple[str, str]) -> Answered:
    return call(url, "POST", "/dashboard/code", b"", headers)


def test_a_proxy_with_a_token_refuses_callers_without_it(provider: Provider, store: Store, tmp_path: Path) -> None:
    fill(store, 1, 5)
    with behind(provider, store={"url": f"sqlite:///{tmp_path / 'store.db'}"}, proxy={"token": "secret"}) as proxy:
        for path in PATHS:
            answered = call(proxy.url, "GET", path, headers=[("accept", "text/html")])
            assert answered.status == 401
            assert b"prunus dashboard" in answered.body
        assert code(proxy.url).status == 403
        assert code(proxy.url, ("x-prunus-token", "wrong")).status == 401
        assert call(proxy.url, "GET", "/dashboard/", headers=[("cookie", "prunus=secret")]).status == 401


def test_a_code_signs_a_browser_in_once(
    provider: Provider, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}, proxy={"token": "alpha,beta"}) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"), [("x-prunus-token", "alpha")])
        path = json.loads(code(proxy.url, ("x-prunus-token", "alpha")).body)["path"]
        answered = call(proxy.url, "GET", path)
        assert (answered.status, answered.header("location")) == (303, "/dashboard/")
        cookie = (answered.header("set-cookie") or "").partition(";")[0]
        assert "alpha" not in path + cookie
        assert call(proxy.url, "GET", path).status == 401
        own = [("cookie", cookie)]
        while (page := call(proxy.url, "GET", "/dashboard/conversations", headers=own)).status == 200:
            if b"claude-sonnet-4-5" in page.body:
                break
            time.sleep(0.02)  # the store gets the numbers of a request after its answer
        assert page.status == 200
        other = json.loads(code(proxy.url, ("x-prunus-token", "beta")).body)["path"]
        theirs = (call(proxy.url, "GET", other).header("set-cookie") or "").partition(";")[0]
        page = call(proxy.url, "GET", "/dashboard/conversations", headers=[("cookie", theirs)])
        assert page.status == 200 and b"claude-sonnet-4-5" not in page.body
        for name in ("evil.example", "evil.example:80"):
            headers = [("cookie", cookie), ("host", name)]
            assert call(proxy.url, "GET", "/dashboard/", headers=headers).status == 403
        headers = [("cookie", cookie), ("origin", "https://evil.example")]
        assert call(proxy.url, "GET", "/dashboard/", headers=headers).status == 403
        # The cookie is for pages only.
        assert call(proxy.url, "GET", "/metrics", headers=[("cookie", cookie)]).status == 401
    assert path.partition("=")[2] not in caplog.text


def test_the_token_is_not_on_the_page_of_settings(provider: Provider, store: Store, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    upstreams = {"anthropic": "https://someone:pass-word@api.example/v1", "more": ["x=http://u:pass-word@host"]}
    with behind(provider, store={"url": url}, proxy={"token": "s3cret"}, upstreams=upstreams) as proxy:
        page = call(proxy.url, "GET", "/dashboard/settings", headers=[("x-prunus-token", "s3cret")])
    assert page.status == 200
    assert b"s3cret" not in page.body and b"pass-word" not in page.body and b"someone" not in page.body
    assert b"https://api.example/v1" in page.body


@pytest.mark.parametrize(
    ("address", "status"),
    [("127.0.0.1", 200), ("::1", 200), ("::ffff:127.0.0.1", 200), ("192.168.1.5", 403), ("::ffff:10.0.0.1", 403)],
)
def test_the_dashboard_is_for_this_machine_only(store: Store, address: str, status: int) -> None:
    app = App(Settings(proxy={"host": "0.0.0.0", "token": "alpha"}), store)
    assert asyncio.run(asked(app, "/dashboard/settings", address, (b"x-prunus-token", b"alpha"))) == status


async def asked(app: App, path: str, address: str = "127.0.0.1", *more: tuple[bytes, bytes]) -> int:
    """The status of a request from some address."""
    scope = {
        "type": "http",
        "method": "GET",
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost:8787"), *more],
        "client": (address, 40_000),
    }
    said: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    await app(scope, receive, send)
    return int(said[0]["status"])


def test_a_page_that_waits_for_the_store_delays_no_request() -> None:
    reading, go_on = threading.Event(), threading.Event()

    class SlowStore(InMemoryStore):
        """A store whose disk does not answer."""

        def sessions(
            self, tenant: str, limit: int | None = None, *, offset: int = 0, id: str = "", words: str = ""
        ) -> list[StoredSession]:
            reading.set()
            assert go_on.wait(60)
            return []

    async def both() -> tuple[int, int]:
        app = App(Settings(), SlowStore())
        page = asyncio.create_task(asked(app, "/dashboard/conversations"))
        await asyncio.to_thread(reading.wait, 60)
        health = await asked(app, "/healthz")
        assert not page.done()
        go_on.set()
        return health, await page

    assert asyncio.run(both()) == (200, 200)

"""What the pages say, over plain HTTP."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prunus.cli import main
from prunus.dashboard.dashboard import answer
from prunus.dashboard.page import PageRequest, Sources
from prunus.history import Ref
from prunus.report.bill import bill_of
from prunus.report.spending import periods
from prunus.settings import Settings
from prunus.store import Store, StoreError, open_store
from prunus.text.numbers import dollars
from tests.dashboard.conftest import Site
from tests.dashboard.sample import fill, name_of
from tests.dashboard.test_markup import HOSTILE, seen
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import TEXT, body
from tests.store.samples import exchange, flush, receipt

EVERY = ("", "conversations", "receipts", "strategies", "settings")


def page(store: Store, path: str, **query: str) -> str:
    found = answer(PageRequest("GET", path, query), Sources(Settings(), store, clock=lambda: 2_000.0))
    assert found.status == 200
    return found.body.decode()


def test_every_page_answers_with_an_empty_store(store: Store) -> None:
    for path in EVERY:
        assert "<h1>" in page(store, path)


def test_every_page_answers_where_the_store_is_off(provider: Provider) -> None:
    with behind(provider) as proxy:
        for path in EVERY:
            assert call(proxy.url, "GET", f"/dashboard/{path}").status == 200


def test_an_unknown_page_is_not_found(site: Site) -> None:
    for path in (
        "nothing",
        "conversations/nobody",
        "receipts/nobody/1.0",
        f"receipts/{site.ids[0]}/x.y",
        "a/b/c/d",
    ):
        assert site.get(f"/dashboard/{path}").status == 404


def test_the_overview_tells_the_same_sums_as_the_statistics(store: Store) -> None:
    fill(store, 3, 30)
    settings = Settings()
    rows = store.days("")
    bill = bill_of(rows, settings.money())
    assert bill.saved.dollars > 0.5
    found = answer(PageRequest("GET", ""), Sources(settings, store)).body.decode()
    shown = found.partition("Last 30 days")[2]
    for words in (str(bill.saved), str(bill.paid), f"{bill.unpruned} without Prunus"):
        assert words in shown.partition("</dl>")[0]
    for by in ("agent", "model"):
        for period in periods(rows, by, settings.money()):
            row = shown.partition(f">{period.name}</td>")[2].partition("</tr>")[0]
            assert str(period.bill.saved) in row
    assert "the cache had expired" in shown and "Prunus cut something" in shown


def test_a_conversation_tells_the_same_savings_as_the_statistics(tmp_path: Path, store: Store) -> None:
    id = fill(store, 1, 80)[0]
    said = CliRunner().invoke(main, ["stats", id, "--json", "--store", f"sqlite:///{tmp_path / 'store.db'}"])
    told = json.loads(said.stdout)["session"]["dollars"]
    assert told["cost_of_asking_again"] > 0.005
    shown = page(store, f"conversations/{id}").partition("</dl>")[0]
    assert dollars(told["saved"]) in shown and f"{dollars(told['unpruned'])} without Prunus" in shown


def test_savings_with_two_models_are_those_of_the_statistics(tmp_path: Path, store: Store) -> None:
    id = fill(store, 1, 400)[0]
    [session] = store.sessions("", 1)
    cheap = {"model": "claude-haiku-4-5", "cost": 1e7, "cost_unpruned": 2e7, "time": session.last + 1}
    store.record("", exchange(id, 401, **cheap))
    said = CliRunner().invoke(main, ["stats", id, "--json", "--store", f"sqlite:///{tmp_path / 'store.db'}"])
    told = json.loads(said.stdout)["session"]["dollars"]
    assert dollars(told["saved"]) in page(store, f"conversations/{id}").partition("</dl>")[0]


def test_a_model_without_a_price_is_shown_in_tokens(store: Store) -> None:
    store.record("", exchange("c1", 1, time=1_990.0, model="home-grown", cost=4_000.0, cost_unpruned=9_000.0))
    shown = page(store, "")
    assert "5K tokens" in shown and "$" not in shown.partition("Newest requests")[0]
    assert "4K tokens" in page(store, "conversations/c1")


def test_a_group_with_a_model_without_a_price_shows_dollars_and_tokens(store: Store) -> None:
    costs = {"time": 1_990.0, "client": "pi", "cost": 1e6, "cost_unpruned": 3e6}
    store.record("", exchange("c1", 1, model="claude-sonnet-4-5", **costs))
    store.record("", exchange("c1", 2, model="home-grown", **costs))
    shown = page(store, "")
    row = shown.partition(">pi</td>")[2].partition("</tr>")[0]
    assert "$3.00 + 1M tokens" in row and "$6.00 + 2M tokens" in row
    assert "$6.00 + 2M tokens" in shown.partition("</dl>")[0]


def test_prices_of_the_settings_count(store: Store) -> None:
    store.record("", exchange("c1", 1, time=1_990.0, model="home-grown", cost=1e6, cost_unpruned=3e6))
    settings = Settings(prices=[{"model": "home-*", "input": 7}])
    found = answer(PageRequest("GET", ""), Sources(settings, store, clock=lambda: 2_000.0)).body.decode()
    assert "$14.00" in found and "$21.00 without Prunus" in found


def test_the_settings_show_no_token_no_key_and_no_password(store: Store) -> None:
    key = "cGx1bXBsdW1wbHVtcGx1bXBsdW1wbHVtcGx1bXBsdW0="
    kept = {"url": "redis://anna:plumword@host/0", "key": [key, "env:PLUM"]}
    settings = Settings(store=kept, proxy={"token": "plumtoken"})
    shown = answer(PageRequest("GET", "settings"), Sources(settings, store, clock=lambda: 2_000.0)).body.decode()
    assert "(set)" in shown
    assert "redis://host/0" in shown
    assert not [secret for secret in (key, "plumtoken", "plumword") if secret in shown]


def test_a_conversation_tells_its_bill_breaks_and_context(store: Store) -> None:
    fill(store, 1, 30)
    shown = page(store, f"conversations/{name_of(0)}")
    for words in (
        "Saved",
        "Cache breaks by Prunus",
        "the edits save more than the break costs",
        "the cache had expired",
        "current files",
        "The funnel",
        "All 30 requests",
        "does not hold the conversation",
    ):
        assert words in shown


def test_the_newest_requests_show_what_is_special_about_them(store: Store) -> None:
    store.record("", exchange("c1", 1, missed=5_000, missed_for="expired"))
    store.record("", exchange("c1", 2, status=529))
    store.record("", exchange("c1", 3, flush=flush(3), missed=5_000, missed_for="cut"))
    shown = page(store, "")
    assert "missed 5K in the cache: the cache had expired" in shown
    assert "status 529" in shown and "<td" in shown and "flush: worth it</td>" in shown


def test_a_long_list_of_conversations_is_split_into_pages(store: Store) -> None:
    for n in range(120):
        store.record("", exchange(f"c{n:03}", 1, time=time.time() + n))
    first, third = page(store, "conversations"), page(store, "conversations", page="3")
    assert "c119" in first and "c060" not in first and 'rel="next"' in first and 'rel="prev"' not in first
    assert "c000" in third and 'rel="next"' not in third
    assert "c119" in page(store, "conversations", page="-1")


def test_conversations_are_found_by_agent_model_or_id(store: Store) -> None:
    fill(store, 3, 5)
    shown = page(store, "conversations", find="codex")
    assert name_of(1)[:8] in shown and name_of(0)[:8] not in shown
    assert "No conversation fits &lt;b&gt;." in page(store, "conversations", find="<b>")


def test_hostile_words_are_shown_as_words(store: Store) -> None:
    for n, words in enumerate(HOSTILE):
        safe = words.encode("utf-8", "replace").decode()
        made = receipt(f"aa{n:04}", original=safe, strategy="stale_reads")
        made = replace(made, tool=safe, edit=replace(made.edit, reason=safe, target=Ref(2, 0)))
        store.record("", exchange(f"c{n}", 1, client=safe, model=safe), [made])
    numbers = range(len(HOSTILE))
    paths = [*EVERY, *(f"conversations/c{n}" for n in numbers), *(f"receipts/c{n}/2.0" for n in numbers)]
    for path in paths:
        elements = seen(page(store, path)).elements
        scripts = [dict(attributes) for name, attributes in elements if name == "script"]
        assert (
            all(script.get("src", "").startswith("/dashboard/static/") for script in scripts) and len(scripts) == 2
        )
        names = {name for _, attributes in elements for name, _ in attributes}
        assert not [name for name in names if name.startswith("on") or name == "style"]
        assert "img" not in {name for name, _ in elements}


def test_a_hostile_strategy_in_the_address_is_shown_as_words(store: Store) -> None:
    shown = seen(page(store, "receipts", strategy="<script>alert(1)</script>"))
    assert len([name for name, _ in shown.elements if name == "script"]) == 2


def test_a_receipt_shows_both_sides_and_restores(provider: Provider, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}, agent={"offer": "mcp"}) as proxy, closing(open_store(url)) as store:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
        [cut] = [one for one in store.receipts("") if one.tool == "Read"]
        path = f"/dashboard/receipts/{cut.conversation}/{cut.message}.{cut.part}"
        shown = call(proxy.url, "GET", path).body.decode()
        assert "As the model sees it" in shown and '<li class="cut"' in shown and "Restore</button>" in shown
        assert TEXT.encode()[:20] not in provider.asked[-1].body
        origin = ("origin", proxy.url)
        assert call(proxy.url, "POST", f"{path}/restore", b"", [origin]).header("location") == path
        assert "on its way" in call(proxy.url, "GET", path).body.decode()
        call(proxy.url, "POST", f"{path}/restore", b"", [origin])
        assert store.asked("", cut.conversation) == (f"restore {cut.id}",)
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages", 5))
        assert b"def greet(name)" in provider.asked[-1].body
        assert "not in force any more" in call(proxy.url, "GET", path).body.decode()


def test_a_conversation_names_the_files_that_it_knows(provider: Provider, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}, preset="auto") as proxy, closing(open_store(url)) as store:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
        [session] = store.sessions("")
        shown = call(proxy.url, "GET", f"/dashboard/conversations/{session.id}").body.decode()
    assert "/srv/greet.py" in shown


def test_a_fault_of_a_page_costs_only_the_page(site: Site, provider: Provider, tmp_path: Path) -> None:
    for file in tmp_path.glob("store.db*"):
        os.truncate(file, 0)
        file.write_bytes(b"this is no database at all" * 100)
    answered = site.get("/dashboard/")
    assert answered.status in (200, 500, 503)
    assert call(site.proxy.url, "POST", "/v1/messages", body("anthropic_messages")).status == 200
    assert len(provider.asked) == 1


def test_requests_arrive_in_the_live_list(site: Site) -> None:
    connection = HTTPConnection(site.host, timeout=60)
    connection.request("GET", "/dashboard/live", headers={"accept": "text/event-stream"})
    stream = connection.getresponse()
    assert stream.getheader("content-type") == "text/event-stream"
    assert stream.readline() == b": watching\n"
    threading.Timer(0.1, call, (site.proxy.url, "POST", "/v1/messages", body("anthropic_messages"))).start()
    lines = iter(stream.readline, b"")
    said = next(line for line in lines if line.startswith(b"data: "))
    [row] = json.loads(said.removeprefix(b"data: "))
    assert row["cells"][2] == "claude-sonnet-4-5"
    assert row["to"].startswith("/dashboard/conversations/")
    connection.close()


def test_a_store_that_cannot_be_read_at_first_does_not_break_the_live_list(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, looks = type(site.store).newest_exchanges, []

    def newest_exchanges(store: Any, *given: Any) -> Any:
        looks.append(given)
        if len(looks) == 1:
            raise StoreError("busy")
        return whole(store, *given)

    monkeypatch.setattr(type(site.store), "newest_exchanges", newest_exchanges)
    connection = HTTPConnection(site.host, timeout=60)
    connection.request("GET", "/dashboard/live")
    stream = connection.getresponse()
    assert stream.readline() == b": watching\n"
    while len(looks) < 3:
        time.sleep(0.01)
    call(site.proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
    [said] = json.loads(next(line for line in iter(stream.readline, b"") if line.startswith(b"data: "))[6:])
    assert said["cells"][2] == "claude-sonnet-4-5"
    connection.close()


def test_a_browser_that_watches_does_not_hold_up_the_end(provider: Provider, tmp_path: Path) -> None:
    with behind(provider, store={"url": f"sqlite:///{tmp_path / 'store.db'}"}, proxy={"grace": 600.0}) as proxy:
        connection = HTTPConnection(proxy.url.removeprefix("http://"), timeout=60)
        connection.request("GET", "/dashboard/live")
        stream = connection.getresponse()
        assert stream.readline() == b": watching\n"
    # The stream ended with the proxy, long before its grace is over.
    assert b"data" not in stream.read()
    connection.close()

"""The pages in a real browser, by the steps of a person.

They need Chromium on the PATH and the package playwright: `make pages` installs the package and runs them. Script
errors, anything that the content security policy refuses, and any request to another host fail a test.
"""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prunus.store import open_store
from tests.dashboard.conftest import Site
from tests.dashboard.sample import NOW
from tests.dashboard.test_markup import HOSTILE
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body
from tests.store.samples import exchange, receipt

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    from playwright.sync_api import Page, sync_playwright
except ImportError:
    pytest.skip("the package playwright is not installed: make pages", allow_module_level=True)
if CHROMIUM is None:
    pytest.skip("no Chromium on the PATH: apt install chromium", allow_module_level=True)

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
SIZES = {"wide": (1200, 900), "narrow": (400, 800)}

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium: Any) -> Iterator[Open]:
    """Opens pages, and fails at the end if one of them complained or left the machine."""
    complaints: list[str] = []
    contexts = []

    def open_page(url: str, *, scheme: str = "light", size: str = "wide") -> Page:
        width, height = SIZES[size]
        context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
        contexts.append(context)
        page: Page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on(
            "request",
            lambda asked: complaints.append(asked.url) if not asked.url.startswith("http://127.") else None,
        )
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def paths(site: Site) -> list[str]:
    cut = site.store.receipts("", site.ids[0])[0]
    return [
        "",
        "conversations",
        f"conversations/{site.ids[0]}",
        "receipts",
        f"receipts/{cut.conversation}/{cut.message}.{cut.part}",
        "strategies",
        "settings",
    ]


def broken_rules(page: Page) -> list[tuple[str, list[str]]]:
    """The rules for access that a page breaks, with some of the elements that do."""
    for details in page.query_selector_all("details > summary"):
        details.click()
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_passes_the_rules_for_access(site: Site, browse: Open, scheme: str) -> None:
    page = browse(f"{site.proxy.url}/", scheme=scheme)
    for path in paths(site):
        page.goto(f"{site.proxy.url}/dashboard/{path}")
        assert broken_rules(page) == [], path
    [again] = [one for one in site.store.receipts("", site.ids[0]) if one.asked_again]
    page.goto(f"{site.proxy.url}/dashboard/receipts/{again.conversation}/{again.message}.{again.part}")
    assert page.get_by_text("asked for again", exact=True).is_visible()
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("status").wait_for()
    assert broken_rules(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_no_page_is_wider_than_the_screen(site: Site, browse: Open, size: str) -> None:
    page = browse(f"{site.proxy.url}/", size=size)
    for path in paths(site):
        page.goto(f"{site.proxy.url}/dashboard/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], path


def test_a_user_gets_from_the_overview_to_a_receipt_and_restores_it(site: Site, browse: Open) -> None:
    page = browse(f"{site.proxy.url}/")
    assert page.url.endswith("/dashboard/")
    page.get_by_role("link", name="Conversations", exact=True).click()
    page.get_by_role("link", name=site.ids[0][:8]).click()
    page.wait_for_selector(".uplot canvas")
    assert page.locator(".uplot").count() == 2
    assert page.get_by_role("heading", name="Cache breaks by Prunus").is_visible()
    page.get_by_role("link", name="All receipts of this conversation").click()
    page.locator("tbody a").first.click()
    assert page.get_by_text("As the model sees it").is_visible()
    page.get_by_role("button", name="Restore").click()
    assert page.get_by_role("status").get_by_text("on its way").is_visible()
    [asked] = site.store.asked("", site.ids[0])
    assert asked.startswith("restore ")


def test_the_cut_is_marked(site: Site, browse: Open) -> None:
    cut = next(one for one in site.store.receipts("", site.ids[0]) if one.strategy == "finished_results")
    page = browse(f"{site.proxy.url}/dashboard/receipts/{cut.conversation}/{cut.message}.{cut.part}")
    left, right = page.locator(".lines").all()
    assert left.locator(".cut").count() == 68
    assert right.locator(".new").inner_text() == "[Prunus: lines 7-74 removed]"


def test_a_chart_tells_the_numbers_under_the_pointer(site: Site, browse: Open) -> None:
    page = browse(f"{site.proxy.url}/dashboard/conversations/{site.ids[0]}")
    page.locator(".u-over").first.hover()
    legend = page.locator(".u-legend").first.inner_text()
    assert "Read from the cache" in legend and "K" in legend


def test_new_requests_appear_by_themselves(site: Site, browse: Open) -> None:
    page = browse(f"{site.proxy.url}/dashboard/")
    page.wait_for_function("document.getElementById('watching').textContent.includes('Updates')")
    figures = page.locator("#figures").text_content()
    call(site.proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
    row = page.locator("#live tr.arrived").first
    row.wait_for()
    assert "claude-sonnet-4-5" in row.inner_text()
    assert page.locator("#live tr").count() <= 20
    # The figures of today follow without a reload.
    page.wait_for_function("before => document.getElementById('figures').textContent !== before", arg=figures)


def test_settings_are_found_by_typing(site: Site, browse: Open) -> None:
    page = browse(f"{site.proxy.url}/dashboard/settings")
    page.get_by_role("searchbox").fill("proxy.deadline")
    assert page.locator("[data-filtered] tbody tr:visible").count() == 1


def test_all_can_be_reached_with_the_keyboard(site: Site, browse: Open) -> None:
    page = browse(f"{site.proxy.url}/dashboard/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    seen = set()
    for _ in range(6):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.textContent"))
    assert seen == {"Prunus", "Overview", "Conversations", "Receipts", "Strategies", "Settings"}
    page.keyboard.press("Enter")
    page.wait_for_url("**/dashboard/settings")
    shown = page.evaluate("getComputedStyle(document.querySelector('nav a:last-child')).cursor")
    assert shown


def test_hostile_words_run_nothing(site: Site, browse: Open) -> None:
    for n, words in enumerate(HOSTILE):
        safe = words.encode("utf-8", "replace").decode()
        told = exchange(f"c{n}", 1, time=NOW, client=safe, model=safe)
        site.store.record("", told, [receipt(f"aa{n:04}", original=safe)])
    page = browse(f"{site.proxy.url}/dashboard/")
    for path in ("", "conversations", "receipts", *(f"receipts/c{n}/2.0" for n in range(len(HOSTILE)))):
        page.goto(f"{site.proxy.url}/dashboard/{path}")
        assert page.evaluate("document.querySelectorAll('script:not([src]), [onerror], [onload], img').length") == 0


def test_a_browser_signs_in_with_a_code_and_stays_signed_in(
    provider: Provider, tmp_path: Path, browse: Open
) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}, proxy={"token": "alpha"}) as proxy, closing(open_store(url)):
        asked = urllib.request.Request(f"{proxy.url}/dashboard/code", b"", {"x-prunus-token": "alpha"})
        with urllib.request.urlopen(asked) as answer:
            path = json.loads(answer.read())["path"]
        page = browse(f"{proxy.url}{path}")
        assert page.url == f"{proxy.url}/dashboard/"
        page.get_by_role("link", name="Settings").click()
        assert page.get_by_role("heading", name="Settings").is_visible()
        [cookie] = page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/dashboard")

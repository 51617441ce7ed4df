"""The picture on the page about the dashboard: python -m tests.dashboard.picture docs/dashboard.png

It shows a made-up store, in Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from contextlib import closing

from playwright.sync_api import sync_playwright

from prunus.proxy.serve import Background
from prunus.settings import Settings
from prunus.store import open_store
from tests.dashboard.sample import fill

SIZE = {"width": 1120, "height": 1090}
"""In pixels: what fits above the fold of a tall screen."""


def main(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        settings = Settings(store={"url": f"sqlite:///{folder}/store.db"}, proxy={"port": 0})
        with closing(open_store(settings.store.url)) as store:
            ids = fill(store, now=time.time())
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        with Background(settings) as proxy:
            page = browser.new_page(viewport=SIZE)
            page.goto(f"{proxy.url}/dashboard/conversations/{ids[0]}")
            page.locator(".u-over").first.hover(position={"x": 637, "y": 60})
            page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])

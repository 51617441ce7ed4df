"""Check the site that `make site` made: every link leads somewhere, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parent.parent / "site"
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "srcset"), ("iframe", "src")}
IMPORTED = re.compile(r"""url\(["']?(?!data:|#)([^"')]+)|@import ["']([^"']+)""")


class Links(HTMLParser):
    """The links of a page, what it loads, and the places that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            elif value and (tag, name) in LOADED and dict(attrs).get("rel") != "canonical":
                self.loaded.append(value)
            elif value and tag == "a" and name == "href":
                self.links.append(value)


def problems(site: Path) -> list[str]:
    """Return what is wrong with a site."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        found += [f"{where} loads {url}" for url in page.loaded if urlsplit(url).netloc]
        for url in (*page.links, *page.loaded):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            base = site if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{where} links to {url}, which is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{where} links to {url}, and the page has no such place")
    for path in site.rglob("*.css"):
        for match in IMPORTED.finditer(path.read_text(encoding="utf-8")):
            url = match[1] or match[2]
            if urlsplit(url).netloc:
                found.append(f"{path.relative_to(site).as_posix()} loads {url}")
    return found


def main() -> int:
    """Print the problems; 1 if there are any."""
    found = problems(SITE)
    print("\n".join(found) or f"{len(list(SITE.rglob('*.html')))} pages, no dead link, nothing from elsewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

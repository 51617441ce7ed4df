"""A request for a page and the answer to it, as values; what pages are made from; the frame that every page has.

Each link to a style, script or icon has a hash of its file, so that a browser may keep the file for ever and gets a
new one after an update.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from http import HTTPStatus
from importlib.resources import files
from typing import Final

from prunus.dashboard.markup import Child, Markup, element
from prunus.files.state import KnownFile
from prunus.settings import Settings
from prunus.store.store import Store

_KINDS: Final = {
    "dashboard.css": "text/css; charset=utf-8",
    "dashboard.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "uplot.css": "text/css; charset=utf-8",
    "uplot.js": "text/javascript; charset=utf-8",
}
"""The files that may be asked for, and their content types."""
HOME: Final = "/dashboard/"
_TABS: Final = (
    ("", "Overview"),
    ("conversations", "Conversations"),
    ("receipts", "Receipts"),
    ("strategies", "Strategies"),
    ("settings", "Settings"),
)
_GUARDED: Final = (
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Not `no-referrer`: with that browsers send `Origin: null` with our own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


@dataclass(frozen=True, slots=True)
class Sources:
    """The settings and the store, and what only the running proxy knows."""

    settings: Settings
    store: Store
    origins: Mapping[str, str] = field(default_factory=dict)
    """Where each setting comes from, by its key; a setting that is not in here has its built-in value."""
    files: Callable[[str, str], tuple[KnownFile, ...] | None] = lambda tenant, conversation: None
    """The files that a conversation of a tenant knows; None if this process does not hold the conversation."""
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of a browser that was let in."""

    method: str
    path: str
    """The path below `/dashboard/`."""
    query: Mapping[str, str] = field(default_factory=dict)
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What the browser gets."""

    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"
    """The content type."""
    more: tuple[tuple[bytes, bytes], ...] = ()
    """Further headers."""

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """All headers but the length; what comes from the store is never kept by the browser."""
        cached = any(name == b"cache-control" for name, _ in self.more)
        store = () if cached else ((b"cache-control", b"no-store"),)
        return [(b"content-type", self.kind.encode()), *_GUARDED, *store, *self.more]


def page(
    title: str, *content: Child, tab: str | None = None, status: int = 200, signed_in: bool = True
) -> PageAnswer:
    """Return a page with its head and navigation; `tab` is the first word of the path of its section."""
    names = [
        element("a", label, href=f"{HOME}{path}", aria_current="page" if path == tab else None)
        for path, label in _TABS
    ]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · Prunus"),
        element("link", rel="icon", href=link_to("icon.svg"), type="image/svg+xml"),
        element("link", rel="stylesheet", href=link_to("uplot.css")),
        element("link", rel="stylesheet", href=link_to("dashboard.css")),
        element("script", src=link_to("uplot.js"), defer=True),
        element("script", src=link_to("dashboard.js"), defer=True),
    )
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#content"),
        element(
            "header",
            element("a", "Prunus", class_="brand", href=HOME),
            element("nav", names, aria_label="Pages") if signed_in else None,
        ),
        element("main", element("h1", title), content, id="content"),
    )
    html = Markup(f"<!doctype html>{element('html', head, body, lang='en')}")
    return PageAnswer(status, html.encode())


def problem(status: int, words: str, *, signed_in: bool = True) -> PageAnswer:
    """Return a page that says what is wrong."""
    title = HTTPStatus(status).phrase.capitalize()
    return page(title, element("p", words, class_="lead"), status=status, signed_in=signed_in)


def redirect(to: str, more: tuple[tuple[bytes, bytes], ...] = ()) -> PageAnswer:
    """Send the browser to another page, which it gets by GET."""
    return PageAnswer(303, b"", more=((b"location", to.encode("ascii")), *more))


@cache
def static_file(name: str) -> tuple[str, bytes] | None:
    """Return the content type and the bytes of a file; None if there is no such file."""
    if name not in _KINDS:
        return None
    return _KINDS[name], files("prunus.dashboard").joinpath("static", name).read_bytes()


@cache
def link_to(name: str) -> str:
    """Return the address of a file."""
    found = static_file(name)
    assert found is not None
    return f"/dashboard/static/{name}?v={blake2b(found[1], digest_size=6).hexdigest()}"

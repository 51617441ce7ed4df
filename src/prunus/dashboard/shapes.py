"""The shapes that all pages share: tables, figures, bars and pagers; times and links."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar
from urllib.parse import quote, urlencode

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME
from prunus.reuse.asked_again import Tried
from prunus.store.records import StoredReceipt
from prunus.text.numbers import counted, percent, short

T = TypeVar("T")
Column = tuple[str, str, Callable[[T], Child]]
"""A heading, its class names, and the cell of an item.

Cells that are a `number` stand right-aligned, a narrow screen leaves out what is `spare`, and `long` sentences may
wrap.
"""


def table(
    caption: str, items: Iterable[T], columns: Iterable[Column[T]], *, empty: str, id: str | None = None
) -> Markup:
    """Return a table that scrolls inside itself where it is too wide; `empty` stands in place of no rows."""
    names, kinds, cells = zip(*columns, strict=True)
    lines = [
        element(
            "tr", [element("td", cell(item), class_=kind or None) for kind, cell in zip(kinds, cells, strict=True)]
        )
        for item in items
    ]
    head = [element("th", name, scope="col", class_=kind or None) for name, kind in zip(names, kinds, strict=True)]
    if not lines and id is None:
        return element("p", empty, class_="empty")
    none = element("tr", element("td", empty, colspan=len(names)), class_="none") if not lines else None
    return element(
        "div",
        element(
            "table",
            element("caption", caption, class_="hidden"),
            element("thead", element("tr", head)),
            element("tbody", lines, none, id=id),
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def figure(label: str, value: Child, note: Child = None, *, main: bool = False) -> Markup:
    """Return one number with its label."""
    return element(
        "div",
        element("dt", label),
        element("dd", value, class_="value"),
        element("dd", note, class_="note") if note else None,
        class_="figure main" if main else "figure",
    )


def figures(*shown: Markup, label: str) -> Markup:
    """Return figures side by side."""
    return element("dl", *shown, class_="figures", aria_label=label)


def bar(part: float, whole: float, label: str, kind: str = "") -> Markup:
    """Return a bar that fills a share of its length; what goes beyond the whole is marked."""
    share = part / whole if whole > 0 else 0.0
    name = f"bar {kind}".strip() + (" over" if share > 1 else "")
    return element(
        "svg",
        element("rect", class_="whole", width="100%", height="8", rx="2"),
        element("rect", class_="part", width=f"{100 * min(1.0, max(0.0, share)):.2f}%", height="8", rx="2"),
        class_=name,
        height="8",
        role="img",
        aria_label=label,
    )


def section(title: str, *content: Child, note: Child = None) -> Markup:
    """Return a part of a page with its heading."""
    lead = element("p", note, class_="note") if note else None
    return element("section", element("h2", title), lead, *content)


def pager(path: str, number: int, more: bool) -> Markup | None:
    """Return links to the page before and behind; `path` ends where the number of the page goes."""
    if number == 1 and not more:
        return None
    return element(
        "nav",
        element("a", "Newer", href=f"{path}{number - 1}", rel="prev") if number > 1 else None,
        element("span", f"Page {number}"),
        element("a", "Older", href=f"{path}{number + 1}", rel="next") if more else None,
        class_="pager",
        aria_label="Pages of this list",
    )


def page_number(given: str) -> int:
    """Return the number of a page in an address; the first one for anything else."""
    return max(1, int(given)) if given.isascii() and given.isdecimal() and len(given) < 7 else 1


def share(part: float, whole: float) -> str:
    """Return a share in percent, with its sign."""
    return f"{'-' if part < 0 else ''}{percent(round(abs(part)), round(whole))}"


def tokens(count: float) -> Markup:
    """Return a number of tokens in few characters; the full number stands in its title."""
    return element("span", short(round(count)), title=f"{round(count):,} tokens")


def asked_again(tried: Tried, since: str = "") -> Markup:
    """Return the figure that says how much of what was cut agents asked for again; `since` says since when."""
    if not tried.cut:
        return figure("Asked for again", "-", "nothing was cut yet")
    parts = f"{tried.asked:,} of {counted(tried.cut, 'part')} cut{since}"
    return figure("Asked for again", share(tried.asked, tried.cut), parts)


def with_code(words: str) -> Child:
    """Return text in which what stands in backquotes is code."""
    return [element("code", word) if n % 2 else word for n, word in enumerate(words.split("`"))]


def moment(at: float, now: float) -> Markup:
    """Return a time on this machine's clock: of today only the time of day."""
    local, today = time.localtime(at), time.localtime(now)
    form = "%H:%M:%S" if local[:3] == today[:3] else "%b %d, %H:%M" if local[0] == today[0] else "%Y-%m-%d"
    return element(
        "time",
        time.strftime(form, local),
        datetime=time.strftime("%Y-%m-%dT%H:%M:%S%z", local),
        title=time.strftime("%Y-%m-%d %H:%M:%S", local),
    )


def conversation_path(id: str) -> str:
    """Return the address of a conversation."""
    return f"{HOME}conversations/{quote(id, safe='')}"


def conversation_link(id: str) -> Markup:
    """Return a link to a conversation, under the first characters of its id."""
    return element("a", element("code", id[:8]), href=conversation_path(id))


def receipts_path(**chosen: str | int) -> str:
    """Return the address of the list of receipts, for one strategy or conversation, or of one of its pages."""
    return f"{HOME}receipts?{urlencode(chosen)}"


def receipt_path(receipt: StoredReceipt) -> str:
    """Return the address of a receipt."""
    return f"{HOME}receipts/{quote(receipt.conversation, safe='')}/{receipt.message}.{receipt.part}"

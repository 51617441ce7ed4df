"""Numbers, times and links as pages show them."""

from __future__ import annotations

import time
from urllib.parse import quote, urlencode

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME
from prunus.dashboard.table import figure
from prunus.reuse.experience import Tried
from prunus.store.records import StoredReceipt
from prunus.text.numbers import percent, short


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
    parts = f"{tried.asked:,} of {tried.cut:,} part{'s' * (tried.cut != 1)} cut{since}"
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

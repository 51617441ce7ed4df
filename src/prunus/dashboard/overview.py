"""The first page: what was saved, by which agent and model, and the newest requests as they come."""

from __future__ import annotations

from prunus.dashboard.conversations import conversations_table
from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, page
from prunus.dashboard.requests import SHOWN, requests_table
from prunus.dashboard.sources import Sources
from prunus.dashboard.table import figure, figures, section
from prunus.dashboard.wording import share, tokens
from prunus.report.regret import regret_line
from prunus.store.records import Totals

_CONVERSATIONS = 8


def overview_page(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return the overview."""
    store, tenant = sources.store, request.tenant
    shadow = sources.settings.proxy.shadow
    totals = store.totals(tenant, shadow=shadow)
    mark, newest = store.newest_exchanges(tenant, limit=SHOWN)
    sessions = store.sessions(tenant, _CONVERSATIONS)
    return page(
        "Overview",
        element("p", _welcome(sources), class_="lead") if not newest else None,
        element("div", _figures(totals), id="figures"),
        section(
            "Newest requests",
            requests_table(newest, sources),
            note=element("span", "Updates by itself.", id="watching", data_mark=mark, role="status"),
        ),
        section(
            "Newest conversations",
            conversations_table(sessions, sources),
            element("p", element("a", "All conversations", href=f"{HOME}conversations")),
        ),
        tab="",
    )


def _welcome(sources: Sources) -> Child:
    if sources.settings.store.url == "off":
        return "The store is off, so there is nothing to show. Set store.url to keep what agents do."
    return [
        "Nothing is stored yet. Start an agent behind Prunus, for example: ",
        element("code", "prunus run claude"),
    ]


def _figures(totals: Totals) -> Markup:
    usage = totals.usage
    prompt = usage.input + usage.cache_read + usage.cache_write
    tried = totals.experience.total
    return figures(
        figure("Saved", share(totals.saved, totals.cost_unpruned), "of the input bill of all time", main=True),
        figure("Tokens left out", tokens(totals.tokens_before - totals.tokens_after)),
        figure("Requests", f"{totals.requests:,}", f"{totals.conversations:,} conversations"),
        figure("Read from the cache", share(usage.cache_read, prompt), "of all input tokens"),
        figure(
            "Asked again",
            share(tried.asked, tried.cut) if tried.cut else "-",
            regret_line(totals.experience) or "nothing was cut yet",
        ),
        label="All time",
    )

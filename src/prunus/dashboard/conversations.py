"""The list of conversations; and one of them: each request, the bill, cache breaks, its context, and its files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final
from urllib.parse import urlencode

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, page
from prunus.dashboard.receipts import receipts_table
from prunus.dashboard.sections import Numbers, cache_section, chart, context_section, request_numbers, sums_of
from prunus.dashboard.shapes import (
    amount,
    asked_again,
    bill,
    conversation_link,
    figure,
    figures,
    moment,
    page_number,
    pager,
    receipts_path,
    section,
    share,
    table,
    tokens,
)
from prunus.files.state import KnownFile
from prunus.report.cache_misses import REASONS
from prunus.report.spending import cost_of_asking
from prunus.spending import DayTotals
from prunus.store.records import Exchange, StoredSession, Totals
from prunus.text.numbers import counted, short

_SHOWN: Final = 50
_PATH: Final = f"{HOME}conversations"
_LIST: Final = {
    "Conversation": "",
    "Last request": "",
    "Agent": "spare",
    "Model": "",
    "Requests": "number spare",
    "Context": "number spare",
    "Sent": "number spare",
    "Cuts": "number spare",
    "Cost": "number",
    "Saved": "number",
}
_REQUESTS: Final = 2_000
"""The newest requests that the page shows."""
_LISTED: Final = 200
"""The newest requests that the table shows; the charts show more."""
_RECEIPTS: Final = 12
_BREAKS: Final = {
    "Request": "number",
    "Time": "",
    "Saves": "number",
    "Written again": "number",
    "Price": "number",
    "Why": "long",
}
_MISSES: Final = {"Request": "number", "Time": "", "Tokens": "number", "Why": "long"}
_ROWS: Final = {
    "Request": "number",
    "Time": "",
    "Cached": "number",
    "Written": "number",
    "New": "number",
    "Unpruned": "number",
    "Cost": "number",
    "Without Prunus": "number",
    "Seconds": "number",
}
_FILES: Final = {"File": "long", "Reads": "number", "Edits": "number", "Known lines": "number", "Extent": ""}


def conversations_page(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return one page of the list, the newest conversations first."""
    number, words = page_number(request.query.get("page", "")), request.query.get("find", "").strip()
    found = sources.store.sessions(request.tenant, _SHOWN + 1, offset=(number - 1) * _SHOWN, words=words)
    return page(
        "Conversations",
        _search(words),
        conversations_table(found[:_SHOWN], sources, empty=f"No conversation fits {words}." if words else ""),
        pager(f"{_PATH}?{urlencode({'find': words, 'page': ''})}", number, len(found) > _SHOWN),
        tab="conversations",
    )


def _search(words: str) -> Markup:
    label = element("label", "Agent, model or id ", for_="find", class_="note")
    box = element("input", type="search", id="find", name="find", value=words)
    return element("form", label, box, element("button", "Find", type="submit"), action=_PATH, class_="search")


def conversations_table(sessions: Sequence[StoredSession], sources: Sources, empty: str = "") -> Markup:
    """Return a table of conversations; `empty` says why there is none."""
    now = sources.clock()
    rows = [
        (
            conversation_link(session.id),
            moment(session.last, now),
            session.client or "-",
            session.model or "-",
            f"{session.requests:,}",
            tokens(session.tokens_before),
            tokens(session.tokens_after),
            f"{session.receipts:,}",
            str(amount(sources.settings, [(session.model, session.cost)])),
            _saved_share(session),
        )
        for session in sessions
    ]
    return table("Conversations", _LIST, rows, empty=empty or "No conversation is stored yet.")


def _saved_share(session: StoredSession) -> Child:
    saved = share(session.cost_unpruned - session.cost, session.cost_unpruned)
    return [saved, " ", element("span", "shadow", class_="tag")] if session.shadow else saved


def conversation_page(id: str, request: PageRequest, sources: Sources) -> PageAnswer | None:
    """Return the page of a conversation; None if it is not stored."""
    store = sources.store
    found = store.sessions(request.tenant, 1, id=id)
    if not found:
        return None
    session = found[0]
    exchanges = store.exchanges(request.tenant, id)[-_REQUESTS:]
    contexts = store.contexts(request.tenant, id)
    receipts = store.receipts(request.tenant, id, _RECEIPTS)
    totals = store.totals(request.tenant, id, shadow=session.shadow)
    return page(
        f"Conversation {id[:8]}",
        _lead(session, sources),
        _figures(totals, store.bills(request.tenant, id, shadow=session.shadow), sources),
        _requests_section(exchanges, sources),
        _breaks(exchanges, sources),
        _misses(exchanges, sources),
        context_section(session, contexts[0] if contexts else None, sources.settings),
        _files(sources.files(request.tenant, id)),
        section(
            "Newest receipts",
            receipts_table(receipts, sources, of_one=True),
            element("p", element("a", "All receipts of this conversation", href=receipts_path(conversation=id))),
        ),
        tab="conversations",
    )


def _lead(session: StoredSession, sources: Sources) -> Markup:
    now = sources.clock()
    words: list[Child] = [
        f"{session.client or 'An unnamed agent'} with {session.model or 'an unnamed model'}, ",
        moment(session.first, now),
        " to ",
        moment(session.last, now),
    ]
    if session.shadow:
        words.append([" ", element("span", "shadow: nothing was changed", class_="tag")])
    return element("p", words, class_="lead")


def _figures(totals: Totals, rows: Sequence[DayTotals], sources: Sources) -> Markup:
    """Return the sums of a conversation; `rows` are its sums by model. Savings are those of `prunus stats`."""
    settings, tried = sources.settings, totals.experience.total
    paid, whole = bill(settings, rows)
    dearest = max(rows, key=lambda row: row.cost_unpruned, default=DayTotals("")).model
    context = totals.tokens_after / max(1, totals.requests)
    asking = amount(settings, [(dearest, cost_of_asking(tried, context, settings.price_of(dearest)))])
    saved = whole - paid - asking
    usage = totals.usage
    prompt = usage.input + usage.cache_read + usage.cache_write
    less = f", {asking.exact} for asking again taken off" if tried.asked else ""
    breaks = f"{counted(totals.breaks, 'cache break')} by Prunus" if totals.breaks else None
    return figures(
        figure("Saved", str(saved), f"{share(saved.cost, whole.cost)} of the bill{less}", main=True),
        figure("Input bill", str(paid), f"{whole} without Prunus"),
        figure("Tokens left out", tokens(totals.tokens_before - totals.tokens_after), "over all requests"),
        figure("Requests", f"{totals.requests:,}", breaks),
        figure("Read from the cache", share(usage.cache_read, prompt), "of all input tokens"),
        asked_again(tried),
        label="Sums of this conversation",
    )


def _requests_section(exchanges: Sequence[Exchange], sources: Sources) -> Markup:
    now = sources.clock()
    answered = [one for one in exchanges if one.usage is not None]
    bills = [bill(sources.settings, [one]) for one in answered]
    priced = not any(amount.unpriced for both in bills for amount in both)
    sums: Numbers = {
        "request": [one.request for one in answered],
        "paid": list(accumulate(paid.dollars if priced else paid.cost for paid, _ in bills)),
        "whole": list(accumulate(whole.dollars if priced else whole.cost for _, whole in bills)),
        "unit": ["$" if priced else "tokens"],
    }
    rows = [
        (
            f"{one.request:,}",
            moment(one.time, now),
            *((short(n) for n in (u.cache_read, u.cache_write, u.input)) if (u := one.usage) else ("", "", "")),
            short(one.tokens_before),
            *(amount.exact for amount in bill(sources.settings, [one])),
            f"{one.ms / 1000:.1f}",
        )
        for one in reversed(exchanges[-_LISTED:])
    ]
    every = "All" if len(rows) == len(exchanges) else "The newest"
    drawn = [
        element("h3", "Tokens of each request"),
        chart(
            "requests",
            "Tokens of each request: cached, written, new, and unpruned",
            request_numbers(answered, sources.settings),
        ),
        element("h3", "The bill so far"),
        chart("bills", "The bill so far, and without Prunus", sums),
    ]
    return section(
        "Requests",
        element("div", drawn, class_="charts") if len(answered) > 1 else None,
        element(
            "details",
            element("summary", f"{every} {len(rows):,} requests as a table"),
            table("Requests", _ROWS, rows, empty="No request was recorded."),
        ),
    )


def _breaks(exchanges: Sequence[Exchange], sources: Sources) -> Markup:
    now = sources.clock()
    rows = [
        (
            f"{one.request:,}",
            moment(one.time, now),
            tokens(one.flush.saved),
            tokens(one.flush.rewritten),
            amount(sources.settings, [(one.model, one.cost_of_break)]).exact,
            one.flush.reason,
        )
        for one in reversed(exchanges)
        if one.flush is not None
    ]
    note = "Each time Prunus changed something in front of what the provider had cached, why, and at what price."
    return section(
        "Cache breaks by Prunus", table("Cache breaks", _BREAKS, rows, empty="Prunus broke no cache."), note=note
    )


def _misses(exchanges: Sequence[Exchange], sources: Sources) -> Markup:
    """Return why the provider wrote tokens to its cache, and each request that missed it."""
    now = sources.clock()
    rows = [
        (f"{one.request:,}", moment(one.time, now), tokens(one.missed), REASONS.get(one.missed_for, one.missed_for))
        for one in reversed(exchanges[-_LISTED:])
        if one.missed_for and one.request > 1
    ]
    listed = element(
        "details",
        element("summary", f"{counted(len(rows), 'request')} missed the cache"),
        table("Requests that missed the cache", _MISSES, rows, empty="None."),
    )
    return element("div", cache_section(sums_of(exchanges), sources.settings), listed if rows else None)


def _files(files: Sequence[KnownFile] | None) -> Markup:
    if files is None:
        words = "This proxy does not hold the conversation at the moment, so it cannot say which files it knows."
        return section("Files", element("p", words, class_="empty"))
    rows = [
        (
            element("code", file.path),
            f"{file.reads:,}",
            f"{file.edits:,}",
            f"{file.known:,}" if file.lines is None else f"{file.known:,} of {file.lines:,}",
            file.extent,
        )
        for file in files
    ]
    note = "Files that were read or changed, and how many of their lines are certain."
    return section("Files", table("Files", _FILES, rows, empty="No file was read or changed yet."), note=note)

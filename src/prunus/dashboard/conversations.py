"""The list of conversations; and one of them: each request, the bill, cache breaks, its context, and its files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final
from urllib.parse import urlencode

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, page
from prunus.dashboard.receipts import receipts_table
from prunus.dashboard.sections import (
    Numbers,
    cache_section,
    chart,
    context_section,
    paid_and_unpruned,
    request_numbers,
    sums_of,
)
from prunus.dashboard.shapes import (
    asked_again,
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
from prunus.report.bill import amount_of, bill_of, cost_of_asking
from prunus.report.cache_misses import REASONS
from prunus.spending import DayTotals
from prunus.store.records import Exchange, StoredSession, Totals
from prunus.text.numbers import counted, short

_SHOWN: Final = 50
_PATH: Final = f"{HOME}conversations"
_REQUESTS: Final = 2_000
"""The newest requests that the page shows."""
_LISTED: Final = 200
"""The newest requests that the table shows; the charts show more."""
_RECEIPTS: Final = 12


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
    now, money = sources.clock(), sources.settings.money()
    return table(
        "Conversations",
        sessions,
        (
            ("Conversation", "", lambda one: conversation_link(one.id)),
            ("Last request", "", lambda one: moment(one.last, now)),
            ("Agent", "spare", lambda one: one.client or "-"),
            ("Model", "", lambda one: one.model or "-"),
            ("Requests", "number spare", lambda one: f"{one.requests:,}"),
            ("Context", "number spare", lambda one: tokens(one.tokens_before)),
            ("Sent", "number spare", lambda one: tokens(one.tokens_after)),
            ("Cuts", "number spare", lambda one: f"{one.receipts:,}"),
            ("Cost", "number", lambda one: str(amount_of([(one.model, one.cost)], money))),
            ("Saved", "number", _saved_share),
        ),
        empty=empty or "No conversation is stored yet.",
    )


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
    tried, settings = totals.experience.total, sources.settings
    bill = bill_of(rows, settings.money(), cost_of_asking(totals, rows, settings.price_of))
    usage = totals.usage
    less = f", {bill.asking.exact} for asking again taken off" if tried.asked else ""
    breaks = f"{counted(totals.breaks, 'cache break')} by Prunus" if totals.breaks else None
    return figures(
        figure(
            "Saved", str(bill.saved), f"{share(bill.saved.cost, bill.unpruned.cost)} of the bill{less}", main=True
        ),
        figure("Input bill", str(bill.paid), f"{bill.unpruned} without Prunus"),
        figure("Tokens left out", tokens(totals.tokens_before - totals.tokens_after), "over all requests"),
        figure("Requests", f"{totals.requests:,}", breaks),
        figure("Read from the cache", share(usage.cache_read, usage.prompt), "of all input tokens"),
        asked_again(tried),
        label="Sums of this conversation",
    )


def _requests_section(exchanges: Sequence[Exchange], sources: Sources) -> Markup:
    now, money = sources.clock(), sources.settings.money()
    answered = [one for one in exchanges if one.usage is not None]
    bills = [paid_and_unpruned(one, money) for one in answered]
    priced = not any(amount.unpriced for both in bills for amount in both)
    sums: Numbers = {
        "request": [one.request for one in answered],
        "paid": list(accumulate(paid.dollars if priced else paid.cost for paid, _ in bills)),
        "whole": list(accumulate(whole.dollars if priced else whole.cost for _, whole in bills)),
        "unit": ["$" if priced else "tokens"],
    }
    listed = exchanges[-_LISTED:]
    every = "All" if len(listed) == len(exchanges) else "The newest"
    rows = table(
        "Requests",
        reversed(listed),
        (
            ("Request", "number", lambda one: f"{one.request:,}"),
            ("Time", "", lambda one: moment(one.time, now)),
            ("Cached", "number", lambda one: short(one.usage.cache_read) if one.usage else ""),
            ("Written", "number", lambda one: short(one.usage.cache_write) if one.usage else ""),
            ("New", "number", lambda one: short(one.usage.input) if one.usage else ""),
            ("Unpruned", "number", lambda one: short(one.tokens_before)),
            ("Cost", "number", lambda one: paid_and_unpruned(one, money)[0].exact),
            ("Without Prunus", "number", lambda one: paid_and_unpruned(one, money)[1].exact),
            ("Seconds", "number", lambda one: f"{one.ms / 1000:.1f}"),
        ),
        empty="No request was recorded.",
    )
    drawn = [
        element("h3", "Tokens of each request"),
        chart(
            "requests",
            "Tokens of each request: cached, written, new, and unpruned",
            request_numbers(answered, money),
        ),
        element("h3", "The bill so far"),
        chart("bills", "The bill so far, and without Prunus", sums),
    ]
    return section(
        "Requests",
        element("div", drawn, class_="charts") if len(answered) > 1 else None,
        element(
            "details",
            element("summary", f"{every} {len(listed):,} requests as a table"),
            rows,
        ),
    )


def _breaks(exchanges: Sequence[Exchange], sources: Sources) -> Markup:
    now, money = sources.clock(), sources.settings.money()
    rows = table(
        "Cache breaks",
        ((one, one.flush) for one in reversed(exchanges) if one.flush is not None),
        (
            ("Request", "number", lambda row: f"{row[0].request:,}"),
            ("Time", "", lambda row: moment(row[0].time, now)),
            ("Saves", "number", lambda row: tokens(row[1].saved)),
            ("Written again", "number", lambda row: tokens(row[1].rewritten)),
            ("Price", "number", lambda row: amount_of([(row[0].model, row[0].cost_of_break)], money).exact),
            ("Why", "long", lambda row: row[1].reason),
        ),
        empty="Prunus broke no cache.",
    )
    note = "Each time Prunus changed something in front of what the provider had cached, why, and at what price."
    return section("Cache breaks by Prunus", rows, note=note)


def _misses(exchanges: Sequence[Exchange], sources: Sources) -> Markup:
    """Return why the provider wrote tokens to its cache, and each request that missed it."""
    now = sources.clock()
    missed = [one for one in reversed(exchanges[-_LISTED:]) if one.missed_for and one.request > 1]
    rows = table(
        "Requests that missed the cache",
        missed,
        (
            ("Request", "number", lambda one: f"{one.request:,}"),
            ("Time", "", lambda one: moment(one.time, now)),
            ("Tokens", "number", lambda one: tokens(one.missed)),
            ("Why", "long", lambda one: REASONS.get(one.missed_for, one.missed_for)),
        ),
        empty="None.",
    )
    title = element("summary", f"{counted(len(missed), 'request')} missed the cache")
    listed = element("details", title, rows) if missed else None
    return element("div", cache_section(sums_of(exchanges), sources.settings), listed)


def _files(files: Sequence[KnownFile] | None) -> Markup:
    if files is None:
        words = "This proxy does not hold the conversation at the moment, so it cannot say which files it knows."
        return section("Files", element("p", words, class_="empty"))
    rows = table(
        "Files",
        files,
        (
            ("File", "long", lambda file: element("code", file.path)),
            ("Reads", "number", lambda file: f"{file.reads:,}"),
            ("Edits", "number", lambda file: f"{file.edits:,}"),
            ("Known lines", "number", _known_lines),
            ("Extent", "", lambda file: file.extent),
        ),
        empty="No file was read or changed yet.",
    )
    note = "Files that were read or changed, and how many of their lines are certain."
    return section("Files", rows, note=note)


def _known_lines(file: KnownFile) -> str:
    return f"{file.known:,}" if file.lines is None else f"{file.known:,} of {file.lines:,}"

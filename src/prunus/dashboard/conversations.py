"""The list of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, page
from prunus.dashboard.shapes import (
    amount,
    conversation_link,
    moment,
    page_number,
    pager,
    share,
    table,
    tokens,
)
from prunus.store.records import StoredSession

_SHOWN: Final = 50
_PATH: Final = f"{HOME}conversations"
_COLUMNS: Final = {
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
            _saved(session),
        )
        for session in sessions
    ]
    return table("Conversations", _COLUMNS, rows, empty=empty or "No conversation is stored yet.")


def _saved(session: StoredSession) -> Child:
    saved = share(session.cost_unpruned - session.cost, session.cost_unpruned)
    return [saved, " ", element("span", "shadow", class_="tag")] if session.shadow else saved

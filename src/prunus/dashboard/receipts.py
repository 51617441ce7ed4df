"""The list of receipts: what was cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, page
from prunus.dashboard.sources import Sources
from prunus.dashboard.table import Column, page_number, pager, table
from prunus.dashboard.wording import conversation_link, moment, receipt_path, receipts_path, tokens
from prunus.store.records import StoredReceipt

_SHOWN: Final = 50
_COLUMNS: Final = (
    Column("Receipt"),
    Column("Time", spare=True),
    Column("Conversation", spare=True),
    Column("Tool", spare=True),
    Column("Strategy"),
    Column("Saved", number=True),
    Column("Why", long=True),
)


def receipts_page(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return one page of the list, the newest receipts first; of one strategy or conversation, or of all."""
    number = page_number(request.query.get("page", ""))
    strategy, conversation = request.query.get("strategy", ""), request.query.get("conversation", "")
    offset = (number - 1) * _SHOWN
    if conversation:
        found = sources.store.receipts(request.tenant, conversation, offset + _SHOWN + 1)[offset:]
    else:
        found = sources.store.newest_receipts(request.tenant, strategy, _SHOWN + 1, offset)
    chosen = {"conversation": conversation} if conversation else {"strategy": strategy} if strategy else {}
    return page(
        "Receipts",
        element("p", _lead(strategy, conversation), class_="lead"),
        receipts_table(found[:_SHOWN], sources, of_one=bool(conversation)),
        pager(receipts_path(**chosen, page=""), number, len(found) > _SHOWN),
        tab="receipts",
    )


def _lead(strategy: str, conversation: str) -> Child:
    every = element("a", "Show all", href=f"{HOME}receipts")
    if conversation:
        return ["What was cut in conversation ", conversation_link(conversation), ". ", every, "."]
    if strategy:
        return ["What ", element("code", strategy), " cut. ", every, "."]
    return "Every part that was cut, with the strategy and the reason. A receipt shows the exact original."


def receipts_table(receipts: Sequence[StoredReceipt], sources: Sources, *, of_one: bool = False) -> Markup:
    """Return a table of receipts; those of one conversation do not name it."""
    now = sources.clock()
    rows = [
        (
            element("a", element("code", receipt.id), href=receipt_path(receipt)),
            moment(receipt.time, now),
            *([] if of_one else [conversation_link(receipt.conversation)]),
            receipt.tool or "-",
            element("code", receipt.strategy),
            tokens(receipt.saved),
            [receipt.reason, tags(receipt)],
        )
        for receipt in receipts
    ]
    columns = [column for column in _COLUMNS if not of_one or column.name != "Conversation"]
    return table("Receipts", columns, rows, empty="Nothing was cut yet.")


def tags(receipt: StoredReceipt) -> Child:
    """Return what is special about a receipt."""
    return [
        [" ", element("span", "asked for again", class_="tag bad")] if receipt.asked_again else None,
        [" ", element("span", "shadow: not cut", class_="tag")] if receipt.shadow else None,
    ]

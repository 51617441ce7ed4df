"""Receipts: the list of what was cut, and one receipt with the text before and after and a button to restore it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, page, redirect
from prunus.dashboard.shapes import (
    Column,
    conversation_link,
    figure,
    figures,
    moment,
    page_number,
    pager,
    receipt_path,
    receipts_path,
    section,
    table,
    tokens,
)
from prunus.edits import Added, Continued, Gone, Input, Note, Outlined, Proposal, Replacement, Shorter
from prunus.history import Ref
from prunus.store.records import StoredReceipt

_SHOWN: Final = 50
_LINES: Final = 1_200
"""Lines of a text that are shown; of a longer one the first and the last."""
_LENGTH: Final = 2_000
"""Characters of a line that are shown."""
Fate = Literal["kept", "cut", "new"]


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
    columns: list[Column[StoredReceipt]] = [
        ("Receipt", "", lambda one: element("a", element("code", one.id), href=receipt_path(one))),
        ("Time", "spare", lambda one: moment(one.time, now)),
        ("Conversation", "spare", lambda one: conversation_link(one.conversation)),
        ("Tool", "spare", lambda one: one.tool or "-"),
        ("Strategy", "", lambda one: element("code", one.strategy)),
        ("Saved", "number", lambda one: tokens(one.saved)),
        ("Why", "long", lambda one: [one.reason, tags(one)]),
    ]
    if of_one:
        del columns[2]
    return table("Receipts", receipts, columns, empty="Nothing was cut yet.")


def tags(receipt: StoredReceipt) -> Child:
    """Return what is special about a receipt."""
    return [
        [" ", element("span", "asked for again", class_="tag bad")] if receipt.asked_again else None,
        [" ", element("span", "shadow: not cut", class_="tag")] if receipt.shadow else None,
    ]


def receipt_page(conversation: str, place: str, request: PageRequest, sources: Sources) -> PageAnswer | None:
    """Return the page of a receipt; None if there is no such receipt."""
    receipt = _receipt(conversation, place, request, sources)
    if receipt is None:
        return None
    edit = _edit(receipt, request, sources)
    original = sources.store.original(request.tenant, receipt.original) if receipt.original else None
    return page(
        f"Receipt {receipt.id}",
        element("p", _sentence(receipt), tags(receipt), class_="lead"),
        _figures(receipt, sources),
        _restoring(receipt, edit, request, sources),
        section("Before and after", _texts(original, edit)),
        tab="receipts",
    )


def restore(conversation: str, place: str, request: PageRequest, sources: Sources) -> PageAnswer | None:
    """Have the next request of the conversation show the original again."""
    receipt = _receipt(conversation, place, request, sources)
    if receipt is None:
        return None
    command = _command(receipt)
    if not receipt.shadow and command not in sources.store.asked(request.tenant, receipt.conversation):
        sources.store.ask(request.tenant, receipt.conversation, command)
    return redirect(receipt_path(receipt))


def _command(receipt: StoredReceipt) -> str:
    return f"restore {receipt.id}"


def _receipt(conversation: str, place: str, request: PageRequest, sources: Sources) -> StoredReceipt | None:
    message, _, part = place.partition(".")
    if not all(number.isascii() and number.isdecimal() and len(number) < 10 for number in (message, part)):
        return None
    return sources.store.receipt(request.tenant, conversation, int(message), int(part))


def _edit(receipt: StoredReceipt, request: PageRequest, sources: Sources) -> Proposal | None:
    """Return the edit that is in force for the part; None if there is none."""
    record = sources.store.memory(request.tenant).load(receipt.conversation)
    target = Ref(receipt.message, receipt.part)
    edits = record.ledger.edits if record is not None else ()
    return next((edit for edit in edits if edit.target == target), None)


def _sentence(receipt: StoredReceipt) -> Child:
    what = {"input": "The input", "gone": "A part"}.get(receipt.what, "The result" if receipt.tool else "A text")
    of = [" of ", element("code", receipt.tool)] if receipt.tool else None
    # A view that stands for older reads may be longer than what it replaces.
    verb = "cut" if receipt.saved > 0 else "rewritten"
    verb = f"would have been {verb}" if receipt.shadow else f"was {verb}"
    return [what, of, f" {verb} by ", element("code", receipt.strategy), f": {receipt.reason}."]


def _figures(receipt: StoredReceipt, sources: Sources) -> Markup:
    again = f"by request {receipt.asked_again}" if receipt.asked_again else None
    takes = "Saves in each request" if receipt.saved >= 0 else "Adds to each request"
    return figures(
        figure(takes, f"{abs(receipt.saved):,}", "tokens", main=True),
        figure("Tokens", f"{receipt.tokens_before:,} → {receipt.tokens_after:,}"),
        figure("Share of a cache break", f"{receipt.price:,.0f}", "uncached input tokens, once"),
        figure("Asked for again", "yes" if receipt.asked_again else "no", again),
        figure("Cut with", f"request {receipt.request}", ["turn ", receipt.turn]),
        figure("When", moment(receipt.time, sources.clock())),
        figure("Conversation", conversation_link(receipt.conversation)),
        label="About this receipt",
    )


def _restoring(receipt: StoredReceipt, edit: Proposal | None, request: PageRequest, sources: Sources) -> Child:
    if receipt.shadow:
        return element("p", "Nothing was cut, so there is nothing to restore.", class_="note")
    if _command(receipt) in sources.store.asked(request.tenant, receipt.conversation):
        words = "Restoring is on its way: the next request of this conversation shows the original again."
        return element("p", words, class_="said", role="status")
    if edit is None:
        return element("p", "This cut is not in force any more: the original is shown to the agent.", class_="said")
    return element(
        "form",
        element("button", "Restore", type="submit"),
        element("span", "The next request of this conversation shows the original again.", class_="note"),
        method="post",
        action=f"{receipt_path(receipt)}/restore",
        class_="restore",
    )


def _texts(original: str | None, edit: Proposal | None) -> Child:
    if original is None:
        return element(
            "p",
            "The original is not kept: the settings say so (store.originals), it is too old, or nothing was cut. ",
            element("a", "Settings", href=f"{HOME}settings"),
            class_="empty",
        )
    if not original:
        return element("p", "What was cut is no text, and only text is kept.", class_="empty")
    after = original if edit is None else _shown(edit.replacement, original)
    return side_by_side(original, after, left="As the agent sent it", right="As the model sees it")


def _shown(replacement: Replacement, original: str) -> str:
    match replacement:
        case Note(text) | Shorter(text):
            return text
        case Added(text) | Continued(text):
            return original + text
        case Input(value):
            return json.dumps(dict(value), ensure_ascii=False, indent=2)
        case Gone() | Outlined():
            return ""


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line, and what became of it."""

    number: int
    text: str
    fate: Fate


def mark_lines(before: str, after: str) -> tuple[list[MarkedLine], list[MarkedLine]]:
    """Return the lines of both texts: which of the old ones went, and which of the new ones are new.

    A cut keeps the order of the lines, so one walk over both texts is enough, however long they are.
    """
    old, new = before.splitlines(), after.splitlines()
    left = Counter(old)
    at = 0
    olds: list[MarkedLine] = []
    news: list[MarkedLine] = []
    for n, line in enumerate(new, 1):
        if not left[line]:
            news.append(MarkedLine(n, line, "new"))
            continue
        while old[at] != line:
            olds.append(MarkedLine(at + 1, old[at], "cut"))
            left[old[at]] -= 1
            at += 1
        olds.append(MarkedLine(at + 1, line, "kept"))
        news.append(MarkedLine(n, line, "kept"))
        left[line] -= 1
        at += 1
    olds += (MarkedLine(n + 1, old[n], "cut") for n in range(at, len(old)))
    return olds, news


def side_by_side(before: str, after: str, *, left: str, right: str) -> Markup:
    """Return both texts with a heading for each."""
    olds, news = mark_lines(before, after)
    return element(
        "div",
        element("figure", element("figcaption", left), _lines(olds, left)),
        element("figure", element("figcaption", right), _lines(news, right)),
        class_="sides",
    )


def _lines(lines: Sequence[MarkedLine], label: str) -> Markup:
    if not lines:
        return element("p", "Nothing.", class_="empty")
    return element("ol", _items(lines), class_="lines", tabindex=0, aria_label=label)


def _items(lines: Sequence[MarkedLine]) -> Iterator[Child]:
    shown = lines if len(lines) <= _LINES else lines[: _LINES // 2]
    yield from map(_item, shown)
    if len(lines) > _LINES:
        hidden = len(lines) - 2 * (_LINES // 2)
        yield element("li", f"{hidden:,} lines are not shown here.", class_="gap")
        yield from map(_item, lines[-(_LINES // 2) :])


def _item(line: MarkedLine) -> Markup:
    words = line.text if len(line.text) <= _LENGTH else f"{line.text[:_LENGTH]}…"
    name = {"cut": "del", "new": "ins", "kept": "span"}[line.fate]
    return element("li", element(name, words or " "), class_=line.fate, value=line.number)

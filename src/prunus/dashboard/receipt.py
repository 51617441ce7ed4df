"""One receipt: what stood there, what stands there now, and the button that brings it back."""

from __future__ import annotations

import json

from prunus.dashboard.comparison import side_by_side
from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, page, redirect
from prunus.dashboard.receipts import tags
from prunus.dashboard.sources import Sources
from prunus.dashboard.table import figure, figures, section
from prunus.dashboard.wording import conversation_link, moment, receipt_path
from prunus.edits import Added, Continued, Gone, Input, Note, Outlined, Proposal, Replacement, Shorter
from prunus.history import Ref
from prunus.store.records import StoredReceipt


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
        section("Before and after", _texts(receipt, original, edit)),
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


def _texts(receipt: StoredReceipt, original: str | None, edit: Proposal | None) -> Child:
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

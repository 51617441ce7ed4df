"""The outcome of pruning one request, with a receipt for each edit.

The original of an edit is the content that the edit removes, as the store keeps it for `prunus restore`. If an edit
removes only text, the original is the text of the part. If it removes more, such as an image or a signature, the
original is the JSON from the request, byte for byte.
"""

from __future__ import annotations

from typing import Any

import msgspec

from prunus.conversations.conversation import Loader
from prunus.conversations.held import Request
from prunus.conversations.memory import ConversationRecord
from prunus.edits import Edit, Gone, Note, Proposal
from prunus.engine import Engine
from prunus.history import Attachment, Call, Message, Opaque, Result, Thinking, short_id
from prunus.json.splice import Path, values
from prunus.outcome import Outcome, Receipt, Report, as_given
from prunus.reuse.asked_again import AskedAgain, part_kind
from prunus.schedule.ledger import Flush
from prunus.tally import category_of
from prunus.text.fingerprint import utf8
from prunus.view.uses import Use


def outcome_of(
    request: Request,
    engine: Engine,
    memo: ConversationRecord,
    around: int,
    flush: Flush | None,
    asked_again: AskedAgain,
) -> Outcome[Any]:
    """Return the outcome of a request whose edits are made and rendered. Its body is still the original one.

    `memo` is the conversation including this request, and `around` the tokens outside the messages.
    """
    read, load = request.read, request.load
    tallies, edits = engine.made.tallies, engine.made.in_order()
    before = around + engine.view.tokens
    report = Report(
        before,
        before - tallies.saved + engine.tags.tokens,
        {name: tally for name, tally in tallies.by_strategy.items() if tally.count},
        {name: tally for name, tally in tallies.by_category.items() if tally.count},
        read.format.name,
        request.model,
        len(read),
        asked_again,
        memo.learned.stepped_back,
    )
    return Outcome(
        request.body,
        edits,
        engine.board.refused,
        report,
        flush=flush,
        conversation=memo.id,
        request=memo.requests,
        made=tuple(engine.made.new),
        passed=tuple(engine.made.passed),
        receipt=lambda edit: receipt_of(edit, engine, load),
        outlined=engine.made.with_outlines,
        lifetime=memo.life.lifetime,
    )


def pruned_body(request: Request, engine: Engine) -> Any:
    """Return the body of a request with its edits, in the type in which it was given."""
    sent = engine.rendering
    if not (sent.rendered or sent.changed):
        return request.body
    # Where the last edit was taken back, the body that is read has to forget it too.
    assembled = request.read.assemble(sent.edited, sent.rendered, sent.changed)
    return as_given(request.body, assembled) if sent.rendered else request.body


def receipt_of(edit: Proposal, engine: Engine, load: Loader) -> Receipt:
    """Return the receipt of an edit, for the request that made the edit first."""
    view, target = engine.view, edit.target
    message = load(target.message)
    part = message.parts[target.part]
    use = view.by_ref.get(target)
    known = view.names.get(target) if use is not None and target == use.result else None
    id = short_id(target, b"".join(utf8(getattr(part, "text", "")))) if known is None else known
    # Commands, and ids that the model repeated, are kept from the model without being pruned.
    asked = engine.newly_requested(target) and edit.when.requested_by != "prunus"
    if use is None:
        turn = view.turn_of(target)
        return Receipt(id, edit, _original(message, edit), "", turn, category_of(type(part)), target, asked)
    by = view.by_ref.get(edit.cause) if edit.cause is not None else None
    return Receipt(
        id,
        edit,
        _original(message, edit),
        use.tool,
        use.turn,
        category_of(type(part)),
        use.call,
        asked,
        call=_call_id(use, load),
        by=_call_id(by, load) if by is not None else "",
        by_tool=by.tool if by is not None else "",
        about=_about(use, by),
        kind=part_kind(use, target, changed=view.changed_since(use)),
    )


def _call_id(use: Use, load: Loader) -> str:
    """Return the id of a call. Calls of clients that give no ids are identified by their turn."""
    part = load(use.call.message).parts[use.call.part]
    return (part.id if isinstance(part, Call) else "") or f"turn {use.turn}"


def _about(use: Use, by: Use | None) -> str:
    """Return the file, the address or the command of a call."""
    meaning = use.meaning
    paths = [touch.path for touch in use.touches]
    shared = [path for path in paths if by is not None and by.touched(path) is not None]
    if paths:
        return (shared or paths)[0]
    return meaning.command or meaning.key.removeprefix("search:")


def _original(message: Message, edit: Edit) -> str:
    """Return the content that the edit removes from its part of this message."""
    index = edit.target.part
    part = message.parts[index]
    match part, edit.replacement:
        case Attachment(), Note() | Gone():
            raw = _at(message.raw, part.at)
        case Thinking(hidden=hidden), Gone() if hidden:
            blocks = [_at(message.raw, place) for place in (part.at, *part.extra)]
            raw = b"[" + b",".join(blocks) + b"]" if part.extra else blocks[0]
        case Result(), Note() if part.extra:
            places = (part.at, *part.extra)
            named = (msgspec.json.encode(place[-1]) + b":" + _at(message.raw, place) for place in places)
            raw = b"{" + b",".join(named) + b"}"
        case Result(), Note() if any(
            isinstance(other, Attachment | Opaque) and other.inside == index for other in message.parts
        ):
            raw = _at(message.raw, part.at)
        case _:
            return str(getattr(part, "text", ""))
    return raw.decode("utf-8", "surrogatepass")


def _at(raw: bytes, path: Path) -> bytes:
    """Return the JSON bytes at a path of a message."""
    for step in path:
        raw = values(raw)[step]
    return raw

"""What one edit took away, which call superseded which, and how to ask for it."""

from __future__ import annotations

from prunus.conversation import Loader
from prunus.edits import Proposal
from prunus.engine import Engine
from prunus.history import Call
from prunus.ids import short_id
from prunus.originals import original
from prunus.outcome import Receipt
from prunus.tally import category_of
from prunus.uses import Use


def receipt_of(edit: Proposal, engine: Engine, load: Loader) -> Receipt:
    """The receipt of an edit, of the request that put it in force."""
    view, target = engine.view, edit.target
    message = load(target.message)
    part = message.parts[target.part]
    use = view.by_ref.get(target)
    content = getattr(part, "text", "")
    id = short_id(target, content.encode("utf-8", "surrogatepass"))
    if use is not None and target == use.result:
        id = view.names.get(target, id)
    # Commands, and ids that the model repeated, are kept from the model without being pruned.
    asked = engine.newly_requested(target) and edit.when.requested_by != "prunus"
    if use is None:
        turn = view.turn_of(target)
        return Receipt(id, edit, original(message, edit), "", turn, category_of(type(part)), target, asked)
    by = view.by_ref.get(edit.cause) if edit.cause is not None else None
    return Receipt(
        id,
        edit,
        original(message, edit),
        use.tool,
        use.turn,
        category_of(type(part)),
        use.call,
        asked,
        call=_call_id(use, load),
        by=_call_id(by, load) if by is not None else "",
        by_tool=by.tool if by is not None else "",
        about=_about(use, by),
    )


def _call_id(use: Use, load: Loader) -> str:
    """The id of a call; some clients give none, and then it is known by its turn."""
    part = load(use.call.message).parts[use.call.part]
    return (part.id if isinstance(part, Call) else "") or f"turn {use.turn}"


def _about(use: Use, by: Use | None) -> str:
    """What a call is about: the file, the address or the command."""
    meaning = use.meaning
    paths = [touch.path for touch in use.touches]
    shared = [path for path in paths if by is not None and by.touched(path) is not None]
    if paths:
        return (shared or paths)[0]
    return meaning.command or meaning.key.removeprefix("search:")

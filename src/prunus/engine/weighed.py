"""What an edit saves: the tokens of its part before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from prunus.edits import Added, Gone, Input, Note, Proposal, Shorter
from prunus.history import Attachment, Call, Opaque, Part, Ref, Result
from prunus.providers import as_json
from prunus.view import View, weigh, weigh_result

__all__ = ["weighed"]


def weighed(edit: Proposal, part: Part, view: View) -> Proposal:
    """An edit with the tokens that its part has now, and would have then."""
    counter = view.counter
    use = view.by_ref.get(edit.target)
    if use is None:
        before = weigh(part, counter)
    else:
        before = use.input_tokens if isinstance(part, Call) else use.tokens
    match edit.replacement:
        case Note(text) | Shorter(text):
            after = weigh_result(text, counter) if isinstance(part, Result) else counter.count(text)
            if isinstance(part, Result) and isinstance(edit.replacement, Note):
                before += sum(weigh(inner, counter) for inner in _carried(edit.target, view))
        case Input(value, left):
            after = counter.count(use.tool if use else "") + counter.count(as_json(value)) + counter.count(left)
        case Added(text):
            after = before + counter.count(text)
        case Gone():
            after = 0
    return replace(edit, tokens_before=before, tokens_after=after)


def _carried(result: Ref, view: View) -> Iterator[Part]:
    """What goes along with a result because it is inside of it."""
    parts = view.message(result.message).parts
    return (p for p in parts if isinstance(p, Attachment | Opaque) and p.inside == result.part)

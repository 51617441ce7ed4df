"""Counts the tokens of the part that a proposal changes, before and after the edit."""

from __future__ import annotations

from prunus.edits import Added, Continued, Gone, Input, Note, Outlined, Proposal, Shorter
from prunus.history import Attachment, Opaque, Ref, Result
from prunus.outlines.outline import outline_of
from prunus.providers import as_json
from prunus.value import replace
from prunus.view.uses import weigh_result
from prunus.view.view import View


def with_tokens(proposal: Proposal, view: View) -> Proposal:
    """Return a proposal with the tokens before and after the edit, and with its outline, if it has one.

    The part is read only if the edit keeps some of its text, because its message may be an old one.
    """
    counter, target, use = view.counter, proposal.target, view.by_ref.get(proposal.target)
    is_result = view.kind(target) is Result
    before = view.shapes[target.message].tokens[target.part]
    if isinstance(proposal.replacement, Outlined) and use is not None and is_result:
        outline = outline_of(use, _text(target, view), proposal.replacement.share)
        proposal = replace(proposal, replacement=Shorter(outline + proposal.replacement.behind))
    match proposal.replacement:
        case Note(text) | Shorter(text):
            after = weigh_result(text, counter) if is_result else counter.count(text)
            if is_result and isinstance(proposal.replacement, Note):
                before += _inside(target, view)
        case Input(value, left):
            after = counter.count(use.tool if use else "") + counter.count(as_json(value)) + counter.count(left)
        case Continued(text):
            after = weigh_result(_text(target, view) + text, counter) if is_result else before
        case Outlined():
            after = before
        case Added(text):
            after = before + counter.count(text)
        case Gone():
            after = 0
    return replace(proposal, tokens_before=before, tokens_after=after)


def _text(result: Ref, view: View) -> str:
    part = view.part(result)
    return part.text if isinstance(part, Result) else ""


def _inside(result: Ref, view: View) -> int:
    """Return the tokens of the parts that a result contains and that go with it."""
    shape = view.shapes[result.message]
    if Attachment not in shape.kinds and Opaque not in shape.kinds:
        return 0
    return sum(shape.tokens[part] for part, _ in view.message(result.message).parts_inside(result.part))

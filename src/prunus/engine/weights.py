"""Counts the tokens of a proposal: its part before the edit, and what the edit leaves of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from prunus.edits import Added, Continued, Gone, Input, Note, Outlined, Proposal, Shorter
from prunus.history import Attachment, Call, Opaque, Part, Ref, Result
from prunus.outlines.outline import outline_of
from prunus.providers import as_json
from prunus.view.uses import weigh, weigh_result
from prunus.view.view import View


def with_tokens(proposal: Proposal, part: Part, view: View) -> Proposal:
    """Return a proposal with the tokens before and after the edit, and with its outline, if it has one."""
    counter = view.counter
    use = view.by_ref.get(proposal.target)
    if isinstance(proposal.replacement, Outlined) and use is not None and isinstance(part, Result):
        outline = outline_of(use, part.text, proposal.replacement.share)
        proposal = replace(proposal, replacement=Shorter(outline + proposal.replacement.behind))
    if use is None:
        before = weigh(part, counter)
    else:
        before = use.input_tokens if isinstance(part, Call) else use.tokens
    match proposal.replacement:
        case Note(text) | Shorter(text):
            after = weigh_result(text, counter) if isinstance(part, Result) else counter.count(text)
            if isinstance(part, Result) and isinstance(proposal.replacement, Note):
                before += sum(weigh(inner, counter) for inner in _inside(proposal.target, view))
        case Input(value, left):
            after = counter.count(use.tool if use else "") + counter.count(as_json(value)) + counter.count(left)
        case Continued(text):
            after = weigh_result(part.text + text, counter) if isinstance(part, Result) else before
        case Outlined():
            after = before
        case Added(text):
            after = before + counter.count(text)
        case Gone():
            after = 0
    return replace(proposal, tokens_before=before, tokens_after=after)


def _inside(result: Ref, view: View) -> Iterator[Part]:
    """Return the parts that a result contains and that go with it."""
    parts = view.message(result.message).parts
    return (p for p in parts if isinstance(p, Attachment | Opaque) and p.inside == result.part)

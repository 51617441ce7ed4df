"""The edits that follow from a call of `context_prune`, target by target, or why a target leads to none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from prunus.edits import Gone, Move, Note, Proposal, Replacement, Shorter, When, Withdraw
from prunus.history import Attachment, Ref, Result, Text, Thinking
from prunus.notes import REASONING_GONE, distilled_note, file_note, is_note, note
from prunus.proposals import describe, without_reasoning
from prunus.requested.request import BULK, PruneRequest, parse
from prunus.requested.spans import TextSpan, replace_spans
from prunus.view.guide import advise
from prunus.view.uses import Use
from prunus.view.view import View

ProblemKind: TypeAlias = Literal["", "unknown", "protected", "already", "failed"]

ACKNOWLEDGED: Final = "Noted; it takes effect with your next step."
"""The answer of a tool that cannot see the history."""

HEADINGS: Final[Mapping[ProblemKind, str]] = {
    "unknown": "Not found",
    "protected": "Protected",
    "already": "Already pruned",
    "failed": "Replace failed",
}
"""The words for each kind of problem."""

_NAME = "asked"
_WHY = "you discarded it"


@dataclass(frozen=True, slots=True)
class Choice:
    """One target of a request: the part that it names and the edits that follow, or why there are none."""

    target: str
    ref: Ref | None = None
    moves: tuple[Move, ...] = ()
    problem: ProblemKind = ""
    reason: str = ""

    @property
    def words(self) -> str:
        """The target, and why nothing follows from it."""
        return f"{self.target} ({self.reason})" if self.reason else self.target


class Permissions(Protocol):
    """What the agent may discard or replace."""

    @property
    def messages(self) -> bool: ...

    @property
    def thinking(self) -> bool: ...

    @property
    def errors(self) -> bool: ...

    def forbids(self, tool: str) -> bool: ...

    def sweeps(self, tool: str) -> bool: ...


def choices(
    request: PruneRequest, use: Use, earlier: Sequence[Use], view: View, rules: Permissions
) -> tuple[Choice, ...]:
    """Return the effect of a request, target by target; `earlier` are the calls of `context_prune` before it."""
    action = request.action
    if action is None:
        return ()
    if action == "replace":
        return tuple(_replace(request, use, earlier, view))
    if action != "restore" and not getattr(rules, action):
        return tuple(Choice(row[0], problem="protected", reason=f"{action} is off") for row in request.targets)
    return tuple(_each(request, use, view, rules))


def _each(request: PruneRequest, use: Use, view: View, rules: Permissions) -> Iterator[Choice]:
    for name, *rest in request.targets:
        if name not in BULK and name not in view.ids:
            yield Choice(name, problem="unknown")
            continue
        summary = rest[0] if rest else ""
        for ref in _bulk(name, use, view, rules) if name in BULK else [view.ids[name]]:
            if request.action == "restore":
                yield Choice(view.names[ref], ref, tuple(restore_part(ref, view)))
            else:
                edit = discarded(ref, summary, use.call, view, rules)
                yield edit if isinstance(edit, Choice) else Choice(view.names[ref], ref, (edit,))
            summary = ""


def _bulk(name: str, use: Use, view: View, rules: Permissions) -> list[Ref]:
    """Return the parts before the call that a bulk target names, without those that may not go."""
    kinds = {"tools": (Result,), "messages": (Text,), "thinking": (Thinking,), "files": (Attachment,)}
    wanted = kinds.get(name, (Result, Text, Thinking, Attachment))
    found = []
    for ref in view.names:
        if view.turn_of(ref) >= use.turn or not isinstance(view.part(ref), wanted):
            continue
        if name == "old" and advise(ref, view).action != "discard":
            continue
        choice = discarded(ref, "", use.call, view, rules)
        if isinstance(choice, Proposal):
            found.append(ref)
    return found


def discarded(
    ref: Ref, summary: str, by: Ref | None, view: View, rules: Permissions, why: str = _WHY
) -> Proposal | Choice:
    """Return the edit that removes a part from the context, or a choice that says why the part may not go."""
    name, part = view.names[ref], view.part(ref)
    replacement: Replacement
    match part:
        case Result():
            use = view.by_ref[ref]
            if rules.forbids(use.tool):
                return Choice(name, ref, problem="protected", reason=f"{use.tool} is protected")
            if not (use.ok or rules.errors):
                return Choice(name, ref, problem="protected", reason="a failed call stays for debugging")
            if use.cut:
                return Choice(name, ref, problem="already")
            what = describe(use)
            replacement = Note(distilled_note(what, summary) if summary else note(what, why))
        case Text():
            if not rules.messages:
                return Choice(name, ref, problem="protected", reason="messages are protected")
            if is_note(part.text):
                return Choice(name, ref, problem="already")
            what = f"message of {len(part.text.split())} words"
            replacement = Note(distilled_note(what, summary) if summary else note(what, why))
        case Thinking():
            if not rules.thinking:
                return Choice(name, ref, problem="protected", reason="reasoning is protected")
            if part.required and part.text == REASONING_GONE:
                return Choice(name, ref, problem="already")
            removed = without_reasoning(ref, view)
            if removed is None:
                return Choice(name, ref, problem="protected", reason="the provider wants this reasoning to stay")
            # A signed block must not be altered, so the summary stays where it was given: in the call.
            replacement = Shorter(summary) if summary and part.required else removed
        case Attachment():
            # If words cannot stand in its place, a summary stays where it was given: in the call.
            words = Note(file_note(part.name, part.size * 3 // 4, summary))
            replacement = Gone() if part.fixed else words
        case _:
            return Choice(name, ref, problem="unknown")
    when = When(requested_by="user" if by is None else "agent")
    return Proposal(ref, replacement, _NAME, why, when=when, cause=by, ends_call=not summary)


def restore_part(ref: Ref, view: View) -> Iterator[Withdraw]:
    """Yield the moves that bring a part back for good, and all parts that belong to its call."""
    refs = [ref]
    use = view.by_ref.get(ref)
    if use is not None:
        refs.append(use.call)
        refs += (Ref(ref.message, part) for part, _ in view.message(ref.message).parts_inside(ref.part))
    for each in refs:
        yield Withdraw(each, _NAME, restored=True)


def _replace(request: PruneRequest, use: Use, earlier: Sequence[Use], view: View) -> Iterator[Choice]:
    texts = _texts(use, earlier, view)
    spans = [TextSpan(*target) for target in request.targets]
    changed, reasons = replace_spans(texts, spans)
    for span, (ref, reason) in zip(spans, reasons, strict=True):
        label = f"{span.start[:20]}…{span.end[-20:]}"
        if ref is None:
            yield Choice(label, problem="failed", reason=reason)
        else:
            new, when = Shorter(changed[ref]), When(requested_by="agent")
            edit = Proposal(ref, new, _NAME, "you replaced a part of it", when=when, cause=use.call)
            yield Choice(label, ref, (edit,))


def _texts(use: Use, earlier: Sequence[Use], view: View) -> Mapping[Ref, str]:
    """Return the texts of user and assistant before a call, with the replacements that earlier calls made."""
    texts = {
        Ref(index, i): part.text
        for index in range(len(view.turns))
        if view.turns[index] < use.turn
        for message in (view.message(index),)
        if message.role in ("user", "assistant")
        for i, part in enumerate(message.parts)
        if isinstance(part, Text)
    }
    original = dict(texts)
    for before in earlier:
        request = parse(view.call(before).input)
        if request.action == "replace":
            changed, _ = replace_spans(texts, [TextSpan(*target) for target in request.targets])
            texts |= changed
        elif request.action == "restore":
            refs = (view.ids.get(name) for name, *_ in request.targets)
            texts |= {ref: original[ref] for ref in refs if ref in original}
    return texts


def complaints(request: PruneRequest, found: Sequence[Choice]) -> str:
    """Return in one line what cannot be carried out; empty if everything can.

    Parts that were pruned before are not named. Otherwise an answer that is checked again would say more than the
    first time.
    """
    problems: dict[str, list[str]] = {}
    for choice in found:
        if choice.problem and choice.problem != "already":
            problems.setdefault(HEADINGS[choice.problem], []).append(choice.words)
    if request.problems:
        problems["Not understood"] = list(request.problems)
    return " ".join(f"{kind}: {', '.join(words)}." for kind, words in problems.items()).replace('"', "'")

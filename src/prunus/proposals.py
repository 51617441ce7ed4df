"""Edits that several strategies propose: notes for superseded results, leaner inputs, removed reasoning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from prunus.edits import Gone, Note, Proposal, Replacement, Shorter, When
from prunus.history import Marker, Ref, Thinking
from prunus.notes import REASONING_GONE, pointer_note, shorten, superseded_note
from prunus.view.uses import Use
from prunus.view.view import View


def describe(use: Use) -> str:
    """A call in a few words: `read of src/app.py`, `output of npm test`."""
    meaning = use.meaning
    match meaning.kind:
        case "read" | "write" | "edit" if use.touches:
            name, *more = use.paths
            return f"{meaning.kind} of {shorten(name)}" + (f" and {len(more)} more" if more else "")
        case "shell" if meaning.command:
            return f"output of `{shorten(meaning.command, 60)}`"
        case "fetch" if meaning.key.startswith("search:"):
            return f"web search for {shorten(meaning.key[7:], 80)}"
        case "fetch" if meaning.key:
            return f"fetch of {shorten(meaning.key.split(maxsplit=1)[0], 80)}"
        case "search" | "list" if meaning.key:
            return f"{meaning.kind} of {shorten(_looked_for(meaning.key), 80)}"
        case "todo":
            return "todo list"
    return f"result of {shorten(use.tool, 60)}"


def _looked_for(key: str) -> str:
    """The key of a search or listing, in words."""
    tool, _, rest = key.partition(":")
    path, _, pattern = rest.partition(":")
    if tool == "grep":
        pattern = pattern.rpartition(":")[0]
    if not pattern:
        return path or "."
    return f"{pattern} in {path}" if path else pattern


def supersede(strategy: str, old: Use, by: Use, why: str, view: View, preference: int = 0) -> Proposal:
    """Propose a note in place of the result of `old`, because `by` replaced it."""
    note = Note(superseded_note(describe(old), why, view.words))
    return Proposal(old.result, note, strategy, why, cause=by.call, ends_call=True, preference=preference)


def supersede_earlier(strategy: str, use: Use, earlier: Sequence[Use], why: str, view: View) -> Iterator[Proposal]:
    """Propose a note in place of each earlier answer that a new answer replaces."""
    if use.visible:
        for old in replaceable(earlier, view, lambda old: old.visible):
            yield supersede(strategy, old, use, why, view)


def pointer(strategy: str, use: Use, at: Use, preference: int) -> Proposal:
    """Propose a note in place of the result of `use` that points to the earlier result of `at`."""
    text = pointer_note(describe(use), describe(at), at.size)
    why = "says the same again"
    return Proposal(
        use.result,
        Note(text),
        strategy,
        why,
        cause=at.call,
        points_to=at.result,
        when=When(before_first_send=True),
        preference=preference,
    )


def replaceable(earlier: Sequence[Use], view: View, replaces: Callable[[Use], bool]) -> Iterator[Use]:
    """Yield the earlier calls that a new call may replace, newest first.

    The search ends at the newest call that already replaced those before it. The other calls of that turn are
    yielded too, because a call cannot replace one of its own turn.
    """
    turn: int | None = None
    for old in reversed(earlier):
        if turn is not None and old.turn != turn:
            return
        yield old
        if turn is None and old.index not in view.muted and replaces(old):
            turn = old.turn


def bare_input(use: Use, view: View, over: int) -> Mapping[str, Any] | None:
    """Return the arguments that identify a call; None if the others have no more than `over` characters.

    Only whole arguments are left out, because models copy a placeholder inside a write into files.
    """
    call = view.call(use)
    if not isinstance(call.input, Mapping) or call.fixed or use.stripped:
        return None
    kept = {key: value for key, value in call.input.items() if key in use.meaning.metadata}
    if not kept and use.meaning.kind != "todo":
        return None
    dropped = (value for key, value in call.input.items() if key not in kept)
    bulk = sum(len(value) if isinstance(value, str) else len(str(value)) for value in dropped)
    return kept if bulk > over else None


def without_reasoning(ref: Ref, view: View) -> Replacement | None:
    """Return the replacement of removed reasoning; None if it has to stay, or if the part is no reasoning."""
    part = view.part(ref)
    if not isinstance(part, Thinking) or part.fixed:
        return None
    if part.required:
        return None if part.text == REASONING_GONE else Shorter(REASONING_GONE)
    alone = all(isinstance(other, Thinking | Marker) for other in view.message(ref.message).parts)
    return None if part.at != () and alone else Gone()


def is_protected(tool: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns matches a tool, in upper or lower case; `*` and `?` are wildcards."""
    return any(fnmatchcase(tool.lower(), pattern.lower()) for pattern in patterns)

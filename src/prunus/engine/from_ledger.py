"""Writing a request as its ledger says, without looking at the history.

The ledger holds what every part became that is not as it came. So a request can be written within a moment where
there is no time to look, and with nothing cut that was not cut before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prunus.apply import extended
from prunus.edits import Added, Gone, Input, Proposal, Replacement
from prunus.engine.rendering import key_of, render
from prunus.history import Message, Ref, Thinking
from prunus.schedule.ledger import Ledger, Tag, Written

__all__ = ["edits_in_force", "render_ledger"]

Load = Callable[[int], Message]


def edits_in_force(ledger: Ledger, count: int, load: Load) -> tuple[Proposal, ...]:
    """The edits of a ledger that a request of `count` messages takes over.

    Reasoning comes back where a tool loop that was over was undone and is open again.
    """
    opened: int | None = None
    found = []
    for edit in ledger.edits:
        if isinstance(load(edit.target.message).parts[edit.target.part], Thinking):
            opened = _open_loop(count, load) if opened is None else opened
            if edit.target.message >= opened:
                continue
        found.append(edit)
    return tuple(found)


def render_ledger(
    format: str,
    ledger: Ledger,
    edits: tuple[Proposal, ...],
    count: int,
    load: Load,
    raw: Callable[[int], bytes],
    known: Mapping[int, Written | None],
) -> dict[int, Written]:
    """Each message that is not sent as it came, with these edits of a ledger, its words and its tags.

    A message that is `known` as it was sent before is not even parsed.
    """
    chosen = {edit.target: edit for edit in edits}
    words = dict(_words(edits))
    tags = {tag.ref: tag for tag in ledger.tags}
    places: dict[int, set[Ref]] = {}
    for ref in (*chosen, *words, *(tag.ref for tag in ledger.tags if tag.added)):
        places.setdefault(ref.message, set()).add(ref)
    made: dict[int, Written] = {}
    for index in sorted(places):
        replacements = {
            ref.part: _dressed(chosen.get(ref), words.get(ref, ""), tags.get(ref)) for ref in sorted(places[index])
        }
        key = key_of(raw(index), replacements)
        found = known.get(index)
        if found is None or found.key != key:
            own = all(
                edit.when.requested_by == "prunus" for ref in places[index] if (edit := chosen.get(ref)) is not None
            )
            gone = all(isinstance(one, Gone) for one in replacements.values())
            following = load(index + 1) if gone and index + 1 < count else None
            text = render(format, load(index), following, replacements, open_loop=False, own=own)
            found = Written(key, text)
        made[index] = found
    return made


def _words(edits: tuple[Proposal, ...]) -> Iterator[tuple[Ref, str]]:
    """What is left of the arguments of calls, in words behind their results."""
    for edit in edits:
        if isinstance(edit.replacement, Input) and edit.replacement.result is not None:
            yield edit.replacement.result, edit.replacement.left


def _dressed(edit: Proposal | None, words: str, tag: Tag | None) -> Replacement:
    """What becomes of a part, with all that stands behind it."""
    replacement = edit.replacement if edit is not None else None
    stays = (replacement is None or isinstance(replacement, Added)) and not words
    shown = "" if tag is None or (stays and not tag.added) else tag.text
    return extended(replacement, words, shown)


def _open_loop(count: int, load: Load) -> int:
    """The message with which the user spoke last: the tool loop behind it is still open."""
    return next((i for i in range(count - 1, -1, -1) if load(i).role == "user" and load(i).spoken), 0)

"""Replaces a stretch of text that is named by its beginning and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.history import Ref

SHORTEST: Final = 30
"""Characters that a stretch must have at least."""
TELLING: Final = 15
"""Beginning or end must have more characters than this, so that they tell something."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A stretch from the words it begins with to those it ends with, both taken literally."""

    start: str
    end: str
    replacement: str


def replace_spans(
    texts: Mapping[Ref, str], spans: Sequence[TextSpan]
) -> tuple[dict[Ref, str], list[tuple[Ref | None, str]]]:
    """Return the changed texts, and for each span the part that it stood in or why it was not replaced."""
    found: list[tuple[Ref, int, int] | str] = [_find(texts, span) for span in spans]
    taken: dict[Ref, list[tuple[int, int, str]]] = {}
    outcomes: list[tuple[Ref | None, str]] = []
    for span, hit in zip(spans, found, strict=True):
        if isinstance(hit, str):
            outcomes.append((None, hit))
            continue
        place, start, end = hit
        cuts = taken.setdefault(place, [])
        if any(start < other_end and other_start < end for other_start, other_end, _ in cuts):
            outcomes.append((None, "it overlaps with another target"))
            continue
        cuts.append((start, end, span.replacement))
        outcomes.append((place, ""))
    changed = {}
    for place, cuts in taken.items():
        text = texts[place]
        for start, end, words in sorted(cuts, reverse=True):
            text = text[:start] + words + text[end:]
        changed[place] = text
    return changed, outcomes


def _find(texts: Mapping[Ref, str], span: TextSpan) -> tuple[Ref, int, int] | str:
    """Return the only place where a span stands, or why there is none."""
    if not span.start or not span.end:
        return "start and end must not be empty"
    if len(span.start) <= TELLING and len(span.end) <= TELLING:
        return f"start or end must have more than {TELLING} characters"
    if not span.replacement.strip():
        return "the replacement is empty"
    if _ends(span.replacement, span):
        return "the replacement holds the same again"
    hits = [(place, start, end) for place, text in texts.items() for start, end in _ends(text, span)]
    if not hits:
        return "nothing matches; start and end are taken literally"
    if len(hits) > 1:
        return f"{len(hits)} places match; give a longer start or end"
    place, start, end = hits[0]
    if end - start < SHORTEST:
        return f"only {end - start} characters match; at least {SHORTEST} are wanted"
    return place, start, end


def _ends(text: str, span: TextSpan) -> list[tuple[int, int]]:
    """Return all places where a span begins in a text, each with the nearest end."""
    found = []
    at = text.find(span.start)
    while at >= 0:
        end = text.find(span.end, at + len(span.start))
        if end < 0:
            break
        found.append((at, end + len(span.end)))
        at = text.find(span.start, at + 1)
    return found

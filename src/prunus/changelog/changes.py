"""What a call does to files, as values, and how many lines that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, TypeAlias

__all__ = ["Action", "Change", "Piece", "Restore", "Settle", "Shelve", "Undo", "Unshelve", "Verb", "core", "counts"]

Verb = Literal["written", "edited", "appended", "deleted", "renamed"]

_LARGE: Final = 4_000_000
"""Pairs of lines beyond which two texts are compared as bags of lines."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One text that became another."""

    old: str
    new: str
    everywhere: bool = False
    """At each place where it stood."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a call changes."""

    path: str
    verb: Verb
    pieces: tuple[Piece, ...] = ()
    whole: str | None = None
    """All that is in the file afterwards, where the call says it."""
    exact: bool = True
    """The pieces are everything that it changes."""
    source: str = ""
    """What a renamed file was called before."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Git puts files back: to the staged state, to the last commit, or to some other one."""

    names: tuple[str, ...]
    """Files and folders; `.` for all."""
    to: Literal["index", "head", "other"]


@dataclass(frozen=True, slots=True)
class Settle:
    """Git takes note of changes, so that a later restore keeps them."""

    names: tuple[str, ...]
    into: Literal["index", "head"]


@dataclass(frozen=True, slots=True)
class Shelve:
    """`git stash`: all changes go away for a while."""


@dataclass(frozen=True, slots=True)
class Unshelve:
    """`git stash pop`: they come back."""


@dataclass(frozen=True, slots=True)
class Undo:
    """An editor takes back the last change of a file."""

    path: str


Action: TypeAlias = Change | Restore | Settle | Shelve | Unshelve | Undo


def counts(old: str, new: str) -> tuple[int, int]:
    """How many lines come and how many go when one text becomes the other."""
    before, after = core(old, new)
    if len(before) * len(after) > _LARGE:
        first, second = Counter(before), Counter(after)
        return (second - first).total(), (first - second).total()
    added = removed = 0
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += b - a
            added += d - c
    return added, removed


def core(old: str, new: str) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of both without those that they share at the beginning and at the end."""
    before, after = old.splitlines(), new.splitlines()
    start = 0
    most = min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]

"""The changes that a step of a command makes to files, as typed values.

`Changes` is the one description of what a step changes. The touched files of a call, the edits that the changelog
counts and the side effects that the timeline follows are all read from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from prunus.calls.changes import FileChange, Patched, Rename, touches_of
from prunus.calls.paths import join, normalise
from prunus.calls.touches import Touch
from prunus.shell.words import Word


@dataclass(frozen=True, slots=True)
class Incidental:
    """A change that is no edit: a log that receives output, a download, the second place of a moved file.

    The file may differ afterwards, but nobody would list the change in a changelog.
    """


@dataclass(frozen=True, slots=True)
class PathChange:
    """A change of one file."""

    path: str
    """The file as the command spells it."""
    change: FileChange | Incidental

    def below(self, folder: str) -> PathChange:
        """The same change, made by a program that runs in a folder."""
        change = self.change
        if isinstance(change, Rename):
            change = Rename(join(folder, change.source))
        return PathChange(join(folder, self.path), change)


@dataclass(frozen=True, slots=True)
class Restore:
    """Git puts files back: to the staged state, to the last commit, or to another commit."""

    names: tuple[str, ...]
    """Files and folders; `.` for all."""
    to: Literal["index", "head", "other"]


@dataclass(frozen=True, slots=True)
class Record:
    """Git records changes in the index or in a commit, so that a later restore keeps them."""

    names: tuple[str, ...]
    into: Literal["index", "head"]


@dataclass(frozen=True, slots=True)
class Stash:
    """`git stash` removes all changes; `git stash pop` brings them back."""

    pop: bool = False


class Changes(NamedTuple):
    """Everything that a step changes."""

    files: tuple[PathChange, ...] = ()
    patch: tuple[Patched, ...] = ()
    """The files of a patch that the step applies."""
    wild: bool = False
    """The step may change files that it does not name."""
    folders: tuple[str, ...] = ()
    """Wild changes happen only in these files and folders; empty if they may happen anywhere."""
    git: Restore | Record | Stash | None = None

    def below(self, folder: str) -> Changes:
        """The same changes, made by a program that runs in a folder."""
        patch = (
            replace(part, path=join(folder, part.path), target=join(folder, part.target) if part.target else "")
            for part in self.patch
        )
        files = tuple(file.below(folder) for file in self.files)
        folders = tuple(join(folder, name) for name in self.folders)
        return self._replace(files=files, patch=tuple(patch), folders=folders)

    def and_also(self, files: Sequence[PathChange], wild: bool) -> Changes:
        """These changes together with further ones; further wild changes may happen anywhere."""
        folders = () if wild else self.folders
        return self._replace(files=(*self.files, *files), wild=self.wild or wild, folders=folders)

    @property
    def paths(self) -> Iterator[str]:
        """Every path that may hold another text afterwards, a patch aside; the old path of a moved file counts."""
        yield from (file.change.source for file in self.files if isinstance(file.change, Rename))
        yield from (file.path for file in self.files)

    def touches(self, workdir: str) -> Iterator[Touch]:
        """One touch for each of these files, seen from a folder."""
        yield from (Touch(join(workdir, path), "change") for path in self.paths)
        yield from touches_of(self.patch, workdir)


NOTHING = Changes()
WILD = Changes(wild=True)
_FILE = re.compile(r"[^\s]*\.[A-Za-z]\w{0,9}")
_NAMED_FILE = re.compile(r"[^\s]*[^\s/]\.[A-Za-z]\w{0,9}")
_EVERYTHING = frozenset({".", "..", "/", "*"})


def is_file(text: str) -> bool:
    """Whether a word looks like a file rather than a folder or a branch."""
    return _FILE.fullmatch(text) is not None


def is_named_file(text: str) -> bool:
    """Whether a word looks like a file rather than a folder; `.github` may be a folder."""
    return _NAMED_FILE.fullmatch(text) is not None


def operands(words: Sequence[Word], valued: frozenset[str] = frozenset()) -> list[Word]:
    """The words that are neither flags nor values of the flags in `valued`."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text in valued:
            at += 1
        elif text == "--":
            found.extend(words[at + 1 :])
            break
        elif text[:1] != "-" or text == "-":
            found.append(words[at])
        at += 1
    return found


def letters(words: Sequence[Word]) -> str:
    """The letters of the short flags."""
    return "".join(word.text[1:] for word in words if word.text[:1] == "-" and word.text[1:2] != "-")


def value_of(words: Sequence[Word], *flags: str) -> Word | None:
    """The word behind the first of these flags."""
    return next((words[at + 1] for at, word in enumerate(words[:-1]) if word.text in flags), None)


def each(files: Sequence[Word], change: FileChange | Incidental) -> Changes:
    """The same change of every file; wild if one of them is a pattern or a whole folder."""
    sure = [word.text for word in files if word.certain and word.text not in _EVERYTHING]
    return Changes(tuple(PathChange(text, change) for text in sure), wild=len(sure) < len(files))


def limited(names: Sequence[str]) -> tuple[str, ...]:
    """The folders to which wild changes are limited; empty if one of the names may mean anything."""
    broad = any(name in ("", "~") or name in _EVERYTHING or "*" in name for name in names)
    return () if broad else tuple(map(normalise, names))

"""All files that are followed, by path: what happens to several of them at once."""

from __future__ import annotations

from typing import Final

from prunus.files.followed import Followed
from prunus.files.shown import Shown
from prunus.files.state import state_of
from prunus.shell.names import same_file
from prunus.shell.reached import NOTHING, Reach

__all__ = [
    "Files",
    "disturb",
    "doubt_all",
    "file_of",
    "forget",
    "forget_aliases",
    "namesake",
    "rename",
    "text_of",
]

Files = dict[str, Followed]

_ENOUGH: Final = 10
"""Lines that have to agree for two spellings of a path to be one file."""


def file_of(files: Files, path: str) -> Followed:
    """The file of that path, followed from now on."""
    file = files.get(path)
    if file is None:
        file = files[path] = Followed(path)
    return file


def disturb(files: Files, found: Reach) -> None:
    """A command has reached so far."""
    if found == NOTHING:
        return
    for file in files.values():
        if file.restless or found.covers(file.path):
            file.doubt()
        for tidied in found.tidied:
            if tidied.covers(file.path, file.edits):
                if tidied.name not in file.tidy:
                    file.doubt()
                file.tidy.add(tidied.name)


def doubt_all(files: Files) -> None:
    """Any of them may have been changed."""
    for file in files.values():
        file.doubt()


def forget(files: Files, path: str) -> None:
    """Nothing is known of a file any more, nor of one that may be the same under another name."""
    if (file := files.get(path)) is not None:
        file.forget()
        file.deleted = False
    forget_aliases(files, path)


def forget_aliases(files: Files, path: str) -> None:
    """Of files that may be the same under another name, nothing is known any more."""
    for other, file in files.items():
        if other != path and (other.endswith("/" + path) or path.endswith("/" + other)):
            file.forget()


def rename(files: Files, source: str, target: str, copied: bool = False) -> None:
    """A file was moved or copied."""
    old, new = file_of(files, source), file_of(files, target)
    new.content.lines = list(old.content.lines)
    new.content.length, new.content.ended = old.content.length, old.content.ended
    new.deleted = False
    new.doubted = None
    if not copied:
        old.forget()
        old.deleted = True


def namesake(files: Files, path: str, found: Shown) -> str | None:
    """Another spelling of a path, if what is known under it is what a read shows, to the last line."""
    same = [
        other
        for other, file in files.items()
        if file.content.length == found.total and other != path and same_file(path, other)
    ]
    if len(same) != 1:
        return None
    held = files[same[0]].content
    told = sum(bool(text) and held.text_at(at) == text for at, text in enumerate(found.texts, found.start))
    return same[0] if told >= _ENOUGH and held.agrees(found.start, found.texts, found.total) else None


def text_of(files: Files, path: str) -> str | None:
    """The whole text of a file that a command names, where its folder may not be known."""
    if path not in files and not path.startswith("/") and "/" in path:
        same = [known for known in files if known.endswith("/" + path)]
        path = same[0] if len(same) == 1 else path
    file = files.get(path)
    return None if file is None else state_of(path, file.content, file.deleted).text

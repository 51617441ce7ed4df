"""Changes of files, as values: what an editing tool or a shell command does to one file."""

from __future__ import annotations

from prunus.calls.patches import Patched
from prunus.value import value


@value
class Write:
    """The file holds this text from now on; None if the call does not show the text."""

    text: str | None
    verbatim: bool = True
    """False for a shell command that may have expanded or completed the text."""


@value
class Append:
    """The file ends with this text from now on; None if the call does not show the text."""

    text: str | None


@value
class Replace:
    """One text takes the place of another."""

    old: str
    new: str
    every: bool = False
    """At each place where the old text stands."""


@value
class Insert:
    """Lines are inserted behind a line; line 0 is the front, None a place that the call does not name."""

    line: int | None
    text: str


@value
class Lines:
    """Lines take the place of others, by their numbers."""

    start: int
    end: int
    text: str


@value
class Patch:
    """A patch, which names its files itself."""

    files: tuple[Patched, ...]


@value
class Rename:
    """The file comes from another path, which is gone unless the file was copied."""

    source: str
    copied: bool = False


@value
class Delete:
    """The file is gone."""


@value
class Undo:
    """The editor takes back its last change of the file."""


@value
class Unclear:
    """The file changes in a way that the call does not spell out, such as by a sketch of the new code."""

    text: str = ""


FileChange = Write | Append | Replace | Insert | Lines | Patch | Rename | Delete | Undo | Unclear

"""Folds of sessions by repository, so that values are chosen on some repositories and reported on others.

Sessions of one repository resemble each other: the same files, the same habits. A value that was chosen on them
looks better on them than elsewhere. So all sessions of a repository are in one fold, and the fold follows from the
name of the repository alone, whichever other sessions there are.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.clients.sessions import Session
from prunus.history import Call
from prunus.providers import provider_named


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FOLDS: Final = 5
_SALT: Final = 89
"""With it the folds of the dev sessions have about the same size; no result of any policy was looked at."""
_HOME: Final = re.compile(r"(?:[A-Za-z]:)?/(?:Users|home)/[^/]+/|/root/|[A-Za-z]:/|/")
_SYSTEM: Final = re.compile(r"/(?:tmp|private|var|etc|usr|opt|proc|dev)/")
_TOOLS: Final = re.compile(r"(?:AppData|Library|\.[^/]*)/")
"""Folders below the home folder in which programs keep their own files."""
_CONTAINERS: Final = _words("""
    build code coding desktop dev develop developer development documentos documents downloads git github gitlab
    go home job mnt onedrive personal personal_project personal_projects private programming project projects
    public repo repos repositories sandbox self source sources src studio test testbed work workspace workspaces
    www
""")
"""Folders in which people keep their repositories."""
_PARTS: Final = _words("""
    .. ~ api app apps backend bin client cmd components config docs examples frontend internal lib packages public
    reproduce_issue reproduction scripts server src static test tests tools web
""")
"""Folders that many repositories have; in a path without a root they do not tell which one it is."""
_NUMBER: Final = re.compile(r"(?:\d++[#/-])++")
"""The number of a recording, read from its end."""


def fold_of(session: Session) -> int:
    """The fold of a session, from 0 to 4."""
    return fold_of_repository(repository(session))


def fold_of_repository(name: str) -> int:
    """The fold of all sessions of a repository."""
    return int.from_bytes(hashlib.sha256(f"{_SALT}:{name}".encode()).digest()[:8]) % FOLDS


def repository(session: Session) -> str:
    """The name of the repository that a session works in, in small letters.

    That is the folder that most paths of its calls have in common, below the home folder and the folders in which
    people keep repositories. Without any path, it is the name of the recording without its number.
    """
    rooted: Counter[str] = Counter()
    loose: Counter[str] = Counter()
    for path in map(normalise, _paths(session)):
        if found := _HOME.match(path):
            rooted["" if _SYSTEM.match(path) else _first_own(path[found.end() :])] += 1
        elif "/" in path and (first := path.split("/")[0].lower()) not in _PARTS:
            loose[first] += 1
    rooted.pop("", None)
    for names in (rooted, loose):
        if names:
            return min(names, key=lambda name: (-names[name], name))
    number = _NUMBER.match(session.name[::-1])
    return session.name[: len(session.name) - (number.end() if number else 0)].lower()


def _first_own(path: str) -> str:
    """The first folder of a path that is not just a place for repositories; empty if there is none."""
    if _TOOLS.match(path):
        return ""
    folders = (step.lower() for step in path.split("/")[:-1])
    return next((folder for folder in folders if folder not in _CONTAINERS), "")


def _paths(session: Session) -> Iterator[str]:
    """The files that the calls of a session touch, seen from the folders that they work in."""
    toolbox = Toolbox()
    provider = provider_named(session.format)
    for message in session.messages:
        for part in provider.parse(message, b"").parts:
            if isinstance(part, Call):
                meaning = toolbox.meaning(part.tool, part.input)
                yield from (touch.path for touch in meaning.touches)

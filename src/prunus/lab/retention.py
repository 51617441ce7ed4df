"""Needed-later retention: the share of later-used content that the pruned requests still show.

The measure asks no model. Each call of a recorded answer shows in its arguments what it used. A use counts if the
full request before the answer showed the used text. It is retained if any part of the pruned request shows that
text. There are two kinds of uses:

*hard*: lines of at least 12 characters that an edit replaces, that a shell edit looks for, or that a patch removes
or names as context; and files that a call reads, changes or lists. A file counts by the last two steps of its path,
because calls may name the same file by an absolute or a relative path.
*soft*: identifiers of at least 8 characters anywhere in the arguments. A name is *in place* if it is in a path or
in an unchanged line; a list of names behind a cut tells a model nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from prunus.calls.arguments import changes_of
from prunus.calls.changes import Patched, Replace
from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.clients.sessions import Session
from prunus.history import Call
from prunus.lab.cost import VISIBLE, LostPart
from prunus.lab.replay import PartForm, Reader, Replay, Sheet, shown_text
from prunus.shell.spelled_out import texts_sought

LINE: Final = 12
"""The length of the shortest line that counts, without surrounding blanks."""
_SHORTEST: Final = 4
"""The length of the shortest path that counts; a call can name `.` and `..` without having seen anything."""
IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{7,}")
_FOLDERS: Final = frozenset({"path", "dir_path", "dir", "directory", "folder", "absolute_path"})
_PLAIN: Final = re.compile(r"[\w@+.~ ()\[\]-]+(?:/[\w@+.~ ()\[\]-]+)?")
_NUMBER: Final = re.compile(r"\s*\d+\s*(?:→|\t|\||:|\. )")
_WORD: Final = re.compile(r"[\w.~@+/\\-]+")
_SUFFIX: Final = re.compile(r"\.[A-Za-z]\w{0,4}")
T = TypeVar("T")
RARE: Final = 6
"""An identifier counts only if at most this many parts show it; a common one does not tell which part was used."""
NeedKind = Literal["line", "file", "name"]


@dataclass(frozen=True, slots=True)
class Retention:
    """The number of uses that the full history showed, and how many of them the pruned requests showed too."""

    lines: int = 0
    """Lines that an edit replaces or a patch names."""
    lines_kept: int = 0
    files: int = 0
    """Files that a call names."""
    files_kept: int = 0
    soft: int = 0
    """Identifiers that only few parts showed."""
    soft_kept: int = 0
    in_place: int = 0
    """Retained identifiers in an unchanged line or in a path."""
    lost: tuple[LostPart, ...] = ()
    """The parts that the agent must read again: for each lost line the smallest part that showed it."""

    @property
    def hard(self) -> int:
        """Lines and files together."""
        return self.lines + self.files

    @property
    def hard_kept(self) -> int:
        return self.lines_kept + self.files_kept


@dataclass(frozen=True, slots=True)
class Need:
    """A text that the answer to a request used, and the earlier parts that showed it."""

    request: int
    word: str
    kind: NeedKind
    shown: tuple[int, ...]
    """Indexes of parts in the full history, in ascending order."""


class Needs:
    """The uses in the answers of one conversation; the lab finds them once and reuses them for every policy."""

    __slots__ = ("_identifiers", "_lines", "_paths", "_texts", "forms", "uses")

    def __init__(self, session: Session, reader: Reader) -> None:
        sheets = [reader.sheet(message) for message in session.messages]
        self.forms: tuple[PartForm, ...] = tuple(form for sheet in sheets for form in sheet.forms)
        """All parts of the full history, in order."""
        self._texts: dict[int, str] = {}
        self._identifiers: dict[int, set[str]] = {}
        self._lines: dict[int, frozenset[str]] = {}
        self._paths: dict[int, set[str]] = {}
        self.uses: tuple[Need, ...] = tuple(self._find(session, sheets))

    def since(self, request: int) -> Needs:
        """Return the needs without the uses of answers to earlier requests."""
        later = copy(self)
        later.uses = tuple(use for use in self.uses if use.request >= request)
        return later

    def shows(self, form: PartForm, use: Need) -> bool:
        """Return whether a part shows the used text."""
        if use.kind == "name":
            return use.word in self._names(form)
        text = self._text(form)
        return use.word in text or (use.kind == "file" and use.word.replace("/", "\\") in text)

    def shows_in_place(self, form: PartForm, use: Need) -> bool:
        """Return whether a changed part shows a name in a path, or in a line of the full history."""
        if use.word in self._cached(self._paths, form, names_in_paths):
            return True
        kept = self._cached(self._lines, form, lines_as_they_were)
        given = (self._cached(self._lines, self.forms[place], lines_as_they_were) for place in use.shown)
        return any(use.word in line for lines in given for line in lines & kept)

    def _cached(self, known: dict[int, T], form: PartForm, read: Callable[[str], T]) -> T:
        if form.number not in known:
            known[form.number] = read(self._text(form))
        return known[form.number]

    def _find(self, session: Session, sheets: Sequence[Sheet]) -> Iterator[Need]:
        toolbox = Toolbox()
        text = _Text([self._text(form) for form in self.forms])
        places: dict[str, list[int]] = {}
        for place, form in enumerate(self.forms):
            for name in self._names(form):
                places.setdefault(name, []).append(place)
        starts = [0]
        for sheet in sheets:
            starts.append(starts[-1] + len(sheet.forms))
        for request, end in enumerate(session.requests):
            known = starts[end]
            last = session.requests[request + 1] if request + 1 < len(session.requests) else len(sheets)
            for form in (form for sheet in sheets[end:last] for form in sheet.forms):
                if not isinstance(form.part, Call):
                    continue
                for line in sorted(lines(form.part, toolbox)):
                    shown = text.places(line)[: bisect_left(text.places(line), known)]
                    if shown:
                        yield Need(request, line, "line", tuple(shown))
                for file in sorted(files(form.part, toolbox)):
                    spelled = {*text.places(file), *text.places(file.replace("/", "\\"))}
                    shown = sorted(place for place in spelled if place < known)
                    if shown:
                        yield Need(request, file, "file", tuple(shown))
                for name in sorted(self._names(form)):
                    shown = places[name][: bisect_left(places[name], known)]
                    if 0 < len(shown) <= RARE:
                        yield Need(request, name, "name", tuple(shown))

    def _text(self, form: PartForm) -> str:
        known = self._texts.get(form.number)
        if known is None:
            known = self._texts[form.number] = shown_text(form.part)
        return known

    def _names(self, form: PartForm) -> set[str]:
        return self._cached(self._identifiers, form, identifiers)


class _Text:
    """All parts joined into one text, so that one search finds a line in all of them."""

    __slots__ = ("_found", "_starts", "_text")

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = "\n".join(texts)
        self._starts = [0]
        for text in texts:
            self._starts.append(self._starts[-1] + len(text) + 1)
        self._found: dict[str, list[int]] = {}

    def places(self, line: str) -> list[int]:
        """Return the indexes of the parts that contain a line, in ascending order."""
        known = self._found.get(line)
        if known is None:
            known = self._found[line] = list(self._places(line))
        return known

    def _places(self, line: str) -> Iterator[int]:
        at = self._text.find(line)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            yield place
            at = self._text.find(line, self._starts[place + 1])


def retention(needs: Needs, replayed: Replay) -> Retention:
    """Return how many of the used texts the pruned requests still showed."""
    uses: Counter[NeedKind] = Counter()
    kept: Counter[NeedKind] = Counter()
    in_place = 0
    lost: list[LostPart] = []
    again: dict[int, int] = {}
    """The request that read each lost part again."""
    full = {form.number for form in needs.forms}
    at = -1
    visible: set[int] = set()
    changed: tuple[PartForm, ...] = ()
    for use in needs.uses:
        if use.request != at:
            at = use.request
            sheets = replayed.requests[at].sheets
            visible = {number for sheet in sheets for number in sheet.numbers}
            changed = tuple(form for sheet in sheets for form in sheet.forms if form.number not in full)
        uses[use.kind] += 1
        whole = any(needs.forms[place].number in visible for place in use.shown)
        if whole or any(needs.shows(form, use) for form in changed):
            kept[use.kind] += 1
            if use.kind == "name":
                in_place += whole or any(needs.shows_in_place(form, use) for form in changed)
        elif use.kind == "line" and all(at - again.get(place, -VISIBLE - 1) > VISIBLE for place in use.shown):
            place = min(use.shown, key=lambda place: needs.forms[place].tokens)
            again[place] = at
            lost.append(LostPart(at, replayed.requests[at].tokens, needs.forms[place].tokens, place))
    return Retention(
        uses["line"],
        kept["line"],
        uses["file"],
        kept["file"],
        uses["name"],
        kept["name"],
        in_place,
        tuple(lost),
    )


def lines(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """Return the lines that a call needs to know, without surrounding blanks."""
    meaning = toolbox.meaning(call.tool, call.input)
    found: set[str] = set()
    for text in texts_sought(meaning.command) if meaning.command else ():
        found.update(text.splitlines())
    for change in changes_of(call.input, meaning):
        match change:
            case Replace(old):
                found.update(old.splitlines())
            case Patched("Update", hunks=hunks):
                for hunk in hunks:
                    found.update((*hunk.below, *hunk.old))
    return frozenset(line for line in map(str.strip, found) if len(line) >= LINE)


def files(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """Return the files and folders that a call names, each as the last two steps of its path."""
    meaning = toolbox.meaning(call.tool, call.input)
    paths = {touch.path for touch in meaning.touches}
    if meaning.kind in ("list", "search") and isinstance(call.input, Mapping):
        paths.update(value for key, value in call.input.items() if key in _FOLDERS and isinstance(value, str))
    tails = {"/".join(normalise(path).lstrip("/").split("/")[-2:]) for path in paths}
    return frozenset(tail for tail in tails if len(tail) >= _SHORTEST and _PLAIN.fullmatch(tail))


def identifiers(text: str) -> set[str]:
    """Return the identifiers of a text that are long enough to be distinctive."""
    return set(IDENTIFIER.findall(text))


def lines_as_they_were(text: str) -> frozenset[str]:
    """The lines of a text without their numbers and the blanks around them."""
    return frozenset(map(_without_number, text.splitlines()))


def _without_number(line: str) -> str:
    number = _NUMBER.match(line)
    return line[number.end() if number else 0 :].strip()


def names_in_paths(text: str) -> set[str]:
    """The identifiers that stand in paths."""
    return identifiers(" ".join(filter(_is_path, _WORD.findall(text))))


def _is_path(word: str) -> bool:
    """Whether a word names a file or a folder: it has a slash, or ends like a file."""
    return "/" in word or "\\" in word or _SUFFIX.fullmatch(word, max(0, word.rfind("."))) is not None

"""The notation of the case files: a page of Markdown with one small history in each fenced block.

    settings: after_edits=true              settings of this strategy; `guard.field=value` for another
    with: spent_inputs                      strategies that are on besides this one
    formats: opencode                       formats it is written in, where not all of them
    ids: repeated                           the ids of calls are counted anew in each turn

    user: Fix it. <document spec.pdf 40KB>  what the user said, with an attachment
    1 read src/app.py -> <40 lines>         turn 1: a call and its answer
    2a list src -> <9 lines>                turn 2: two calls in one message
    2b shell make test -> error: <30 lines>
    3 thinks <50 words>                     reasoning
    3 says Done.                            words
    4-7 ...                                 four turns with other small calls
    8 write a.py <9 lines> -> (running)     a call that has no answer yet
    9 call lookup {"city": "Oslo"} -> rain  a tool by its real name and arguments

    => 1 result: [Prunus: ...]              the answer becomes these words
    => 2b input keeps command               the other arguments are left out
    => 3 thinking gone
    => user 1 file: [File: spec.pdf, 40KB]
    => 2a result kept by protected_paths    a guard held an edit back
    => nothing changes

The tools are read, write, edit, shell (`in-directory api`), search and glob (`in src`), list, fetch, websearch,
todo, todos, task and snapshot; `agents.py` spells them as the agent of each format does. A failure behind `error:`
is told as that agent tells it. `fillers.py` explains the texts in angle brackets.

Whatever the lines behind `=>` do not name must come out as it went in. `# ...` is a remark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.strategies.fillers import fill
from tests.strategies.story import Answer, Event, File, Item, Said, Step, Story, Thought, Tool, Turn, User

__all__ = ["Case", "Expected", "NotationError", "page", "parse_case"]

Fate = Literal["text", "keeps", "gone", "guard", "pressure"]

_FENCE = re.compile(r"^## (?P<title>.+?)\n(?P<prose>.*?)^```case\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADER = re.compile(r"(settings|with|formats|ids): (.*)")
_FILLER_TURNS = re.compile(r"(\d+)(?:-(\d+))? \.\.\.")
_ITEM = re.compile(r"((\d+)[a-z]?) (\S+) ?(.*)")
_FILE = re.compile(r" ?<(document|image|link) (\S+)(?: (\d+)KB)?>")
_REMARK = re.compile(r"\s+# .*$")
_LINES = re.compile(r"(.+) lines (\d+)-(\d+)")
_TARGET = r"(?P<target>user \d+|\d+[a-z]?) (?P<field>result|input|thinking|text|file|step-start|step-finish)"
_EXPECTED = re.compile(
    rf"{_TARGET}(?:: (?P<text>.*)| keeps (?P<keeps>.+)| (?P<gone>gone)| kept by (?P<guard>\w+)"
    r"| may go under (?P<pressure>pressure))"
)


class NotationError(ValueError):
    """A case that cannot be read."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What becomes of one part."""

    target: str
    field: str
    fate: Fate
    words: str = ""

    def __str__(self) -> str:
        return f"{self.target} {self.field} {self.fate} {self.words}".rstrip()


@dataclass(frozen=True, slots=True)
class Case:
    """One history and what is expected of it."""

    title: str
    prose: str
    story: Story
    expected: tuple[Expected, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()


def page(path: Path) -> tuple[Case, ...]:
    """The cases of a file."""
    text = path.read_text(encoding="utf-8")
    cases = tuple(
        parse_case(found["title"].strip(), found["prose"].strip(), found["body"]) for found in _FENCE.finditer(text)
    )
    if len(cases) != text.count("```case\n"):
        raise NotationError(f"{path.name}: every case needs a title of its own (## ...) above its block")
    return cases


def parse_case(title: str, prose: str, body: str) -> Case:
    """One fenced block."""
    settings: dict[str, Any] = {}
    others: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    repeated = False
    story: list[str] = []
    expected: list[Expected] = []
    nothing = False
    for line in (_REMARK.sub("", line).rstrip() for line in body.splitlines()):
        if header := _HEADER.fullmatch(line):
            match header[1]:
                case "settings":
                    settings |= dict(_settings(header[2]))
                case "with":
                    others = tuple(header[2].split())
                case "formats":
                    formats = tuple(header[2].split())
                case "ids":
                    repeated = True
        elif line == "=> nothing changes":
            nothing = True
        elif line.startswith("=> "):
            expected.append(_expected(line[3:]))
        elif line.strip() and not line.startswith("#"):
            story.append(line)
    changes = any(e.fate not in ("guard", "pressure") for e in expected)
    if nothing == changes:
        raise NotationError(f"{title}: say what changes, or that nothing changes")
    events = tuple(_events(story))
    return Case(title, prose, Story(events, repeated), tuple(expected), settings, others, formats)


def _settings(text: str) -> Iterator[tuple[str, Any]]:
    for pair in text.split(" "):
        name, equals, value = pair.partition("=")
        if not equals:
            raise NotationError(f"settings: {pair!r} is not name=value; write lists without spaces")
        yield name, json.loads(value)


def _expected(line: str) -> Expected:
    found = _EXPECTED.fullmatch(line)
    if found is None:
        raise NotationError(f"=> {line}: cannot be read")
    for fate in ("text", "keeps", "gone", "guard", "pressure"):
        if found[fate] is not None:
            return Expected(found["target"], found["field"], fate, found[fate])
    raise NotationError(line)


def _events(lines: list[str]) -> Iterator[Event]:
    users = 0
    turn: list[Item] = []
    number = 0
    for line in lines:
        if line.startswith("user:"):
            if turn:
                yield Turn(number, tuple(turn))
                turn = []
            users += 1
            text, files = _files(line[5:].strip())
            yield User(users, fill(text), files)
            continue
        if run := _FILLER_TURNS.fullmatch(line):
            if turn:
                yield Turn(number, tuple(turn))
                turn = []
            for number in range(int(run[1]), int(run[2] or run[1]) + 1):
                yield Turn(number, (_filler_call(number),))
            continue
        item = _ITEM.fullmatch(line)
        if item is None:
            raise NotationError(f"{line}: neither `user:` nor a turn")
        if turn and int(item[2]) != number:
            yield Turn(number, tuple(turn))
            turn = []
        number = int(item[2])
        turn.append(_item(item[1], item[3], item[4]))
    if turn:
        yield Turn(number, tuple(turn))


def _filler_call(number: int) -> Tool:
    return Tool(f"{number}", "shell", {"command": f"make step-{number}"}, Answer(f"step {number} done"))


def _item(label: str, verb: str, rest: str) -> Item:
    match verb:
        case "thinks":
            bound = rest.endswith(" (bound)")
            return Thought(label, fill(rest.removesuffix(" (bound)")), bound)
        case "says":
            return Said(label, fill(rest))
        case "step-start" | "step-finish":
            return Step(label, verb)
    asked, arrow, answered = f"{rest} ".partition("-> ")
    if not arrow:
        raise NotationError(f"{label} {verb} {rest}: a call needs `-> answer`")
    name, given = _given(verb, asked.strip())
    return Tool(label, verb, given, _answer(answered.strip()), name)


def _answer(text: str) -> Answer:
    text, files = _files(text)
    if text == "(running)":
        return Answer("", state="running")
    if text.startswith("(compacted) "):
        return Answer(fill(text.removeprefix("(compacted) ")), state="compacted", files=files)
    if text.startswith("error: "):
        return Answer(fill(text.removeprefix("error: ")), error=True, files=files)
    return Answer(fill(text), files=files)


def _files(text: str) -> tuple[str, tuple[File, ...]]:
    files = tuple(File(found[2], int(found[3] or 0), found[1] == "image") for found in _FILE.finditer(text))
    return _FILE.sub("", text).strip(), files


def _given(verb: str, text: str) -> tuple[str, Mapping[str, Any]]:
    """The neutral arguments of a call, and its real name if the case names it."""
    first, _, rest = text.partition(" ")
    match verb:
        case "read":
            lines = _LINES.fullmatch(text)
            if lines:
                return "", {"path": lines[1], "first": int(lines[2]), "last": int(lines[3])}
            return "", {"path": text}
        case "write":
            return "", {"path": first, "content": fill(rest)}
        case "edit":
            return "", {"path": first, "old": "amber cedar", "new": fill(rest)}
        case "shell":
            command, _, where = text.partition(" in-directory ")
            return "", {"command": fill(command)} | ({"workdir": where} if where else {})
        case "search" | "glob":
            pattern, _, where = text.partition(" in ")
            return "", {"pattern": pattern} | ({"where": where} if where else {})
        case "list":
            return "", {"where": text}
        case "fetch":
            return "", {"url": text}
        case "websearch":
            return "", {"query": text}
        case "todo":
            return "", {"todos": [item.strip() for item in fill(text).split(";")]}
        case "todos" | "snapshot":
            return "", {}
        case "task":
            return "", {"title": "Look around", "prompt": fill(text)}
        case "call":
            return first, _filled(json.loads(rest)) if rest else {}
    raise NotationError(f"{verb}: no such tool; see the docstring of tests/strategies/notation.py")


def _filled(value: Any) -> Any:
    match value:
        case str():
            return fill(value)
        case list():
            return [_filled(item) for item in value]
        case dict():
            return {key: _filled(item) for key, item in value.items()}
    return value

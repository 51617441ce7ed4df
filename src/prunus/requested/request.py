"""Parses a call of `context_prune`, leniently.

Models fill in nested arguments in many ways: a list inside a string, ids without brackets, one list too many. Any
form with only one possible meaning is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from prunus.providers.blocks import decode_or

PruneAction: TypeAlias = Literal["discard", "distill", "restore", "replace"]

PRUNE: Final = "context_prune"
INFO: Final = "context_info"
ACTIONS: Final[tuple[PruneAction, ...]] = ("discard", "distill", "restore", "replace")
BULK: Final = ("old", "tools", "messages", "thinking", "files", "*")

_ALIASES: Final[Mapping[str, PruneAction]] = {
    **{action: action for action in ACTIONS},
    **dict.fromkeys(("drop", "remove", "delete", "prune", "forget"), "discard"),
    **dict.fromkeys(("summarize", "summarise", "extract", "condense"), "distill"),
    **dict.fromkeys(("undo", "recall", "unprune", "undiscard"), "restore"),
}
_BULK: Final[Mapping[str, str]] = {
    **dict.fromkeys(("old", "disposable", "stale"), "old"),
    **dict.fromkeys(("tools", "tool", "results"), "tools"),
    **dict.fromkeys(("messages", "message", "texts"), "messages"),
    **dict.fromkeys(("thinking", "reasoning", "thoughts"), "thinking"),
    **dict.fromkeys(("files", "file", "attachments", "images"), "files"),
    **dict.fromkeys(("*", "all", "everything"), "*"),
}
_ID: Final = re.compile(r"[0-9a-f]{6,32}")
_BEFORE: Final = re.compile(r"^[\s\[\]\"'`#<({]*(?:(?:id|text|thinking|file)[\s:=]+)?", re.IGNORECASE)
_BEHIND: Final = re.compile(r"(?<![\s\[\]\"'`>)}.,;:])[\s\[\]\"'`>)}.,;:]++$")
_LABEL: Final = re.compile(r"\b(?:id|text|thinking|file)[\s:=]+(?=[0-9a-f]{6})", re.IGNORECASE)
_ENDS_IN: Final = re.compile(rf"(?:^|[_./:\-])({PRUNE}|{INFO})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PruneRequest:
    """An action and its targets: ids, ids with summaries, or spans with their replacements."""

    action: PruneAction | None
    targets: tuple[tuple[str, ...], ...] = ()
    problems: tuple[str, ...] = ()
    """The arguments that could not be understood."""


def is_prune(tool: str) -> bool:
    """Whether a tool is `context_prune`, whatever a client put before its name."""
    return _own_name(tool) == PRUNE


def is_info(tool: str) -> bool:
    """Whether a tool is `context_info`, whatever a client put before its name."""
    return _own_name(tool) == INFO


def _own_name(tool: str) -> str:
    found = _ENDS_IN.search(tool)
    return "" if found is None else found[1].lower()


def parse(arguments: Mapping[str, Any] | str) -> PruneRequest:
    """Return the request that the arguments of a call make, and the arguments that make no sense."""
    given = decode_or(arguments, arguments) if isinstance(arguments, str) else arguments
    if not isinstance(given, Mapping):
        return PruneRequest(None, problems=("expected an object with action and targets",))
    named = given.get("action", given.get("command"))
    action = _ALIASES.get(named.strip().lower()) if isinstance(named, str) else None
    if action is None:
        said = "no action given" if named is None else f"no action {named!r}"
        return PruneRequest(None, problems=(f"{said}; there are {', '.join(ACTIONS)}",))
    listed = next((given[key] for key in ("targets", "target", "ids", "id") if given.get(key) is not None), None)
    problems: list[str] = []
    targets = tuple(dict.fromkeys(_targets(listed, action, problems)))
    if not targets and not problems:
        problems.append(f'no targets given; name ids such as [["3fa9c2"]], or {", ".join(BULK[:-1])} or *')
    return PruneRequest(action, targets, tuple(problems))


def _targets(listed: Any, action: PruneAction, problems: list[str]) -> Iterator[tuple[str, ...]]:
    match listed:
        case None:
            return
        case str():
            value = decode_or(listed, listed) if listed.lstrip()[:1] in ("[", "{", '"') else listed
            if isinstance(value, str):
                yield from _words(value, action, problems)
            else:
                yield from _targets(value, action, problems)
        case Mapping():
            keys = ("start", "end", "replacement") if action == "replace" else ("id", "summary")
            row = [listed.get(key) for key in keys]
            yield from _row([value for value in row if value is not None], action, problems)
        case list() | tuple():
            if listed and all(isinstance(item, str | int) for item in listed):
                yield from _row(list(listed), action, problems)
            else:
                for item in listed:
                    yield from _targets(item, action, problems)
        case _:
            problems.append(f"{listed!r} is no target")


def _words(text: str, action: PruneAction, problems: list[str]) -> Iterator[tuple[str, ...]]:
    """A target that came as plain text."""
    if action == "distill":
        first, _, rest = text.strip().partition(" ")
        yield from _row([first, rest.lstrip(" :-")] if rest else [first], action, problems)
    elif action == "replace":
        problems.append("replace wants [start, end, replacement]")
    else:
        plain = _LABEL.sub("", text.strip())
        yield from _row(re.split(r"[\s,;]+", plain), action, problems)


def _row(items: list[Any], action: PruneAction, problems: list[str]) -> Iterator[tuple[str, ...]]:
    """A flat list: one target, or one id after the other."""
    words = [str(item) for item in items]
    if len(words) == 1 and words[0].lstrip()[:1] in ("[", "{") and (value := decode_or(words[0], None)) is not None:
        yield from _targets(value, action, problems)
        return
    if action == "replace":
        if len(words) != len(("start", "end", "replacement")):
            problems.append(f"replace wants [start, end, replacement], not {len(words)} texts")
        else:
            yield tuple(words)
        return
    if action == "distill":
        yield from _summaries(words, problems)
        return
    for word in words:
        id = _name(word)
        if id:
            yield (id,)
        elif word.strip():
            problems.append(_no_id(word))


def _summaries(words: list[str], problems: list[str]) -> Iterator[tuple[str, ...]]:
    """Pairs of an id and the summary that takes its place."""
    at = 0
    while at < len(words):
        id = _name(words[at])
        if not id:
            problems.append(_no_id(words[at]))
            at += 1
            continue
        summary = words[at + 1].strip() if at + 1 < len(words) else ""
        if not summary or (len(words) > 2 and _name(summary)):
            problems.append(f"{id}: distill wants [id, summary], and the summary is missing")
            at += 1
        else:
            yield id, summary
            at += 2


def _no_id(word: str) -> str:
    return f"{word.strip()[:40]!r} is no id: six hex digits are expected"


def _name(word: str) -> str:
    """An id or the name of a bulk target; empty if it is neither."""
    plain = _BEHIND.sub("", _BEFORE.sub("", word.strip())).lower()
    if not plain and "*" in word:
        plain = "*"
    return _BULK.get(plain, plain if _ID.fullmatch(plain) else "")

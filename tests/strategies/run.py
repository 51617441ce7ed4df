"""Running a case: prune its history in a format, and compare with what the case says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from prunus import guards, strategies
from prunus.edits import Note
from prunus.explain import Explained, explain
from prunus.history import Ref
from prunus.outcome import Outcome
from prunus.providers import read
from prunus.pruner import Pruner, prune
from prunus.settings import Settings
from tests.strategies.agents import Unspoken, localise
from tests.strategies.fillers import fill
from tests.strategies.notation import Case, Expected, NotationError
from tests.strategies.story import Event, File, Item, Said, Step, Story, Thought, Tool, User
from tests.strategies.wire import FORMATS, Body, build

__all__ = ["check", "footprint", "formats_of", "settings_of"]

_GUARDS = {guard.name for guard in guards.ALL}
_STRATEGIES = {strategy.name for strategy in strategies.ALL}


def formats_of(case: Case) -> tuple[str, ...]:
    """The formats that a case is written in: those it names, or all that can say it."""
    return case.formats or tuple(format for format in FORMATS if _speaks(case.story, format))


def settings_of(case: Case, owner: str, leave_out: str = "") -> Settings:
    """Settings in which only the strategies of the case are on; `owner` is the file's strategy or guard."""
    on = case.others if owner in _GUARDS else (owner, *case.others)
    tables: dict[str, dict[str, Any]] = {"strategies": {name: {"enabled": True} for name in on}, "guards": {}}
    for key, value in case.settings.items():
        if key != leave_out:
            section, _, name = key.rpartition(".")
            section = section or owner
            _table(tables, section).setdefault(section, {})[name] = value
    # Where edits are made at once, nothing depends on how full the context is.
    return Settings(preset="off", schedule="cache" if "pressure" in tables else "eager", **tables)


def _table(tables: dict[str, dict[str, Any]], section: str) -> dict[str, dict[str, Any]]:
    if section in _GUARDS:
        return tables["guards"]
    return tables["strategies"] if section in _STRATEGIES else tables


def check(case: Case, owner: str, format: str) -> list[str]:
    """What is not as the case says; empty if all is well."""
    story = localise(case.story, format)
    body = build(story, format)
    settings = settings_of(case, owner)
    raw = json.dumps(body.json).encode()
    outcome = prune(raw, settings, format=format)
    wanted = build(_after(story, case.expected), format)
    return [
        *([f"error: {outcome.error}"] if outcome.error else []),
        *_differences(wanted, json.loads(outcome.body), outcome),
        *_refusals(case, body, outcome),
        *_marked(case, body, explain(raw, settings, format)),
        *_notes(outcome),
        *_again(body, outcome, settings),
    ]


def footprint(case: Case, owner: str, format: str, leave_out: str = "") -> object:
    """All that a setting could change: the pruned body, the refusals, and what is marked for later."""
    settings = settings_of(case, owner, leave_out)
    raw = json.dumps(build(localise(case.story, format), format).json).encode()
    outcome = prune(raw, settings, format=format)
    marked = [
        (e.ref, w.replacement) for e in explain(raw, settings, format) for w in e.waiting if w.when.under_pressure
    ]
    return outcome.error, json.loads(outcome.body), [(r.guard, r.edit.target) for r in outcome.refusals], marked


def _speaks(story: Story, format: str) -> bool:
    try:
        build(localise(story, format), format)
    except Unspoken:
        return False
    return True


def _differences(wanted: Body, got: Any, outcome: Outcome) -> Iterator[str]:
    field = {"openai_responses": "input", "gemini": "contents"}.get(wanted.format, "messages")
    messages = got if isinstance(got, list) else got[field]
    whole = wanted.json
    if isinstance(whole, dict) and {**got, field: None} != {**whole, field: None}:
        yield "something around the messages has changed"
    if len(messages) != len(wanted.messages):
        yield f"{len(messages)} messages, expected {len(wanted.messages)}"
    for i, (one, other) in enumerate(zip(wanted.messages, messages, strict=False)):
        if _plain(one) != _plain(other):
            by = [f"{e.strategy}: {e.reason}" for e in outcome.edits if e.target.message == i]
            yield f"message {i} {by}\n  expected {_short(one)}\n  got      {_short(other)}"


def _plain(value: Any) -> Any:
    """JSON with the arguments that travel as text read, since their spacing may change."""
    match value:
        case dict():
            return {
                key: json.loads(item) if key == "arguments" and isinstance(item, str) else _plain(item)
                for key, item in value.items()
            }
        case list():
            return [_plain(item) for item in value]
    return value


def _short(value: Any) -> str:
    match value:
        case str() if len(value) > 160:
            return json.dumps(f"{value[:100]}…{value[-50:]}", ensure_ascii=False)
        case dict():
            return "{" + ", ".join(f"{key}: {_short(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(_short(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _refusals(case: Case, body: Body, outcome: Outcome) -> Iterator[str]:
    for expected in case.expected:
        if expected.fate == "guard":
            ref = _ref(body, expected)
            guards = sorted({r.guard for r in outcome.refusals if r.edit.target == ref})
            if expected.words not in guards:
                yield f"{expected}: refused by {', '.join(guards) or 'none'}"


def _marked(case: Case, body: Body, explained: tuple[Explained, ...]) -> Iterator[str]:
    marked = {e.ref for e in explained if any(edit.when.under_pressure for edit in e.waiting)}
    wanted = {_ref(body, expected): expected for expected in case.expected if expected.fate == "pressure"}
    for ref in wanted.keys() - marked:
        yield f"{wanted[ref]}: not marked"
    for ref in marked - wanted.keys():
        yield f"{ref}: marked for when the context runs short, which the case does not say"


def _notes(outcome: Outcome) -> Iterator[str]:
    """A note is one bracketed sentence, so that nobody takes it for the content of a file."""
    for edit in outcome.edits:
        if isinstance(edit.replacement, Note):
            text = edit.replacement.text
            if not text.startswith(("[Prunus: ", "[File: ")) or not text.endswith("]") or "\n" in text:
                yield f"{edit.target}: {text!r} could be taken for something else"


def _again(body: Body, outcome: Outcome, settings: Settings) -> Iterator[str]:
    """Pruning what was pruned changes nothing, and message by message it ends in the same, edits made at once."""
    twice = prune(outcome.body, settings, format=body.format)
    if twice.body != outcome.body:
        yield f"pruned again, it changes again: {[(e.target, e.strategy, e.replacement) for e in twice.edits]}"
    if settings.schedule != "eager":
        return
    pruner = Pruner(settings)
    last: Any = None
    for count in range(1, len(body.messages) + 1):
        part = replace(body, messages=body.messages[:count])
        last = pruner.prune(json.dumps(part.json).encode(), 0.0, format=body.format)
    if last is not None and last.body != outcome.body:
        yield "message by message it ends differently"
    if prune(body.json, settings, format=body.format).body != json.loads(outcome.body):
        yield "given as an object it ends differently"


def _ref(body: Body, expected: Expected) -> Ref:
    """Where the format's reader finds a part."""
    place = body.places.get((expected.target, expected.field))
    if place is None:
        raise NotationError(f"{expected}: no such part")
    message, kind, number = place
    parts = read(json.dumps(body.json).encode(), body.format).messages[message].parts
    return Ref(message, [i for i, part in enumerate(parts) if type(part).__name__ == kind][number])


def _after(story: Story, expected: tuple[Expected, ...]) -> Story:
    """The story as it should come out."""
    changes = {(e.target, e.field): e for e in expected if e.fate in ("text", "keeps", "gone")}
    known: set[tuple[str, str]] = set()
    changed = (_after_event(event, changes, known) for event in story.events)
    events = tuple(event for event in changed if event is not None)
    if changes.keys() - known:
        raise NotationError(f"no such part: {sorted(changes.keys() - known)}")
    return replace(story, events=events)


Changes = Mapping[tuple[str, str], Expected]


def _after_event(event: Event, changes: Changes, known: set[tuple[str, str]]) -> Event | None:
    if isinstance(event, User):
        target = f"user {event.number}"
        known |= {(target, "text"), (target, "file")}
        text = changes.get((target, "text"))
        if text is not None and text.fate == "gone":
            return None
        files = _after_files(event.files, changes.get((target, "file")))
        return replace(event, text=fill(text.words) if text else event.text, files=files)
    items = tuple(_after_item(item, changes, known) for item in event.items if not _gone(item, changes, known))
    return replace(event, items=items) if items else None


def _gone(item: Item, changes: Changes, known: set[tuple[str, str]]) -> bool:
    """Whether words of the model are left out."""
    if not isinstance(item, Said):
        return False
    known.add((item.label, "text"))
    return (item.label, "text") in changes


def _after_files(files: tuple[File, ...], expected: Expected | None) -> tuple[File, ...]:
    return tuple(replace(file, note=expected.words) for file in files) if expected else files


def _after_item(item: Item, changes: Changes, known: set[tuple[str, str]]) -> Item:
    match item:
        case Thought() | Step():
            field = "thinking" if isinstance(item, Thought) else item.type
            known.add((item.label, field))
            return replace(item, gone=(item.label, field) in changes)
        case Tool():
            known |= {(item.label, field) for field in ("result", "input", "file")}
            if kept := changes.get((item.label, "input")):
                names = () if kept.words == "nothing" else tuple(kept.words.split(", "))
                item = replace(item, keeps=names)
            answer = item.answer
            if answer is not None and (result := changes.get((item.label, "result"))):
                noted = result.words.startswith("[Prunus: ")
                answer = replace(answer, text=fill(result.words, answer.text), noted=noted)
            if answer is not None:
                answer = replace(answer, files=_after_files(answer.files, changes.get((item.label, "file"))))
            return replace(item, answer=answer)
    return item

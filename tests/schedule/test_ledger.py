"""A ledger comes back as it was written, and what is none is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.edits import Edit, Gone, Input, Note, Replacement, Shorter
from prunus.errors import FormatError
from prunus.history import Ref
from prunus.schedule.ledger import VERSION, Flush, Ledger

FLUSH = Flush(7, 1_700_000_000.25, 12, "saves 900 tokens a request", 900, 4000)


def edit(replacement: Replacement, **more: Any) -> Edit:
    return Edit(Ref(3, 1), replacement, "stale_reads", "the file was written later", **more)


def full(**changes: Any) -> bytes:
    """A ledger with one edit and one flush, some of the edit's fields changed."""
    data = json.loads(Ledger((edit(Note("x")),), (FLUSH,)).dump())
    data["edits"][0] |= changes
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    "replacement",
    [
        Note('[Prunus: older read of naïve.py removed; 日本 🌱 "quoted"\n\x00.]'),
        Shorter("head\n\n... [truncated: 12,000 chars total, 600 lines] ...\n\ntail"),
        Input({"file_path": "a.py", "deep": {"list": [1, 2.5, None, True, {"x": []}]}, "big": 10**30}),
        Input({}),
        Input({"path": "a.py"}, "\n\n[Prunus: outline]", Ref(4, 0)),
        Gone(),
    ],
    ids=lambda replacement: type(replacement).__name__,
)
def test_every_kind_of_replacement_comes_back(replacement: Replacement) -> None:
    ledger = Ledger((edit(replacement),))
    assert Ledger.load(ledger.dump()) == ledger


def test_every_field_of_an_edit_comes_back() -> None:
    whole = edit(
        Note("x"),
        by=Ref(8, 2),
        ripe=11,
        shows=Ref(9, 0),
        spends=True,
        pressure=True,
        tokens_before=500,
        tokens_after=20,
    )
    loaded = Ledger.load(Ledger((whole,)).dump()).edits[0]
    assert loaded == whole
    assert all(isinstance(place, Ref) for place in (loaded.target, loaded.by, loaded.shows))


def test_several_edits_come_back_in_their_order() -> None:
    edits = tuple(Edit(Ref(i, 0), Gone(), "old_thinking", "old") for i in (5, 2, 9))
    assert Ledger.load(Ledger(edits).dump()).edits == edits


def test_flushes_come_back() -> None:
    ledger = Ledger((), (FLUSH, Flush(9, 0.0, 0, "", 0, 0)))
    assert Ledger.load(ledger.dump()) == ledger


def test_an_empty_ledger_comes_back() -> None:
    assert Ledger.load(Ledger().dump()) == Ledger()


def test_the_same_ledger_is_written_in_the_same_bytes() -> None:
    assert full() == full()
    ledger = Ledger.load(full())
    assert Ledger.load(ledger.dump()).dump() == ledger.dump()


@pytest.mark.parametrize("version", [0, VERSION + 1, "1", None])
def test_another_version_is_refused_by_its_number(version: Any) -> None:
    raw = json.dumps({**json.loads(full()), "version": version}).encode()
    with pytest.raises(FormatError, match=f"version {version}; this Prunus reads version {VERSION}"):
        Ledger.load(raw)


def test_a_ledger_of_the_future_is_refused_whatever_else_it_holds() -> None:
    with pytest.raises(FormatError, match="version 99"):
        Ledger.load(b'{"version": 99, "rows": {}}')


JUNK = {
    "nothing": b"",
    "no JSON": b"ledger",
    "half": full()[:-5],
    "no UTF-8": b'{"version": "\xff"}',
    "too deep": b'{"version": 1, "edits": ' + b"[" * 100_000,
    "null": b"null",
    "a list": b"[]",
    "a text": b'"version"',
    "a number": b"1",
    "no version": b'{"edits": [], "flushes": []}',
    "no edits": b'{"version": 1, "flushes": []}',
    "no flushes": b'{"version": 1, "edits": []}',
    "edits that are a number": b'{"version": 1, "edits": 5, "flushes": []}',
    "an edit that is a number": b'{"version": 1, "edits": [5], "flushes": []}',
    "an edit that is empty": b'{"version": 1, "edits": [{}], "flushes": []}',
    "a flush that is a number": b'{"version": 1, "edits": [], "flushes": [5]}',
    "a flush that is empty": b'{"version": 1, "edits": [], "flushes": [{}]}',
    "a flush with more": b'{"version": 1, "edits": [], "flushes": [{"request": 1, "why": 2}]}',
    "an edit with more": full(colour="red"),
    "a replacement that is a text": full(replacement="note"),
    "a replacement that is null": full(replacement=None),
    "a replacement that is a list": full(replacement=[]),
    "a replacement without a kind": full(replacement={"text": "x"}),
    "a replacement of an unknown kind": full(replacement={"kind": "swap", "text": "x"}),
    "a replacement whose kind is a list": full(replacement={"kind": [], "text": "x"}),
    "a note without words": full(replacement={"kind": "note"}),
    "a note of a number": full(replacement={"kind": "note", "text": 5}),
    "an input of a text": full(replacement={"kind": "input", "value": "x"}),
    "a target that is null": full(target=None),
    "a target of one number": full(target=[1]),
    "a target of three numbers": full(target=[1, 2, 3]),
    "a target of letters": full(target="ab"),
    "a count that is a text": full(tokens_before="many"),
}


@pytest.mark.parametrize("raw", JUNK.values(), ids=JUNK.keys())
def test_what_is_no_ledger_is_refused(raw: bytes) -> None:
    with pytest.raises(FormatError):
        Ledger.load(raw)

"""A ledger survives a round trip, and other bytes are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prunus.edits import Gone, Input, Note, Proposal, Replacement, Shorter, When
from prunus.errors import FormatError
from prunus.history import Ref
from prunus.schedule.ledger import VERSION, Flush, Ledger, Tag

FLUSH = Flush(7, 1_700_000_000.25, 12, "saves 900 tokens a request", 900, 4000)


def edit(replacement: Replacement, **more: Any) -> Proposal:
    return Proposal(Ref(3, 1), replacement, "stale_reads", "the file was written later", **more)


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
        when=When(11, 2, before_first_send=True, under_pressure=True, requested_by="agent"),
        cause=Ref(8, 2),
        ends_call=True,
        points_to=Ref(9, 0),
        needs_cover=True,
        covers=frozenset({Ref(1, 0), Ref(2, 1)}),
        reuse=0.25,
        only_code=True,
        preference=2,
        follows="old_todos",
        tokens_before=500,
        tokens_after=20,
    )
    loaded = Ledger.load(Ledger((whole,)).dump()).edits[0]
    assert loaded == whole
    assert loaded.follows == whole.follows
    assert all(isinstance(place, Ref) for place in (loaded.target, loaded.cause, loaded.points_to, *loaded.covers))


def test_several_edits_come_back_in_their_order() -> None:
    edits = tuple(Proposal(Ref(i, 0), Gone(), "old_thinking", "old") for i in (5, 2, 9))
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


def test_a_ledger_of_version_1_is_read() -> None:
    """The file was written by the last release that wrote version 1."""
    old = Ledger.load((Path(__file__).parent / "ledger_v1.json").read_bytes())
    assert Ledger.load(old.dump()) == old
    assert len(old.edits) == 16 and len(old.flushes) == 2
    assert old.commands == ((3, "sweep 5"),)
    assert old.tags == (Tag(Ref(4, 1), "\n[id 3fa9c2]", added=True),)
    of = {edit.strategy: edit for edit in old.edits}
    assert of["spent_inputs"].ends_call and of["spent_inputs"].follows
    assert of["old_thinking"].when == When(3)
    assert of["long_outputs"].when.before_first_send
    assert of["under_pressure"].when == When(under_pressure=True)
    assert of["finished_results"].reuse > 0
    requested = {edit.target.message: edit.when.requested_by for edit in old.edits if edit.strategy == "asked"}
    assert requested == {90: "agent", 91: "user", 93: "prunus"}
    folds = [edit for edit in old.edits if edit.strategy == "folded_views"]
    assert {edit.needs_cover for edit in folds} == {True, False}
    assert all(isinstance(ref, Ref) for edit in folds for ref in edit.covers)
    pointers = [edit for edit in old.edits if edit.points_to is not None]
    assert all(edit.when.before_first_send and edit.preference == 2 for edit in pointers) and pointers


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
def test_bytes_that_are_no_ledger_are_refused(raw: bytes) -> None:
    with pytest.raises(FormatError):
        Ledger.load(raw)

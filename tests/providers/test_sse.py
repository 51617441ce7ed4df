"""Cutting a stream into events."""

from __future__ import annotations

import pytest

from prunus.providers.sse import Events, data_of, event

STREAM = b'event: a\ndata: {"n": 1}\n\ndata: {"n": 2}\r\n\r\ndata: [DONE]\n\n'


@pytest.mark.parametrize("size", range(1, len(STREAM) + 1))
def test_however_a_stream_is_cut_the_same_events_come_out(size: int) -> None:
    events = Events()
    found = [one for at in range(0, len(STREAM), size) for one in events.feed(STREAM[at : at + size])]
    assert b"".join(one.raw for one in found) + events.rest() == STREAM
    assert [one.data for one in found] == [{"n": 1}, {"n": 2}, None]


def test_bytes_behind_the_last_event_are_not_lost() -> None:
    events = Events()
    assert events.feed(b"data: half") == []
    assert events.rest() == b"data: half"
    assert events.rest() == b""


def test_something_without_an_end_is_not_held_for_ever() -> None:
    events = Events()
    piece = b"x" * (1 << 20)
    passed = [one for _ in range(6) for one in events.feed(piece)]
    assert sum(len(one.raw) for one in passed) > 4 << 20
    assert b"".join(one.raw for one in passed) + events.rest() == piece * 6


def test_an_event_that_is_written_can_be_read() -> None:
    raw = event({"type": "ping"}, "ping")
    assert raw.startswith(b"event: ping\n")
    assert data_of(raw) == {"type": "ping"}
    assert data_of(b"data: {no json\n\n") is None

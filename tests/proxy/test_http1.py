"""An answer is read the same however its bytes are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.proxy.http1 import AnswerReader, Malformed, chunk, request_head
from tests.proxy.test_client_connection import ANSWERS, CUT


def read(raw: bytes, sizes: list[int], method: str = "GET") -> tuple[object, ...]:
    """Head, body, and whether it is complete before and after the connection ends."""
    reader, body, at = AnswerReader(method), b"", 0
    try:
        for size in [*sizes, len(raw)]:
            body += reader.feed(raw[at : at + size]) if raw[at : at + size] else b""
            at += size
        before = reader.complete, reader.reusable
        reader.end()
    except Malformed as error:
        return str(error), body
    return reader.head, body, before, reader.complete


@given(st.sampled_from(sorted({**ANSWERS, **CUT})), st.lists(st.integers(1, 40), max_size=30))
def test_an_answer_is_the_same_in_any_pieces(name: str, sizes: list[int]) -> None:
    raw = {**ANSWERS, **CUT}[name]
    assert read(raw, sizes) == read(raw, [])
    assert read(raw[:5_000], [1] * 5_000) == read(raw[:5_000], [])


@given(st.lists(st.binary(min_size=1), max_size=8), st.lists(st.integers(1, 40), max_size=30))
def test_chunks_that_were_written_are_read(pieces: list[bytes], sizes: list[int]) -> None:
    raw = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + b"".join(map(chunk, [*pieces, b""]))
    _, body, before, _ = read(raw, sizes)
    assert (body, before) == (b"".join(pieces), (True, True))


@given(st.binary(max_size=300), st.lists(st.integers(1, 9), max_size=30))
def test_no_bytes_raise_anything_but_malformed(raw: bytes, sizes: list[int]) -> None:
    for before in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"):
        read(before + raw, sizes)


@given(st.lists(st.integers(1, 40), max_size=30))
def test_blank_lines_before_an_answer_are_skipped_also_behind_an_interim_one(sizes: list[int]) -> None:
    raw = b"\r\nHTTP/1.1 103 Early\r\n\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
    _, body, before, _ = read(raw, sizes)
    assert (body, before) == (b"ok", (True, True))


@pytest.mark.parametrize(
    "header", [(b"x", b"1\r\ny: 2"), (b"x\r\ny", b"1"), (b"x y", b"1"), (b"", b"1"), (b"x", b"\x00")]
)
def test_no_header_is_written_that_is_two(header: tuple[bytes, bytes]) -> None:
    with pytest.raises(Malformed):
        request_head("GET", "/", [header])

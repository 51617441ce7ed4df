"""Answers in any content encoding that providers send can be read, however they are cut."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from prunus.proxy.encoding import can_decode, decoder_of

TEXT = b'data: {"n": 1}\n\n' * 400


def bare(raw: bytes) -> bytes:
    made = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return made.compress(raw) + made.flush()


ENCODED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "identity": ("", lambda raw: raw),
    "gzip": ("gzip", gzip.compress),
    "gzip in capitals": (" GZIP ", gzip.compress),
    "two members": ("x-gzip", lambda raw: gzip.compress(raw[:99]) + gzip.compress(raw[99:])),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", bare),
    "brotli": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.compress),
    "two frames": ("zstd", lambda raw: zstandard.compress(raw[:99]) + zstandard.compress(raw[99:])),
    "two encodings": ("gzip, br", lambda raw: brotli.compress(gzip.compress(raw))),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_every_encoding_is_undone(name: str, size: int) -> None:
    encoding, encode = ENCODED[name]
    raw = encode(TEXT)
    assert can_decode(encoding)
    decoder = decoder_of(encoding)
    assert b"".join(decoder.feed(raw[at : at + size]) for at in range(0, len(raw), size)) == TEXT


@pytest.mark.parametrize("encoding", ["compress", "gzip, nonsense", "exi"])
def test_an_unknown_encoding_cannot_be_decoded(encoding: str) -> None:
    assert not can_decode(encoding)


def test_a_piece_that_is_flushed_is_readable_at_once() -> None:
    made = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    decoder = decoder_of("gzip")
    for piece in (b"one", b"two"):
        assert decoder.feed(made.compress(piece) + made.flush(zlib.Z_SYNC_FLUSH)) == piece

"""Bodies without their content encoding."""

import gzip
import zlib

import pytest
import zstandard

from prunus.errors import FormatError
from prunus.proxy.encoding import decoded

PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "": bytes,
    "identity": bytes,
}


@pytest.mark.parametrize("encoding", PACK)
def test_a_compressed_body_is_decompressed(encoding: str) -> None:
    assert decoded(PACK[encoding](b"{}" * 1000), encoding, 10_000) == b"{}" * 1000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_small_body_cannot_grow_beyond_the_limit(encoding: str) -> None:
    bomb = PACK[encoding](bytes(50_000_000))
    with pytest.raises(FormatError, match="more than"):
        decoded(bomb, encoding, 1_000_000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd", "br", "gzip, zstd"])
def test_a_body_that_cannot_be_decompressed_is_an_error(encoding: str) -> None:
    with pytest.raises(FormatError):
        decoded(b"not packed at all", encoding, 1000)


def test_half_a_body_is_not_taken_for_a_whole_one() -> None:
    raw = gzip.compress(bytes(range(256)) * 100)
    with pytest.raises(FormatError):
        decoded(raw[:-20], "gzip", 1_000_000)

"""A fingerprint names a text, whatever pieces it is hashed in."""

from hashlib import blake2b

import pytest

from prunus.text.fingerprint import fingerprint, utf8


@pytest.mark.parametrize("size", [0, 1, 1_920, 1_921, 2_048, 100_000, 200_000, 200_001, 3_000_000])
def test_a_text_has_the_hash_of_all_its_bytes(size: int) -> None:
    text = bytes(range(256)) * (size // 256 + 1)
    assert fingerprint(text[:size]) == blake2b(text[:size], digest_size=16).digest()


def test_several_texts_have_the_hash_of_all_of_them_together() -> None:
    texts = b"a" * 5_000, b"", b"b" * 10, b"c" * 300_000
    assert fingerprint(*texts) == fingerprint(b"".join(texts))


@pytest.mark.parametrize("text", ["", "short", "ä\ud800" * 3, "grün 🌳\n" * 700_000])
def test_the_bytes_of_a_text_come_in_pieces_if_it_is_very_long(text: str) -> None:
    pieces = list(utf8(text))
    assert b"".join(pieces) == text.encode("utf-8", "surrogatepass")
    assert (len(pieces) > 1) == (len(text) > 4_000_000)

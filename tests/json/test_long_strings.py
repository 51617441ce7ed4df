"""JSON with very long strings is read and written in pieces, and nothing else changes."""

import json
from typing import Any

import msgspec
import pytest

from prunus.json.long_strings import ShortenedJson, decode_long, encode_in_pieces, join_pieces
from prunus.json.surrogates import decode
from prunus.providers import frame

UNITS = {
    "plain": "word ",
    "lines": 'say("x");\n\t',
    "quotes": '"',
    "backslashes": "\\",
    "escape in words": "\\ud83d",
    "control characters": "\x00\x1f",
    "umlauts": "äöü",
    "characters of three bytes": "中文",
    "characters beyond 16 bits": "😀",
    "half a pair": "a\ud83d\n",
}
SHIFTS = (0, 5)


def value_with(unit: str, shift: int) -> Any:
    long = "x" * shift + unit * (1_100_000 // len(unit))
    return {"first": [long, "short", {"second": "y" * 3_000_000}], "third": 3}


@pytest.mark.parametrize("ascii", [True, False], ids=["as escapes", "as bytes"])
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_long_strings_are_read_like_any_other(unit: str, shift: int, ascii: bool) -> None:
    raw = json.dumps(value_with(unit, shift), ensure_ascii=ascii).encode("utf-8", "replace")
    short = ShortenedJson(raw)
    assert len(short.text) < 1_000
    assert decode_long(raw) == decode(raw)
    assert short.restored(short.text) == raw


@pytest.mark.parametrize("unit", [unit for unit in UNITS.values() if "\ud83d" not in unit])
def test_long_strings_are_written_like_any_other(unit: str) -> None:
    value = value_with(unit, 1)
    assert b"".join(encode_in_pieces(value)) == msgspec.json.encode(value)


def test_places_in_the_shortened_text_are_places_in_the_body() -> None:
    raw = json.dumps([1, "a" * 3_000_000, 2, "b" * 2_000_000, 3]).encode()
    short = ShortenedJson(raw)
    assert bool(short)
    where = [0, short.text.index(b", 2,") + 2, short.text.rindex(b", 3") + 2]
    assert [raw[place : place + 1] for place in short.places(where)] == [b"[", b"2", b"3"]


def test_messages_with_long_results_have_their_places() -> None:
    texts = ["short", "long " * 600_000, "between", '\\"\n' * 500_000, "end"]
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    body = {"model": "m", "system": "s" * 1_500_000, "messages": messages, "tools": []}
    raw = json.dumps(body).encode()
    cut = frame(raw, "anthropic_messages")
    assert [json.loads(cut.raw(n)) for n in range(len(cut))] == messages
    assert json.loads(cut.prompt["system"]) == body["system"]


@pytest.mark.parametrize(
    "raw",
    [
        b'["x", ' + b"1, " * 2_000_000 + b'"y"]',
        b'["x,",' + b" " * 5_000_000 + b'",y"]',
        b'["' + b"x" * 5_000_000,
        b'["' + b"x" * 5_000_000 + b'\\"]',
        b'["' + b"\\" * 5_000_001 + b'"]',
        b"x" * 5_000_000,
        b'"' + b"x" * 2_000_000 + b'" "' + b"x" * 3_000_000 + b'"',
    ],
    ids=["numbers", "blanks", "no end", "no end but a quote", "backslashes", "no quote", "two values"],
)  # fmt: skip
def test_other_long_texts_are_read_as_they_are(raw: bytes) -> None:
    assert not ShortenedJson(raw)
    assert ShortenedJson(raw).text is raw


def test_a_fault_inside_a_long_string_is_reported() -> None:
    raw = b'["' + b"x" * 3_000_000 + b"\\q" + b"x" * 3_000_000 + b'"]'
    with pytest.raises(msgspec.DecodeError):
        decode_long(raw)


def test_large_pieces_are_joined_in_order() -> None:
    text = bytes(range(256)) * 130_000
    assert join_pieces([b"[", memoryview(text), b"", text[:5], b"]"]) == b"[" + text + text[:5] + b"]"

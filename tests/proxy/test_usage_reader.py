"""Usage, read from answers as they pass by."""

import gzip
import json
import zlib
from typing import Any

import pytest
import zstandard

from prunus.proxy.usage_reader import UsageReader
from prunus.store.records import Usage


def event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


ANTHROPIC = (
    b"event: message_start\n"
    + event({
        "type": "message_start",
        "message": {"usage": {"input_tokens": 3, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20,
                              "output_tokens": 1}},
    })
    + event({"type": "content_block_delta", "delta": {"text": "the usage is high"}})
    + event({"type": "message_delta", "usage": {"output_tokens": 9}})
)  # fmt: skip
CHAT = (
    event({"choices": [{"delta": {"content": "x"}}], "usage": None})
    + event({
        "choices": [],
        "usage": {"prompt_tokens": 93, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 70}},
    })
    + b"data: [DONE]\n\n"
)  # fmt: skip
RESPONSES = event({"type": "response.created", "response": {"usage": None}}) + event({
    "type": "response.completed",
    "response": {"usage": {"input_tokens": 93, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 70}}},
})  # fmt: skip
GEMINI = event({"usageMetadata": {"promptTokenCount": 93}}) + event({
    "usageMetadata": {
        "promptTokenCount": 93, "cachedContentTokenCount": 70, "candidatesTokenCount": 4, "thoughtsTokenCount": 5,
    }
})  # fmt: skip
STREAMS = {
    "anthropic": (ANTHROPIC, Usage(3, 70, 20, 9)),
    "chat": (CHAT, Usage(23, 70, 0, 9)),
    "responses": (RESPONSES, Usage(23, 70, 0, 9)),
    "gemini": (GEMINI, Usage(23, 70, 0, 9)),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_a_stream_is_read_however_it_is_cut(name: str, size: int) -> None:
    stream, expected = STREAMS[name]
    reader = UsageReader("text/event-stream; charset=utf-8")
    for at in range(0, len(stream), size):
        reader.feed(stream[at : at + size])
    assert reader.end() == expected


@pytest.mark.parametrize("name", STREAMS)
def test_lines_may_end_in_any_way_and_the_last_one_not_at_all(name: str) -> None:
    stream, expected = STREAMS[name]
    reader = UsageReader("text/event-stream")
    reader.feed(stream.replace(b"\n", b"\r\n").removesuffix(b"data: [DONE]\r\n\r\n").rstrip())
    assert reader.end() == expected


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_an_encoded_stream_is_read_from_a_copy(encoding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstandard.ZstdCompressor().compress}[encoding]
    raw = pack(ANTHROPIC)
    reader = UsageReader("text/event-stream", encoding)
    for at in range(0, len(raw), 10):
        reader.feed(raw[at : at + 10])
    assert reader.end() == Usage(3, 70, 20, 9)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"usage": {"input_tokens": 3, "output_tokens": 9}}, Usage(3, 0, 0, 9)),
        ({"usage": {"prompt_tokens": 93, "completion_tokens": 9}}, Usage(93, 0, 0, 9)),
        ({"usage": {"input_tokens": 93, "input_tokens_details": {"cached_tokens": 0}}}, Usage(93, 0, 0, 0)),
        ([{"x": 1}, {"usageMetadata": {"promptTokenCount": 93, "candidatesTokenCount": 9}}], Usage(93, 0, 0, 9)),
    ],
)  # fmt: skip
def test_an_answer_in_one_piece_is_read_at_its_end(answer: Any, expected: Usage) -> None:
    reader = UsageReader("application/json")
    raw = json.dumps(answer).encode()
    reader.feed(raw[:10])
    reader.feed(raw[10:])
    assert reader.end() == expected


@pytest.mark.parametrize(
    ("kind", "encoding", "raw"),
    [
        ("text/event-stream", "", b"data: {usage\n\n\x00\xff usage\n"),
        ("text/event-stream", "", b"data: [usage]\n"),
        ("text/event-stream", "", b'data: {"usage": {"input_tokens": "many"}}\n'),
        ("text/event-stream", "gzip", b"not gzip"),
        ("text/event-stream", "br", b"anything"),
        ("application/json", "", b'{"usage": '),
        ("application/json", "", b""),
        ("", "", b"<html>"),
    ],
)
def test_an_unreadable_answer_gives_no_usage(kind: str, encoding: str, raw: bytes) -> None:
    reader = UsageReader(kind, encoding)
    reader.feed(raw)
    assert reader.end() is None

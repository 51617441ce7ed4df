import bz2
import gzip
import io
import json
import lzma
import random

import pytest
import zstandard

from prunus.clients import api_trace, chat_export, tau_bench, trace_rows
from prunus.clients.client import modules
from prunus.clients.sessions import READERS, load
from prunus.clients.zst import ZstdFile
from prunus.errors import FormatError

CHAT = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


def test_gzipped_and_plain_files_load_alike(tmp_path):
    plain, packed = tmp_path / "talk.json", tmp_path / "talk.json.gz"
    plain.write_text(json.dumps(CHAT))
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load(plain) == load(packed)
    assert load(str(packed))[0].name == "talk"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress, zstandard.compress])
def test_a_cut_packed_file_is_refused(tmp_path, pack):
    path = tmp_path / "talk.jsonl"
    said = [{**CHAT[n % 2], "content": str(random.Random(n).random())} for n in range(9_000)]
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in said)
    for packed in (pack(lines), pack(lines) + pack(lines)):
        path.write_bytes(packed)
        assert load(path)
        for cut in (3, len(packed) // 3):
            path.write_bytes(packed[:-cut])
            with pytest.raises(FormatError, match="cannot be unpacked"):
                load(path)


def test_zstd_with_frames_without_content_is_read_as_pzstd_writes_it(tmp_path):
    path = tmp_path / "talk.json.zst"
    frame = zstandard.compress(json.dumps(CHAT).encode())
    path.write_bytes(b"\x50\x2a\x4d\x18\x04\0\0\0" + len(frame).to_bytes(4, "little") + frame)
    [session] = load(path)
    assert list(session.messages) == CHAT


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_zstd_of_several_frames_is_read_in_pieces_of_any_size(size):
    texts = [bytes([65 + n % 26]) * n * 7 for n in range(200)]
    file = io.BufferedReader(ZstdFile(io.BytesIO(b"".join(map(zstandard.compress, texts)))))
    assert b"".join(iter(lambda: file.read(size), b"")) == b"".join(texts)


@pytest.mark.parametrize(
    "content", ["no session at all", '{"a": 1}', "[1, 2]", '{"messages": [{"role"', '{"messages": ' + 100_000 * "["]
)
def test_a_file_of_no_known_kind_is_refused_by_name(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(FormatError, match=r"notes\.txt: neither a request nor a recorded session of .*claude-code"):
        load(path)


def test_a_line_that_is_nested_too_deeply_counts_as_damaged(tmp_path):
    path = tmp_path / "talk.jsonl"
    deep = f'{{"role": {100_000 * "["}{100_000 * "]"}}}'
    path.write_text("\n".join([deep, *map(json.dumps, CHAT)]))
    [session] = load(path)
    assert (len(session.messages), session.skipped) == (2, 1)


def test_an_empty_file_is_reported_as_empty(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("")
    with pytest.raises(FormatError, match=r"notes\.txt: is empty"):
        load(path)


def test_a_recording_without_a_request_gives_no_session(lines):
    only_prompt = {"role": "user", "content": "Hello"}
    assert lines({"type": "user", "uuid": "a", "sessionId": "s", "message": only_prompt}) == ()


def test_each_loader_has_a_name_of_its_own():
    readers = {*modules("sessions"), api_trace, tau_bench, chat_export, trace_rows}
    assert set(READERS.values()) == readers
    assert len(READERS) == len(readers)

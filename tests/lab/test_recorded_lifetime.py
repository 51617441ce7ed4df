import gzip
from pathlib import Path

import pytest

from prunus.corpus.source import Source
from prunus.lab.conversations import recorded_lifetime

HOUR = b'{"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":90}}\n'
MINUTES = b'{"cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":0}}\n'


@pytest.mark.parametrize(
    ("data", "lifetime"),
    [
        (HOUR, "1h"),
        (gzip.compress(HOUR, mtime=0), "1h"),
        (MINUTES, ""),
        (HOUR + MINUTES, ""),
        (b"", ""),
        (b"\x1f\x8bno", ""),
    ],
)
def test_the_lifetime_is_that_of_most_cached_tokens(tmp_path: Path, data: bytes, lifetime: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    assert recorded_lifetime(Source(str(path), path)) == lifetime


def test_a_missing_file_has_no_recorded_lifetime(tmp_path: Path) -> None:
    assert recorded_lifetime(Source("gone", tmp_path / "gone")) == ""

"""How long the prompt cache of a recorded session lived, where the recording tells.

Claude Code writes down what the provider billed: how many tokens went into a cache of five minutes, and how many
into one of an hour, which costs twice an uncached token to write.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Final

_WRITTEN: Final = re.compile(rb'"ephemeral_(5m|1h)_input_tokens"\s*:\s*(\d+)')
_GZIP: Final = b"\x1f\x8b"


def recorded_lifetime(path: Path) -> str:
    """`1h` where most of what was cached was cached for an hour, else nothing."""
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError):
        return ""
    tokens = {b"5m": 0, b"1h": 0}
    for lifetime, count in _WRITTEN.findall(data):
        tokens[lifetime] += int(count)
    return "1h" if tokens[b"1h"] > tokens[b"5m"] else ""

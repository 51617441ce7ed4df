"""Sorted files."""

import bisect

from kv.bloom import Bloom
from kv.coding import Damaged, get_bytes, get_number, put_bytes, put_number, sealed, unsealed

BLOCK = 256
MAGIC = b"kv1\n"


def write_table(pairs, block=BLOCK):
    """A file of pairs, which come in order of keys. Raises ValueError if they do not."""
    blocks, index, current = [], [], bytearray()
    last = None
    keys = []
    offset = len(MAGIC)

    def close():
        nonlocal current, offset
        piece = sealed(bytes(current))
        index.append((last, offset))
        blocks.append(piece)
        offset += len(piece)
        current = bytearray()

    for key, value in pairs:
        if last is not None and key <= last:
            raise ValueError("keys are not in order")
        current += put_bytes(key) + put_bytes(value)
        last = key
        keys.append(key)
        if len(current) >= block:
            close()
    if len(current) > block // 2:
        close()
    bloom = Bloom.sized(len(keys))
    for key in keys:
        bloom.add(key)
    tail = put_number(len(index)) + b"".join(put_bytes(key) + put_number(at) for key, at in index) + bloom.dump()
    return MAGIC + b"".join(blocks) + sealed(tail) + offset.to_bytes(8, "little")


class Table:
    """Reads a sorted file; `cache` keeps blocks."""

    def __init__(self, data, number=0, cache=None):
        if data[: len(MAGIC)] != MAGIC or len(data) < len(MAGIC) + 8:
            raise Damaged("not a table")
        self._data, self.number, self._cache = data, number, cache
        tail, _ = unsealed(data, int.from_bytes(data[-8:], "little"))
        count, at = get_number(tail, 0)
        self._last, self._offsets = [], []
        for _ in range(count):
            key, at = get_bytes(tail, at)
            offset, at = get_number(tail, at)
            self._last.append(key)
            self._offsets.append(offset)
        self._bloom, _ = Bloom.load(tail, at)

    def __len__(self):
        return len(self._data)

    def _block(self, number):
        if self._cache is None:
            return self._load(number)[0]
        return self._cache.get((self.number, number), lambda: self._load(number))

    def _load(self, number):
        body, _ = unsealed(self._data, self._offsets[number])
        pairs, at = [], 0
        while at < len(body):
            key, at = get_bytes(body, at)
            value, at = get_bytes(body, at)
            pairs.append((key, value))
        return pairs, len(body)

    def get(self, key):
        """Whether the key is known here, and its value."""
        if key not in self._bloom:
            return False, None
        number = bisect.bisect_right(self._last, key)
        if number == len(self._last):
            return False, None
        for known, value in self._block(number):
            if known == key:
                return True, value
        return False, None

    def items(self, start=b"", end=None):
        """Pairs from `start` on and before `end`."""
        for number in range(bisect.bisect_left(self._last, start), len(self._last)):
            for key, value in self._block(number):
                if end is not None and key >= end:
                    return
                yield key, value

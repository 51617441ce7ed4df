"""A filter of keys."""

import hashlib
import math

from kv.coding import get_bytes, get_number, put_bytes, put_number


class Bloom:
    """Says of a key: certainly not, or probably."""

    def __init__(self, bits, hashes, data=None):
        self.bits, self.hashes = bits, hashes
        self._data = bytearray(data) if data is not None else bytearray((bits + 7) // 8)

    @classmethod
    def sized(cls, count, wrong=0.01):
        """A filter for so many keys, which is wrong about others as rarely as asked."""
        bits = max(8, math.ceil(-count * math.log(wrong) / math.log(2)))
        hashes = max(1, round(bits / max(1, count) * math.log(2)))
        return cls(bits, min(hashes, 20))

    def _places(self, key):
        digest = hashlib.blake2b(key, digest_size=16).digest()
        first = int.from_bytes(digest[:8], "little")
        second = int.from_bytes(digest[8:], "little") | 1
        return [(first + number * second) % self.bits for number in range(self.hashes)]

    def add(self, key):
        for place in self._places(key):
            self._data[place // 8] = 1 << place % 8

    def __contains__(self, key):
        return all(self._data[place // 8] >> place % 8 & 1 for place in self._places(key))

    def dump(self):
        return put_number(self.bits) + put_number(self.hashes) + put_bytes(bytes(self._data))

    @classmethod
    def load(cls, data, at=0):
        bits, at = get_number(data, at)
        hashes, at = get_number(data, at)
        body, at = get_bytes(data, at)
        return cls(bits, hashes, body), at

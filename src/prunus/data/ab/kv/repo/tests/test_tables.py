import unittest

from kv.cache import Cache
from kv.coding import Damaged
from kv.tables import Table, write_table

PAIRS = [(f"key-{n:03d}".encode(), None if n % 10 == 3 else b"value " * (n % 5)) for n in range(0, 200, 2)]


class TablesTest(unittest.TestCase):
    def setUp(self):
        self.table = Table(write_table(PAIRS))

    def test_every_key_is_found(self):
        for key, value in PAIRS:
            self.assertEqual(self.table.get(key), (True, value))
        for key in (b"", b"key-001", b"key-199", b"z"):
            self.assertEqual(self.table.get(key), (False, None))

    def test_parts(self):
        self.assertEqual(list(self.table.items()), PAIRS)
        self.assertEqual([k for k, _ in self.table.items(b"key-011", b"key-016")], [b"key-012", b"key-014"])
        self.assertEqual([k for k, _ in self.table.items(b"key-196")], [b"key-196", b"key-198"])

    def test_an_empty_table(self):
        self.assertEqual(list(Table(write_table([])).items()), [])
        self.assertEqual(Table(write_table([])).get(b"a"), (False, None))

    def test_keys_must_be_in_order(self):
        with self.assertRaises(ValueError):
            write_table([(b"b", b""), (b"a", b"")])

    def test_damage_is_noticed(self):
        data = bytearray(write_table(PAIRS))
        data[40] ^= 1
        with self.assertRaises(Damaged):
            list(Table(bytes(data)).items())
        with self.assertRaises(Damaged):
            Table(b"something else")

    def test_blocks_are_cached(self):
        cache = Cache(10_000)
        table = Table(write_table(PAIRS), 7, cache)
        for _ in range(3):
            table.get(b"key-010")
        self.assertEqual((cache.misses, cache.hits), (1, 2))

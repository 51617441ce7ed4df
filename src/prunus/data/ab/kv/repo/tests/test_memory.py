import unittest

from kv.cache import Cache
from kv.memory import Memory


class MemoryTest(unittest.TestCase):
    def test_values_and_marks(self):
        memory = Memory()
        memory.put(b"b", b"22")
        memory.put(b"a", b"1")
        memory.put(b"b", None)
        self.assertEqual(memory.get(b"b"), (True, None))
        self.assertEqual(memory.get(b"c"), (False, None))
        self.assertEqual(memory.items(), [(b"a", b"1"), (b"b", None)])

    def test_size(self):
        memory = Memory()
        memory.put(b"key", b"value")
        memory.put(b"key", b"longer value")
        self.assertEqual(memory.size, 15)
        memory.put(b"key", None)
        self.assertEqual((memory.size, len(memory)), (3, 1))

    def test_parts(self):
        memory = Memory()
        for letter in b"dbac":
            memory.put(bytes([letter]), b"x")
        self.assertEqual([key for key, _ in memory.items(b"b", b"d")], [b"b", b"c"])
        self.assertEqual([key for key, _ in memory.items(b"bb")], [b"c", b"d"])

    def test_the_cache_forgets_what_was_used_longest_ago(self):
        cache, loaded = Cache(10), []

        def load(key):
            return cache.get((key, 0), lambda: (loaded.append(key) or key, 4))

        for key in "abacab":
            load(key)
        self.assertEqual(("".join(loaded), cache.size, cache.hits), ("abcb", 8, 2))
        cache.drop("a")
        self.assertEqual(cache.size, 4)
        cache.get(("big", 0), lambda: ("x", 99))
        self.assertEqual(cache.size, 4)

import random
import unittest

from kv.batch import Batch
from kv.store import Files, Store


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.files = Files()
        self.store = Store(self.files, limit=200, tables=3)

    def test_values_and_deletions(self):
        self.store.put(b"a", b"1")
        self.store.flush()
        self.store.put(b"a", b"2")
        self.assertEqual(self.store.get(b"a"), b"2")
        self.store.delete(b"a")
        self.store.flush()
        self.assertIsNone(self.store.get(b"a"))
        self.assertEqual(self.store.get(b"a", b"none"), b"none")
        self.store.put(b"e", b"")
        self.assertEqual(self.store.get(b"e"), b"")

    def test_deletions_survive_a_partial_compaction(self):
        self.store.put(b"a", b"1")
        self.store.flush()
        self.store.delete(b"a")
        self.store.flush()
        self.store.put(b"b", b"1")
        self.store.flush()
        self.store.compact(2)
        self.assertIsNone(self.store.get(b"a"))
        self.assertEqual(self.store.scan(), [(b"b", b"1")])
        self.store.compact()
        self.assertEqual((self.store.stats()["tables"], len(self.files.names())), (1, 2))

    def test_a_restart_loses_nothing(self):
        for n in range(50):
            self.store.put(f"k{n:02d}".encode(), b"x" * 20)
        self.store.delete(b"k07")
        before = self.store.scan()
        self.files.append("log", b"\x30garbage")
        again = Store(self.files, limit=200, tables=3)
        self.assertEqual(again.scan(), before)
        self.assertEqual(again.sequence, self.store.sequence)
        again.put(b"new", b"1")
        self.assertEqual(Store(self.files).get(b"new"), b"1")

    def test_parts_of_the_keys(self):
        for key in (b"a", b"ab", b"ac\xff", b"ac\xff1", b"b", b"\xff\xff"):
            self.store.put(key, b"1")
            self.store.flush()
        self.assertEqual([k for k, _ in self.store.prefix(b"a")], [b"a", b"ab", b"ac\xff", b"ac\xff1"])
        self.assertEqual([k for k, _ in self.store.prefix(b"ac\xff")], [b"ac\xff", b"ac\xff1"])
        self.assertEqual([k for k, _ in self.store.prefix(b"\xff")], [b"\xff\xff"])
        self.assertEqual([k for k, _ in self.store.scan(b"ab", b"b", limit=2)], [b"ab", b"ac\xff"])

    def test_batches_are_one_record(self):
        self.store.apply(Batch().put(b"a", b"1").delete(b"b"))
        self.store.apply(Batch())
        self.assertEqual(self.store.sequence, 1)

    def test_against_a_dictionary(self):
        pick, known = random.Random(3), {}
        for _ in range(600):
            key = f"key{pick.randrange(60)}".encode()
            if pick.random() < 0.3:
                self.store.delete(key)
                known.pop(key, None)
            else:
                known[key] = bytes([pick.randrange(256)]) * pick.randrange(12)
                self.store.put(key, known[key])
            if pick.random() < 0.02:
                self.store = Store(self.files, limit=200, tables=3)
        self.assertEqual(self.store.scan(), sorted(known.items()))
        self.assertTrue(all(self.store.get(key) == value for key, value in known.items()))
        self.assertLessEqual(self.store.stats()["tables"], 3)

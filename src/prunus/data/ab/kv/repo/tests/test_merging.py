import unittest

from kv.batch import Batch
from kv.merging import merge, without_marks


class MergingTest(unittest.TestCase):
    def test_the_newest_source_counts(self):
        new, mid, old = [("b", 1), ("d", None)], [("a", 2), ("d", 2), ("e", 2)], [("a", 3), ("b", 3), ("c", 3)]
        self.assertEqual(list(merge([new, mid, old])), [("a", 2), ("b", 1), ("c", 3), ("d", None), ("e", 2)])
        self.assertEqual([k for k, _ in without_marks(merge([new, mid, old]))], ["a", "b", "c", "e"])
        self.assertEqual(list(merge([[], []])), [])

    def test_values_are_not_compared(self):
        self.assertEqual(list(merge([[("a", None)], [("a", b"x")]])), [("a", None)])

    def test_batches(self):
        batch = Batch().put(b"a", b"1").put(b"b", b"2").delete(b"a").put(b"c", b"")
        self.assertEqual(batch.changes(), [(b"b", b"2"), (b"a", None), (b"c", b"")])
        with self.assertRaises(TypeError):
            batch.put("a", b"")
        with self.assertRaises(ValueError):
            batch.put(b"", b"")

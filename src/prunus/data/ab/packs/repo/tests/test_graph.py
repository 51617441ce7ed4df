import unittest

from packs.graph import Cycle, order, reasons, unused

NEEDS = {"web": ["http", "log"], "http": ["zip", "log"], "log": [], "zip": [], "old": ["log"]}


class GraphTest(unittest.TestCase):
    def test_order(self):
        self.assertEqual(order(NEEDS), ["log", "zip", "http", "old", "web"])

    def test_cycles_are_named(self):
        with self.assertRaises(Cycle) as caught:
            order({"a": ["b"], "b": ["c"], "c": ["b"]})
        self.assertEqual(caught.exception.path, ["b", "c", "b"])

    def test_reasons(self):
        self.assertEqual(reasons(NEEDS, ["web"], "zip"), ["web", "http", "zip"])
        self.assertEqual(reasons(NEEDS, ["web", "old"], "log"), ["old", "log"])
        self.assertIsNone(reasons(NEEDS, ["log"], "web"))

    def test_unused(self):
        self.assertEqual(unused(NEEDS, ["web"]), ["old"])
        self.assertEqual(unused({"a": ["b"], "b": ["a"]}, []), ["a", "b"])

import unittest

from sheet.graph import Graph


class GraphTest(unittest.TestCase):
    def test_dependents_are_found_through_others(self):
        graph = Graph()
        graph.set("b", {"a"})
        graph.set("c", {"b"})
        self.assertEqual(graph.dependents(["a"]), {"a", "b", "c"})
        graph.set("b", set())
        self.assertEqual(graph.dependents(["a"]), {"a"})

    def test_order(self):
        graph = Graph()
        graph.set("a", {"b", "c"})
        graph.set("b", {"c", "outside"})
        self.assertEqual(graph.order({"a", "b", "c"}), (["c", "b", "a"], set()))

    def test_cycles_and_what_needs_them(self):
        graph = Graph()
        graph.set("a", {"b"})
        graph.set("b", {"a"})
        graph.set("c", {"b"})
        ordered, stuck = graph.order({"a", "b", "c", "d"})
        self.assertEqual((ordered, stuck), (["d"], {"a", "b", "c"}))

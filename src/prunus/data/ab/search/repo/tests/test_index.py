import unittest

from tests.library import library


class IndexTest(unittest.TestCase):
    def test_places(self):
        found = library().places("text", "prun")
        self.assertEqual(found, {"a": [2, 8], "b": [2, 9]})

    def test_stop_words_keep_their_place(self):
        self.assertEqual(library().places("title", "care"), {"a": [1]})
        self.assertEqual(library().places("title", "the"), {})
        self.assertEqual(library().length("title", "a"), 3)

    def test_a_document_is_replaced(self):
        index = library()
        index.add("a", title="Plums", text="New")
        self.assertEqual(index.places("text", "prun"), {"b": [2, 9]})
        self.assertEqual(index.places("title", "plum"), {"a": [0]})
        self.assertEqual(index.count("title"), 5)

    def test_removing(self):
        index = library()
        index.remove("d")
        self.assertEqual(index.places("text", "ladder"), {})
        self.assertEqual(index.beginning("text", "ladd"), [])
        self.assertEqual(index.count("text"), 4)
        with self.assertRaises(KeyError):
            index.remove("d")

    def test_prefixes(self):
        index = library()
        self.assertEqual(index.beginning("text", "be"), ["bear", "berri"])
        index.add("f", text="beech")
        self.assertEqual(index.beginning("text", "be"), ["bear", "beech", "berri"])

    def test_average_counts_only_documents_with_the_field(self):
        index = library()
        before = index.average("title")
        index.add("f", text="only text")
        self.assertEqual(index.average("title"), before)
        self.assertAlmostEqual(before, (3 + 3 + 2 + 1 + 2) / 5)

import unittest

from search.snippets import hits, snippet
from tests.library import BOOKS

TEXT = BOOKS["b"][1]


class SnippetsTest(unittest.TestCase):
    def test_hits(self):
        self.assertEqual([t.start for t in hits(TEXT, {"prun"})], [11, 44])

    def test_the_part_with_the_most_different_hits(self):
        self.assertEqual(snippet(TEXT, {"fruit", "bear"}, 30), "… every year [bears] more [fruit] …")
        self.assertEqual(snippet(TEXT, {"appl"}, 20), "[Apples] are pruned in …")

    def test_different_hits_count_more_than_many(self):
        text = "x x x far away from here y z"
        self.assertIn("[y] [z]", snippet(text, {"x", "y", "z"}, 12))

    def test_the_end_of_the_text(self):
        self.assertEqual(snippet("one two three", {"thre"}, 9), "… two [three]")
        self.assertEqual(snippet("one", {"one"}), "[one]")
        self.assertEqual(snippet("...", {"one"}), "")

    def test_blanks_are_folded(self):
        self.assertEqual(snippet("a\n\n  b", {"b"}), "a [b]")

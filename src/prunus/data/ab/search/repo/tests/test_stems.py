import unittest

from search.stems import is_stop, stem


class StemsTest(unittest.TestCase):
    def test_forms_share_a_stem(self):
        for words in (
            "prune pruned prunes pruning", "tree trees", "cherry cherries", "box boxes", "cut cutting",
            "disease diseases diseased", "branch branches", "grow growing", "class classes", "quick quickly",
        ):
            self.assertEqual(len({stem(word) for word in words.split()}), 1, words)

    def test_words_that_stay(self):
        for word in ("bus", "sing", "red", "ing", "h2os", "thing", "glass", "this"):
            self.assertEqual(stem(word), word)

    def test_different_words_stay_different(self):
        self.assertNotEqual(stem("winter"), stem("winning"))
        self.assertEqual(stem("ties"), "tie")

    def test_stop_words(self):
        self.assertTrue(is_stop("the"))
        self.assertFalse(is_stop("tree"))

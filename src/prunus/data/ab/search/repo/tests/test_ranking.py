import math
import unittest

from search.index import Index
from search.ranking import inverse_frequency, rank, score_word
from tests.library import library


class RankingTest(unittest.TestCase):
    def test_rare_words_count_more(self):
        self.assertGreater(inverse_frequency(10, 1), inverse_frequency(10, 9))
        self.assertGreater(inverse_frequency(10, 10), 0)
        self.assertAlmostEqual(inverse_frequency(5, 2), math.log(1 + 3.5 / 2.5))

    def test_one_score_by_hand(self):
        index = Index()
        index.add(1, text="cat dog dog")
        index.add(2, text="cat")
        expected = math.log(1 + 1.5 / 1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
        self.assertAlmostEqual(score_word(index, "text", "dog", 1), expected)
        self.assertEqual(score_word(index, "text", "dog", 2), 0.0)

    def test_weights_of_fields(self):
        index = library()
        wanted = [("title", "tree"), ("text", "tree")]
        light = [id for id, _ in rank(index, ["a", "b", "e"], wanted, {})]
        heavy = [id for id, _ in rank(index, ["a", "b", "e"], wanted, {"title": 0.0})]
        self.assertEqual(light[-1], "a")
        self.assertEqual(heavy[0], "b")

    def test_equal_scores_are_in_order_of_ids(self):
        self.assertEqual([id for id, _ in rank(library(), ["c", "a", "b"], [], {})], ["a", "b", "c"])

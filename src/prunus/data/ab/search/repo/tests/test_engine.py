import unittest

from search.engine import Engine
from tests.library import library


class EngineTest(unittest.TestCase):
    def ids(self, text, **options):
        return [id for id, _ in Engine(library(), {"title": 2.0}).search(text, **options)]

    def test_all_words_are_needed(self):
        self.assertEqual(set(self.ids("pruning winter")), {"a", "b"})
        self.assertEqual(set(self.ids("the winter")), {"a", "b", "c", "e"})
        self.assertEqual(self.ids("cafe"), ["d"])
        self.assertEqual(self.ids("don't"), ["d"])

    def test_either_and_not(self):
        self.assertEqual(set(self.ids("berries OR ladder")), {"c", "d"})
        self.assertEqual(set(self.ids("winter -pruned")), {"c", "e"})
        self.assertEqual(set(self.ids("-(tree OR trees)")), {"c", "d"})

    def test_fields_and_prefixes(self):
        self.assertEqual(set(self.ids("title:tree")), {"a", "b", "e"})
        self.assertEqual(set(self.ids("be*")), {"b", "c"})
        self.assertEqual(self.ids("title:grow*"), ["c"])

    def test_phrases(self):
        self.assertEqual(self.ids('"young wood"'), ["c"])
        self.assertEqual(self.ids('"wood young"'), [])
        self.assertEqual(self.ids('"on young wood"'), ["c"])
        self.assertEqual(set(self.ids('"pruned in winter"')), {"b", "a"})
        self.assertEqual(self.ids('"disease of the tree"'), ["e"])
        self.assertEqual(self.ids('"disease tree"'), [])

    def test_order_and_pages(self):
        whole = self.ids("tree")
        self.assertEqual(whole[0], "b")
        self.assertEqual(self.ids("tree", limit=1, offset=1), whole[1:2])

    def test_what_is_excluded_does_not_count(self):
        found = dict(Engine(library()).search("winter -berries"))
        again = dict(Engine(library()).search("winter"))
        self.assertTrue(all(found[id] == again[id] for id in found))

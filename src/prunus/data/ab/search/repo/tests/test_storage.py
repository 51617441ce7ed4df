import io
import unittest

from search.engine import Engine
from search.storage import BadFile, load, save
from tests.library import library


class StorageTest(unittest.TestCase):
    def saved(self):
        out = io.StringIO()
        save(library(), out)
        return out.getvalue()

    def test_what_is_loaded_answers_the_same(self):
        index = load(io.StringIO(self.saved()))
        for query in ("tree", '"disease of the tree"', "café", "be*", "winter -pruned"):
            self.assertEqual(Engine(index).search(query), Engine(library()).search(query))

    def test_damaged_files(self):
        whole = self.saved().splitlines(keepends=True)
        for lines in ([], ["[]\n"], ["{}\n"], whole[:-1], ["nonsense\n"]):
            with self.assertRaises(BadFile):
                load(lines)

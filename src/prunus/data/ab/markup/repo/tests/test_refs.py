import unittest

from markup.refs import label, take_definitions


class RefsTest(unittest.TestCase):
    def test_definitions(self):
        lines = ["[One]: /a 'T'", "text", "[one]: /b", "  [Two  words]: <http://x>", '[q]: /q "t"']
        kept, found = take_definitions(lines)
        self.assertEqual(kept, ["text"])
        self.assertEqual(found, {"one": ("/a", "T"), "two words": ("http://x", None), "q": ("/q", "t")})

    def test_labels(self):
        self.assertEqual(label("  Straße \n A "), label("STRASSE a"))

    def test_fences_keep_their_lines(self):
        lines = ["````", "[a]: /x", "```", "[b]: /x", "````", "[c]: /x"]
        kept, found = take_definitions(lines)
        self.assertEqual((len(kept), list(found)), (5, ["c"]))

import unittest

from rex.pattern import Pattern


class PatternTest(unittest.TestCase):
    def test_places(self):
        pattern = Pattern(r"(\w)(\d)?")
        self.assertEqual(pattern.match("ab").groups(), ("a", None))
        self.assertIsNone(pattern.match(" a"))
        self.assertEqual(pattern.match(" a1", 1).span(), (1, 3))
        self.assertEqual(pattern.search("  a1").span(2), (3, 4))
        self.assertEqual(pattern.search("  a").span(2), (-1, -1))
        with self.assertRaises(IndexError):
            pattern.match("a").group(3)

    def test_the_whole_text(self):
        self.assertEqual(Pattern("a|ab").full("ab").group(), "ab")
        self.assertIsNone(Pattern("a*").full("aab"))
        self.assertIsNotNone(Pattern("").full(""))

    def test_names(self):
        found = Pattern(r"(?P<key>\w+)=(?P<value>\w*)").search("; a=1")
        self.assertEqual(found.named(), {"key": "a", "value": "1"})
        self.assertEqual(found.group("value"), "1")

    def test_all(self):
        self.assertEqual(Pattern(r"\d+").find_all("a1b22c"), ["1", "22"])
        self.assertEqual(Pattern(r"(\w)=(\d)?").find_all("a=1 b="), [("a", "1"), ("b", "")])
        self.assertEqual([m.span() for m in Pattern("x*").all("axb")], [(0, 0), (1, 2), (2, 2), (3, 3)])
        self.assertEqual(Pattern("^a").find_all("aaa"), ["a"])

    def test_split(self):
        self.assertEqual(Pattern(", *").split("a, b,c"), ["a", "b", "c"])
        self.assertEqual(Pattern("(-)|x").split("a-bxc"), ["a", "-", "b", None, "c"])
        self.assertEqual(Pattern(",").split("a,b,c", 1), ["a", "b,c"])
        self.assertEqual(Pattern("x*").split("ab"), ["ab"])

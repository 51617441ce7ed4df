import unittest

from router.patterns import BadPattern, Pattern, split


class PatternsTest(unittest.TestCase):
    def test_paths_are_split(self):
        self.assertEqual(split("/"), [])
        self.assertEqual(split("/a/b/"), ["a", "b"])
        self.assertEqual(split("/a//b"), ["a", "", "b"])

    def test_patterns_are_checked(self):
        for text in ("a", "/{x}/{x}", "/{p:path}/b", "/{x:float}", "/a{x}"):
            with self.assertRaises(BadPattern, msg=text):
                Pattern(text)

    def test_segments(self):
        kinds = [segment.kind for segment in Pattern("/a%20b/{id:int}/{name}/{rest:path}").segments]
        self.assertEqual(kinds, ["literal", "int", "str", "path"])
        first, number, *_ = Pattern("/a%20b/{id:int}").segments
        self.assertTrue(first.accepts("a%20b"))
        self.assertTrue(number.accepts("-12"))
        self.assertFalse(number.accepts("1.5"))
        self.assertFalse(number.accepts("12a"))

    def test_urls(self):
        pattern = Pattern("/files/{owner}/{rest:path}")
        self.assertEqual(pattern.url(owner="a/b", rest="x y/z"), "/files/a%2Fb/x%20y/z")
        self.assertEqual(Pattern("/").url(), "/")
        with self.assertRaises(KeyError):
            pattern.url(owner="a")

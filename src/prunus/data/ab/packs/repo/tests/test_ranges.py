import unittest

from packs.ranges import BadRange, Range
from packs.versions import Version


class RangesTest(unittest.TestCase):
    def check(self, text, inside, outside):
        found = Range(text)
        for version in inside.split():
            self.assertTrue(found.allows(Version.parse(version)), f"{version} in {text}")
        for version in outside.split():
            self.assertFalse(found.allows(Version.parse(version)), f"{version} not in {text}")

    def test_caret(self):
        self.check("^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0")
        self.check("^0.2.3", "0.2.3 0.2.9", "0.3.0")
        self.check("^0.0.3", "0.0.3", "0.0.4")
        self.check("^0", "0.9.9", "1.0.0")
        self.check("^0.0", "0.0.9", "0.1.0")

    def test_tilde_and_partial(self):
        self.check("~1.2.3", "1.2.9", "1.3.0")
        self.check("~1", "1.9.0", "2.0.0")
        self.check("1.x", "1.0.0 1.9.9", "2.0.0 0.9.0")
        self.check("1.2", "1.2.7", "1.3.0")
        self.check(">1.2", "1.3.0", "1.2.9")
        self.check("<=1.2", "1.2.9", "1.3.0")
        self.check("*", "0.0.1 9.9.9", "1.0.0-a")

    def test_several_bounds(self):
        self.check(">=1.0 <2", "1.5.0", "2.0.0 0.9.9")
        self.check("<1 || >= 3.1.0", "0.5.0 3.1.0", "2.0.0")
        self.check("1.2 - 2.3", "1.2.0 2.3.9", "1.1.9 2.4.0")
        self.check("1.2.0 - 2.3.4", "2.3.4", "2.3.5")

    def test_pre_releases(self):
        self.check(">=1.2.3-beta.2", "1.2.3-beta.10 1.2.3 2.0.0", "1.2.3-beta.1 1.3.0-beta.3")
        self.check("^1.2.0", "1.2.1", "1.3.0-rc.1 2.0.0-rc.1")

    def test_best_and_bad(self):
        versions = [Version.parse(text) for text in ("1.9.0", "1.10.0", "2.0.0")]
        self.assertEqual(str(Range("^1").best(versions)), "1.10.0")
        self.assertIsNone(Range("^3").best(versions))
        for text in ("^a", ">=", "1.2.3.4"):
            with self.assertRaises(BadRange, msg=text):
                Range(text)

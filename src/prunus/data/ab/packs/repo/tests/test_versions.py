import unittest

from packs.versions import BadVersion, Version

V = Version.parse


class VersionsTest(unittest.TestCase):
    def test_order(self):
        texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.9", "1.0.10", "1.2.0"]
        self.assertEqual([str(v) for v in sorted(map(V, reversed(texts)))], texts)

    def test_build_metadata_does_not_count(self):
        self.assertEqual(V("1.0.0+a"), V("1.0.0+b"))
        self.assertEqual(len({V("1.0.0+a"), V("1.0.0")}), 1)
        self.assertEqual(str(V("v1.0.0-rc.1+x")), "1.0.0-rc.1+x")

    def test_bad_versions(self):
        for text in ("1.0", "01.0.0", "1.0.0-", "1.0.0-a..b", "1.0.0-01", "x"):
            with self.assertRaises(BadVersion, msg=text):
                V(text)

    def test_bumps(self):
        self.assertEqual(str(V("1.2.3").bumped("major")), "2.0.0")
        self.assertEqual(str(V("1.2.3").bumped("minor")), "1.3.0")
        self.assertEqual(str(V("1.2.3-rc.1").bumped("patch")), "1.2.3")
        self.assertEqual(str(V("2.0.0-rc.1").bumped("major")), "2.0.0")
        self.assertEqual(str(V("1.3.0-rc.1").bumped("minor")), "1.3.0")
        self.assertEqual(str(V("1.2.3-rc.1").bumped("minor")), "1.3.0")

import unittest

from vcs.ignore import Ignore
from vcs.trees import below, changes, likeness


class TreesTest(unittest.TestCase):
    def test_changes(self):
        old = {"a": "1\n", "b": "2\n", "c": "3\n"}
        new = {"a": "1\n", "b": "x\n", "d": "other\n"}
        self.assertEqual(changes(old, new), {"b": ("changed", None), "c": ("deleted", None), "d": ("added", None)})

    def test_renames_take_the_most_alike(self):
        text = "".join(f"{n}\n" for n in range(8))
        old = {"a": text, "b": text.replace("7", "x")}
        new = {"n": text.replace("0", "y"), "m": text}
        self.assertEqual(changes(old, new), {"m": ("renamed", "a"), "n": ("renamed", "b")})
        near = text.replace("0", "y").replace("1", "z")
        self.assertEqual(changes({"a": text}, {"m": text, "n": near}), {"m": ("renamed", "a"), "n": ("added", None)})
        self.assertEqual(likeness("a\nb\n", "b\nc\n"), 0.5)
        self.assertEqual((likeness("", ""), likeness("a\n", "")), (1.0, 0.0))

    def test_folders(self):
        files = ["a/b", "a/c/d", "ab/c", "x"]
        self.assertEqual(below(files, "a/"), ["a/b", "a/c/d"])
        self.assertEqual(below(files, ""), sorted(files))

    def test_ignored_paths(self):
        ignore = Ignore("*.log\n/build\ndocs/*.html\n**/tmp/\n!keep.log\n# no\nx/**/z\n[!a]1\n")
        for path in ("a.log", "d/e.log", "build", "build/x", "docs/a.html", "tmp/a", "q/tmp/b/c", "x/z", "x/y/y/z", "b1", "build/keep.log"):
            self.assertTrue(ignore.ignores(path), path)
        for path in ("keep.log", "d/keep.log", "d/build", "docs/a/b.html", "tmp", "a1", "log"):
            self.assertFalse(ignore.ignores(path), path)

import unittest

from vcs.diff import edits, hunks, unified


def lines(text):
    return text.split()


class DiffTest(unittest.TestCase):
    def test_the_shortest_edits(self):
        found = edits(lines("a b c d"), lines("a x c d e"))
        self.assertEqual("".join(sign for sign, _, _ in found), " -+  +")
        self.assertEqual(edits([], []), [])

    def test_hunks(self):
        old = [str(n) for n in range(1, 31)]
        new = old[:4] + ["new"] + old[5:20] + old[21:]
        first, second = hunks(old, new)
        self.assertEqual(str(first).splitlines()[0], "@@ -2,7 +2,7 @@")
        self.assertEqual(str(second).splitlines()[0], "@@ -18,7 +18,6 @@")
        self.assertEqual(len(hunks(old, ["x", *old[1:7], "y", *old[8:]])), 1)
        self.assertEqual(len(hunks(old, ["x", *old[1:8], "y", *old[9:]])), 2)

    def test_ends(self):
        self.assertEqual(str(hunks([], ["a"])[0]), "@@ -0,0 +1 @@\n+a")
        self.assertEqual(str(hunks(["a", "b"], [])[0]), "@@ -1,2 +0,0 @@\n-a\n-b")

    def test_text(self):
        self.assertEqual(unified("a\nb\n", "a\nc\n", "f"), "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
        self.assertEqual(unified("a\n", "a\n", "f"), "")

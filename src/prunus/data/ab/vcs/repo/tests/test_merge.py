import unittest

from vcs.merge import merge, merge_files

BASE = "a b c d e f g h".split()


def change(**places):
    return [line for old in BASE for line in places.get(old, old).split()]


class MergeTest(unittest.TestCase):
    def test_changes_of_both_sides(self):
        self.assertEqual(merge(BASE, change(b="B"), change(g="G")), (change(b="B", g="G"), 0))
        self.assertEqual(merge(BASE, change(b=""), change(e="e x y")), (change(b="", e="e x y"), 0))
        self.assertEqual(merge(BASE, BASE, change(h="")), (change(h=""), 0))

    def test_equal_changes_are_one(self):
        self.assertEqual(merge(BASE, change(c="X", f=""), change(c="X")), (change(c="X", f=""), 0))
        self.assertEqual(merge([], ["a"], ["a"]), (["a"], 0))

    def test_conflicts(self):
        merged, count = merge(BASE, change(c="X"), change(c="Y"), ("one", "two"))
        self.assertEqual(count, 1)
        self.assertEqual(merged, ["a", "b", "<<<<<<< one", "X", "=======", "Y", ">>>>>>> two", *"defgh"])
        self.assertEqual(merge(BASE, change(c="X", d="X"), change(d="Y"))[0][2:8], ["<<<<<<< ours", "X", "X", "=======", "c", "Y"])
        self.assertEqual(merge(BASE, change(c="X", d="X"), change(c="Y"))[0][5:9], ["=======", "Y", "d", ">>>>>>> theirs"])
        self.assertEqual(merge(["a"], ["a", "x"], ["a", "y"])[1], 1)

    def test_files(self):
        base = {"same": "1\n", "gone": "1\n", "both": "1\n2\n3\n4\n", "fight": "1\n", "lost": "1\n"}
        ours = {"same": "1\n", "both": "0\n2\n3\n4\n", "fight": "2\n", "new": "x\n", "lost": "2\n"}
        theirs = {"same": "2\n", "gone": "1\n", "both": "1\n2\n3\n5\n", "fight": "3\n"}
        merged, conflicts = merge_files(base, ours, theirs)
        self.assertEqual((merged["same"], merged["both"], merged["new"], "gone" in merged), ("2\n", "0\n2\n3\n5\n", "x\n", False))
        self.assertEqual((conflicts, merged["lost"]), (["fight", "lost"], "2\n"))

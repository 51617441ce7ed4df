import random
import unittest

from vcs.diff import hunks
from vcs.patch import NoFit, apply, reversed_hunks


class PatchTest(unittest.TestCase):
    def test_what_differs_is_applied(self):
        pick = random.Random(5)
        for _ in range(60):
            old = [pick.choice("abcde") for _ in range(pick.randrange(30))]
            new = [pick.choice("abcde") for _ in range(pick.randrange(30))]
            found = hunks(old, new, pick.randrange(4))
            self.assertEqual(apply(old, found), new)
            self.assertEqual(apply(new, reversed_hunks(found)), old)

    def test_lines_that_moved(self):
        old = [f"line {n}" for n in range(40)]
        new = old[:10] + ["added"] + old[10:30] + old[31:]
        moved = ["x", "y"] + old
        self.assertEqual(apply(moved, hunks(old, new)), ["x", "y"] + new)
        self.assertEqual(apply(old[5:], hunks(old, new)), new[5:])

    def test_the_nearest_place(self):
        old = ["a", "b", "c"]
        [hunk] = hunks(old, ["a", "B", "c"])
        hunk.old_start = 5
        self.assertEqual(apply([*old, "-", *old, "-"], [hunk]), [*old, "-", "a", "B", "c", "-"])

    def test_a_hunk_that_fits_nowhere(self):
        old = [str(n) for n in range(30)]
        found = hunks(old, ["x", *old[1:25], "y", *old[26:]])
        with self.assertRaises(NoFit) as caught:
            apply([*old[:25], "other", *old[26:]], found)
        self.assertEqual(caught.exception.number, 2)

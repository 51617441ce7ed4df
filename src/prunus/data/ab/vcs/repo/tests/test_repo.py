import unittest

from vcs.refs import BadName, resolve
from vcs.repo import Dirty, Repo


class RepoTest(unittest.TestCase):
    def setUp(self):
        self.repo = Repo()
        self.repo.work = {"a": "1\n2\n3\n4\n5\n", "b": "x\n"}
        self.first = self.repo.commit("first")

    def change(self, path, text, message="change"):
        self.repo.work[path] = text
        return self.repo.commit(message)

    def test_status_and_ignored_files(self):
        self.repo.work.update({".ignore": "*.o\n", "x.o": "1", "b": "y\n"})
        self.assertEqual(self.repo.status(), {".ignore": ("added", None), "b": ("changed", None)})
        self.repo.commit("second")
        self.assertEqual(self.repo.status(), {})
        self.assertNotIn("x.o", self.repo.files("HEAD"))
        with self.assertRaises(ValueError):
            self.repo.commit("again")

    def test_branches(self):
        self.repo.create("side")
        second = self.change("b", "y\n")
        with self.assertRaises(ValueError):
            self.repo.create("side")
        self.repo.checkout("side")
        self.assertEqual((self.repo.work["b"], self.repo.head), ("x\n", self.first))
        self.repo.work["b"] = "z\n"
        with self.assertRaises(Dirty):
            self.repo.checkout("main")
        self.repo.reset("HEAD")
        self.repo.checkout("main")
        self.assertEqual(self.repo.head, second)

    def test_checkout_keeps_ignored_files(self):
        self.change(".ignore", "*.o\n")
        self.repo.work["x.o"] = "1"
        self.repo.checkout(self.repo.head)
        self.assertEqual((self.repo.work["x.o"], self.repo.branch), ("1", None))
        detached = self.change("b", "d\n")
        self.assertEqual((self.repo.head, self.repo.branches["main"] != detached), (detached, True))

    def test_a_merge_of_both_sides(self):
        self.repo.create("side")
        self.change("a", "1\n2\n3\n4\nfive\n")
        self.repo.checkout("side")
        side = self.change("a", "one\n2\n3\n4\n5\n")
        self.repo.checkout("main")
        self.assertEqual(self.repo.base("main", "side"), self.first)
        self.assertEqual(self.repo.merge("side"), "merged")
        self.assertEqual(self.repo.work["a"], "one\n2\n3\n4\nfive\n")
        self.assertEqual(resolve(self.repo, "HEAD^2"), side)
        self.assertEqual(len(self.repo.log()), 4)
        self.assertEqual(self.repo.log()[-1], self.first)
        self.assertEqual(self.repo.merge("side"), "already")
        self.assertEqual(self.repo.base("main", "side"), side)

    def test_forward_and_conflicts(self):
        self.repo.create("side")
        self.repo.checkout("side")
        side = self.change("b", "side\n")
        self.repo.checkout("main")
        self.assertEqual((self.repo.merge("side"), self.repo.head, self.repo.branch), ("forward", side, "main"))
        self.repo.create("other", "HEAD~1")
        self.change("b", "main\n")
        self.repo.checkout("other")
        self.change("b", "other\n")
        self.assertEqual(self.repo.merge("main"), ["b"])
        self.assertIn("<<<<<<< other\nother\n=======\nmain\n>>>>>>> main\n", self.repo.work["b"])
        self.repo.work["b"] = "done\n"
        key = self.repo.commit("solved")
        self.assertEqual(len(self.repo.objects.read_commit(key)["parents"]), 2)

    def test_names(self):
        second = self.change("b", "y\n")
        third = self.change("b", "z\n")
        self.repo.tag("v1", "HEAD~2")
        for name, key in (("HEAD", third), ("main~1", second), ("HEAD^^", self.first), ("v1", self.first), (second[:8], second), ("HEAD~2^0", self.first), ("main~0", third)):
            self.assertEqual(resolve(self.repo, name), key, name)
        for name in ("nothing", "HEAD~3", "HEAD^2", "~1", "0000"):
            with self.assertRaises(BadName, msg=name):
                resolve(self.repo, name)

import unittest

from vcs.objects import Missing, Objects


class ObjectsTest(unittest.TestCase):
    def test_equal_content_is_kept_once(self):
        objects = Objects()
        self.assertEqual(objects.blob("a"), objects.blob("a"))
        self.assertEqual(objects.tree({"x": "1", "y": "2"}), objects.tree({"y": "2", "x": "1"}))
        self.assertEqual(len(objects), 2)

    def test_kinds_do_not_mix(self):
        objects = Objects()
        key = objects.blob("é")
        self.assertEqual(objects.text(key), "é")
        for wrong in (objects.files, objects.read_commit):
            with self.assertRaises(Missing):
                wrong(key)
        with self.assertRaises(Missing):
            objects.text("0" * 40)

    def test_short_hashes_of_commits(self):
        objects = Objects()
        tree = objects.tree({})
        key = objects.commit(tree, [], "m", 1)
        self.assertEqual(objects.starting(key[:6]), [key])
        self.assertEqual(objects.starting(tree[:8]), [])

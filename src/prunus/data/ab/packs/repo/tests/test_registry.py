import unittest

from packs.registry import NoPackage
from tests.store import registry


class RegistryTest(unittest.TestCase):
    def test_versions_are_newest_first(self):
        made = registry()
        self.assertEqual([str(v) for v in made.versions("http")], ["2.0.0", "1.10.0", "1.4.0"])
        self.assertEqual([str(v) for v in made.versions("web")][0], "2.1.0-rc.1")

    def test_a_version_is_published_once(self):
        with self.assertRaises(ValueError):
            registry().publish("log", "1.0.0+again")

    def test_yanked(self):
        made = registry()
        made.yank("http", "2.0.0")
        self.assertEqual([str(v) for v in made.versions("http")], ["1.10.0", "1.4.0"])
        self.assertEqual(len(made.versions("http", yanked=True)), 3)
        with self.assertRaises(NoPackage):
            made.yank("http", "9.0.0")
        with self.assertRaises(NoPackage):
            made.versions("nothing")

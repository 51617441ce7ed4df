import unittest

from packs.registry import NoPackage
from packs.resolver import Conflict, Resolver
from packs.versions import Version
from tests.store import ranges, registry, shown


class ResolverTest(unittest.TestCase):
    def resolve(self, locked=None, made=None, **needs):
        known = {name: Version.parse(text) for name, text in (locked or {}).items()}
        return shown(Resolver(made or registry(), known).resolve(ranges(**needs)))

    def test_the_newest_that_fits(self):
        self.assertEqual(self.resolve(web="*"), {"web": "2.0.0", "http": "2.0.0", "log": "1.2.5", "zip": "3.1.0"})
        self.assertEqual(self.resolve(http="^1"), {"http": "1.10.0", "log": "1.3.0"})

    def test_older_versions_are_tried(self):
        found = self.resolve(auth="*", web="^2")
        self.assertEqual(found["auth"], "0.2.0")
        self.assertEqual(found["http"], "2.0.0")
        found = self.resolve(auth="^0.3", web="*")
        self.assertEqual((found["web"], found["http"]), ("1.0.0", "1.10.0"))

    def test_locked_versions_are_kept_while_they_fit(self):
        self.assertEqual(self.resolve({"log": "1.0.0"}, http="^1")["log"], "1.0.0")
        self.assertEqual(self.resolve({"log": "1.0.0"}, http="^2")["log"], "1.2.5")

    def test_yanked_versions_only_if_locked(self):
        made = registry()
        made.yank("log", "1.3.0")
        self.assertEqual(self.resolve(made=made, log="*"), {"log": "1.2.5"})
        self.assertEqual(self.resolve({"log": "1.3.0"}, made=made, log="*"), {"log": "1.3.0"})

    def test_conflicts_say_who_wants_what(self):
        with self.assertRaises(Conflict) as caught:
            self.resolve(auth="^0.3", web="^2")
        self.assertEqual(caught.exception.package, "http")
        self.assertIn("web 2.0.0 wants ^2.0", str(caught.exception))
        with self.assertRaises(NoPackage):
            self.resolve(nothing="*")

    def test_the_search_does_not_change_what_it_was_given(self):
        needs = ranges(web="*")
        Resolver(registry()).resolve(needs)
        self.assertEqual(list(needs), ["web"])

import unittest

from packs.graph import edges
from packs.lockfile import BadLock, changes, read_lock, write_lock
from packs.resolver import Resolver
from packs.versions import Version
from tests.store import ranges, registry


class LockfileTest(unittest.TestCase):
    def test_what_is_written_is_read(self):
        made = registry()
        chosen = Resolver(made).resolve(ranges(web="*"))
        text = write_lock(chosen, edges(made, chosen))
        self.assertEqual(text.splitlines()[:4], ["# packs lock 1", "http 2.0.0", "  log 1.2.5", "  zip 3.1.0"])
        self.assertEqual(read_lock(text), chosen)

    def test_damaged_files(self):
        for text, line in (("", 1), ("# packs lock 1\na\n", 2), ("# packs lock 1\na 1.0.0\na 1.0.0\n", 3), ("# packs lock 1\na 1.0.0\n  b 1.0.0\n", 3), ("# packs lock 1\na one\n", 2)):
            with self.assertRaisesRegex(BadLock, f"line {line}"):
                read_lock(text)

    def test_changes(self):
        one, two = Version.parse("1.0.0"), Version.parse("2.0.0")
        self.assertEqual(changes({"a": one, "b": one, "d": one}, {"b": two, "c": one, "d": one}), {"a": (one, None), "b": (one, two), "c": (None, one)})

import unittest

from packs.manifest import BadManifest, normal, read_manifest, together
from packs.resolver import Resolver
from tests.store import registry, shown

TEXT = """
# what we need
web = "^1"   # old
Http = ">=1.0 <2 || 3.x"
[dev]
http = ^1.5
[empty]
"""


class ManifestTest(unittest.TestCase):
    def test_reading(self):
        sections = read_manifest(TEXT)
        self.assertEqual(list(sections), ["needs", "dev", "empty"])
        self.assertEqual({name: r.text for name, r in sections["needs"].items()}, {"web": "^1", "http": ">=1.0 <2 || 3.x"})

    def test_names(self):
        self.assertEqual(normal("My__Pack.age"), "my-pack-age")
        for text in ("a b = 1", "= 1", "a", "[x\n", "a = 1\nA = 2", "a = ^^1"):
            with self.assertRaises(BadManifest, msg=text):
                read_manifest(text)

    def test_sections_together(self):
        needs = together(read_manifest(TEXT), "needs", "dev")
        self.assertEqual(needs["http"].text, ">=1.0 <2 ^1.5 || 3.x ^1.5")
        self.assertEqual(shown(Resolver(registry()).resolve(needs))["http"], "1.10.0")

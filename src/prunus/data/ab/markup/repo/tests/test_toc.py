import unittest

from markup.render import Page
from markup.toc import Anchors, contents, slug


class TocTest(unittest.TestCase):
    def test_slugs(self):
        self.assertEqual(slug("Hello, <em>World</em> &amp; Co_x!"), "hello-world-co-x")
        self.assertEqual(slug("Über uns"), "über-uns")
        self.assertEqual(slug("!!!"), "section")

    def test_anchors_are_unique(self):
        anchors = Anchors()
        self.assertEqual([anchors.add(t) for t in ("A", "A", "A 2", "a")], ["a", "a-2", "a-2-2", "a-3"])

    def test_contents(self):
        page = Page("# A\n### B\n## C [x](/y)\n#### D\n# E")
        self.assertEqual(
            page.contents(),
            '<ul><li><a href="#a">A</a><ul><li><a href="#b">B</a></li></ul><ul><li><a href="#c-x">C x</a></li></ul></li>'
            '<li><a href="#e">E</a></li></ul>',
        )
        self.assertEqual(contents([]), "")
        nested = '<ul><li><a href="#a">A</a><ul><li><a href="#b">B</a></li></ul></li></ul>'
        self.assertEqual(Page("# A\n## B").contents(), nested)

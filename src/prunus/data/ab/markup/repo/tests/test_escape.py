import unittest

from markup import escape


class EscapeTest(unittest.TestCase):
    def test_text(self):
        self.assertEqual(escape.text("a < b & c > &lt;"), "a &lt; b &amp; c &gt; &amp;lt;")
        self.assertEqual(escape.attribute('say "x"'), "say &quot;x&quot;")

    def test_addresses(self):
        self.assertEqual(escape.address("a b?x=1&y=2"), "a%20b?x=1&amp;y=2")
        for url in ("javascript:alert(1)", " JavaScript :x", "java\nscript:x", "data:text/html,x"):
            self.assertEqual(escape.address(url), "", url)

    def test_tags(self):
        self.assertEqual(escape.tag("p", "x", id='a"b', title=None), '<p id="a&quot;b">x</p>')

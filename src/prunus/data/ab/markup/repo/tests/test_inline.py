import unittest

from markup.inline import inline


class InlineTest(unittest.TestCase):
    def check(self, text, expected, refs=None):
        self.assertEqual(inline(text, refs), expected)

    def test_code_wins(self):
        self.check("`a*b` *c `d*` e*", "<code>a*b</code> <em>c <code>d*</code> e</em>")
        self.check("`` a`b ``", "<code>a`b</code>")
        self.check("``open", "``open")
        self.check("`<&>`", "<code>&lt;&amp;&gt;</code>")

    def test_emphasis(self):
        self.check("*a* **b** ***c***", "<em>a</em> <strong>b</strong> <strong><em>c</em></strong>")
        self.check("snake_case_name and _this one_", "snake_case_name and <em>this one</em>")
        self.check("2 * 3 * 4", "2 * 3 * 4")
        self.check("in*si*de", "in<em>si</em>de")
        self.check("**a *b* c**", "<strong>a <em>b</em> c</strong>")
        self.check("*open", "*open")

    def test_escapes_and_breaks(self):
        self.check("\\*a\\* \\q \\<", "*a* \\q &lt;")
        self.check("a  \nb\\\nc\nd", "a<br>\nb<br>\nc\nd")

    def test_links(self):
        self.check('[a *b*](/x "t")', '<a href="/x" title="t">a <em>b</em></a>')
        self.check("[a](/x_(y))", '<a href="/x_(y)">a</a>')
        self.check("[a](<x y>)", '<a href="x%20y">a</a>')
        self.check("[a `]` b](/x)", '<a href="/x">a <code>]</code> b</a>')
        self.check("[x](javascript:y)", '<a href="">x</a>')

    def test_references(self):
        refs = {"one": ("/1", None), "two words": ("/2", "T")}
        self.check("[text][One] [ONE] [one][]", '<a href="/1">text</a> <a href="/1">ONE</a> <a href="/1">one</a>', refs)
        self.check("[Two\nWords]", '<a href="/2" title="T">Two\nWords</a>', refs)
        self.check("[none] [a][none]", "[none] [a][none]", refs)

    def test_images(self):
        self.check('![a *b* c](/x.png "t")', '<img src="/x.png" alt="a b c" title="t">')
        self.check("!a", "!a")

    def test_bare_addresses(self):
        self.check("see https://x.org/a_b_c. (http://y.org/z)", 'see <a href="https://x.org/a_b_c">https://x.org/a_b_c</a>. (<a href="http://y.org/z">http://y.org/z</a>)')
        self.check("<me@x.org> <b>", '<a href="mailto:me@x.org">me@x.org</a> &lt;b&gt;')
        self.check("[https://x.org](/y)", '<a href="/y">https://x.org</a>')

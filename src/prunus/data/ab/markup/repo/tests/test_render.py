import unittest

from markup.render import render


class RenderTest(unittest.TestCase):
    def test_a_page(self):
        html = render('# Title\r\n\r\nSome *text*\twith [a link][x].\r\n\r\n[x]: /there "T"\r\n')
        self.assertEqual(html, '<h1 id="title">Title</h1>\n<p>Some <em>text</em>    with <a href="/there" title="T">a link</a>.</p>')

    def test_code_is_not_changed(self):
        self.assertEqual(render("```py\nif a < b: *x*\n```"), '<pre><code class="language-py">if a &lt; b: *x*\n</code></pre>')

    def test_tight_and_loose_lists(self):
        self.assertEqual(render("- a\n- b"), "<ul>\n<li>a</li>\n<li>b</li>\n</ul>")
        self.assertEqual(render("2) a\n\n3) b"), '<ol start="2">\n<li><p>a</p></li>\n<li><p>b</p></li>\n</ol>')

    def test_quotes(self):
        self.assertEqual(render("> # A\n> b\n\n# A"), '<blockquote>\n<h1 id="a">A</h1>\n<p>b</p>\n</blockquote>\n<h1 id="a-2">A</h1>')

    def test_html_is_escaped(self):
        self.assertEqual(render("<script>x</script>"), "<p>&lt;script&gt;x&lt;/script&gt;</p>")

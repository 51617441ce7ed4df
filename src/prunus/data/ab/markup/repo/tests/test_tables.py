import unittest

from markup.render import render
from markup.tables import alignments, cells, fitted, is_rule


class TablesTest(unittest.TestCase):
    def test_cells(self):
        self.assertEqual(cells("| a | b \\| c | |"), ["a", "b | c", ""])
        self.assertEqual(cells("a|b"), ["a", "b"])
        self.assertEqual(fitted(["a"], 2), ["a", ""])
        self.assertEqual(fitted(["a", "b", "c"], 2), ["a", "b"])

    def test_rules(self):
        self.assertTrue(is_rule("|:--|:-:|--:|---|"))
        self.assertFalse(is_rule("| a | - |"))
        self.assertEqual(alignments("|:--|:-:|--:|---|"), ["left", "center", "right", None])

    def test_html(self):
        html = render("| A | B |\n|---|--:|\n| *x* | `1` |\n| only |\n\nafter")
        self.assertIn('<th style="text-align: right">B</th>', html)
        self.assertIn('<tr><td><em>x</em></td><td style="text-align: right"><code>1</code></td></tr>', html)
        self.assertIn('<tr><td>only</td><td style="text-align: right"></td></tr>', html)
        self.assertTrue(html.endswith("<p>after</p>"))

    def test_a_wrong_rule_makes_no_table(self):
        self.assertNotIn("<table>", render("| A | B |\n|---|\n| 1 | 2 |"))

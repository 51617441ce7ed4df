import unittest

from tmpl.context import Context
from tmpl.expressions import BadExpression, compile_expression
from tmpl.filters import FILTERS


class ExpressionsTest(unittest.TestCase):
    def value(self, text, **values):
        return compile_expression(text, FILTERS)(Context(values))

    def test_literals(self):
        self.assertEqual(self.value("[1, -2.5, 'a\\'b', \"c\\n\", true, none]"), [1, -2.5, "a'b", "c\n", True, None])

    def test_strength(self):
        self.assertEqual(self.value("true or false and false"), True)
        self.assertEqual(self.value("not 1 == 2"), True)
        self.assertEqual(self.value("(true or false) and false"), False)
        self.assertEqual(self.value("a|length > 2 and a|first == 'x'", a="xyz"), True)

    def test_comparisons(self):
        self.assertEqual(self.value("2 in a and 5 not in a", a=[1, 2]), True)
        self.assertEqual(self.value("x < 1"), False)
        self.assertEqual(self.value("x == none"), True)
        self.assertEqual(self.value("x != none"), False)
        self.assertEqual(self.value("1 in x"), False)
        self.assertEqual(self.value("a or 'other'", a=""), "other")

    def test_filters(self):
        self.assertEqual(self.value("a|upper|replace('A', b)|truncate(3, end='')", a="aaa", b="xy"), "xyx")
        self.assertEqual(self.value("a|default('x', empty=true)", a=""), "x")
        self.assertEqual(self.value("'x'|default(a|first)", a=[1]), "x")

    def test_mistakes(self):
        for text in ("", "a b", "a|", "a|nope", "a|join(", "(a", "[1", "a ==", "a not b", "@"):
            with self.assertRaises(BadExpression, msg=text):
                self.value(text)

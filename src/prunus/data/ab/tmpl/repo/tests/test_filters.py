import unittest
from datetime import date

from tmpl.context import Undefined
from tmpl.filters import FILTERS, Safe, escape


def call(name, *given, **named):
    return FILTERS[name](*given, **named)


class FiltersTest(unittest.TestCase):
    def test_escaping(self):
        self.assertEqual(escape("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;")
        self.assertEqual(escape(escape("<")), "&lt;")
        self.assertEqual(escape(None), "")

    def test_texts(self):
        self.assertEqual(call("title", "o'neil's big DOG"), "O'neil's Big Dog")
        self.assertEqual(call("truncate", "one two three", 9), "one two…")
        self.assertEqual(call("truncate", "one two three", 8), "one two…")
        self.assertEqual(call("truncate", "abcdefgh", 5), "abcd…")
        self.assertEqual(call("truncate", "short", 5), "short")
        self.assertEqual(call("replace", "a.b.c", ".", "-"), "a-b-c")

    def test_defaults(self):
        self.assertEqual([call("default", v, "x") for v in (Undefined(), None, "", 0)], ["x", "x", "", 0])
        self.assertEqual(call("default", "", "x", empty=True), "x")

    def test_lists(self):
        self.assertEqual(call("join", [1, 2], "<"), "1<2")
        self.assertEqual(call("join", ["<", Safe("<b>")], "&"), "&lt;&amp;<b>")
        self.assertEqual(call("sort", [{"n": 2}, {"n": 1}], "n"), [{"n": 1}, {"n": 2}])
        self.assertEqual(call("sort", [1, 3, 2], reverse=True), [3, 2, 1])
        self.assertEqual((call("first", "ab"), call("last", [1, 2])), ("a", 2))
        self.assertIsInstance(call("last", []), Undefined)

    def test_numbers_and_dates(self):
        self.assertEqual([call("round", n) for n in (2.5, 3.5, -2.5)], [3, 4, -2])
        self.assertEqual(call("round", 2.345, 1), 2.3)
        self.assertEqual([call("plural", n) for n in (0, 1, 2, ["x"])], ["s", "", "s", ""])
        self.assertEqual(call("plural", 2, "ies", "y"), "ies")
        self.assertEqual(call("date", date(2024, 5, 1), "%d.%m."), "01.05.")
        self.assertEqual(call("date", "2024-05-01T10:00"), "2024-05-01")

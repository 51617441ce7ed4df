import unittest

from tmpl.context import Context, Undefined


class Person:
    name = "Ada"
    _secret = "x"


class ContextTest(unittest.TestCase):
    def test_scopes(self):
        context = Context({"a": 1})
        context.push({"b": 2})
        context.set("a", 5)
        self.assertEqual((context.get("a"), context.get("b")), (5, 2))
        context.pop()
        self.assertEqual(context.get("a"), 1)
        self.assertIsInstance(context.get("b"), Undefined)
        with self.assertRaises(IndexError):
            context.pop()

    def test_dots(self):
        context = Context({"p": Person(), "d": {"items": [10, {"x": 3}], "0": "key"}})
        self.assertEqual(context.get("p.name"), "Ada")
        self.assertIsInstance(context.get("p._secret"), Undefined)
        self.assertEqual(context.get("d.items.1.x"), 3)
        self.assertEqual(context.get("d.0"), "key")
        self.assertIsInstance(context.get("d.items.7"), Undefined)
        self.assertEqual(str(context.get("q.r.s")), "")

    def test_a_value_that_is_false_hides_outer_ones(self):
        context = Context({"a": 1})
        context.push({"a": None})
        self.assertIsNone(context.get("a"))

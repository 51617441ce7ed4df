import unittest

from search.queries import BadQuery, parse


class QueriesTest(unittest.TestCase):
    def check(self, text, expected):
        self.assertEqual(repr(parse(text)), expected)

    def test_words(self):
        self.check("tree", "tree")
        self.check("title:tree* fruit", "(title:tree* fruit)")
        self.check('"old wood" title:"a b"', '("old wood" title:"a b")')

    def test_and_binds_closer_than_or(self):
        self.check("a b OR c d", "((a b) OR (c d))")
        self.check("a (b OR c) d", "(a (b OR c) d)")
        self.check("a OR b OR c", "(a OR b OR c)")

    def test_not(self):
        self.check('a -b -"c d" -(e OR f)', '(a -b -"c d" -(e OR f))')
        self.check("well-known", "well-known")

    def test_or_is_a_word_only_in_capitals_and_alone(self):
        self.check("or ORchard", "(or ORchard)")
        self.check("a OR(b)", "(a OR b)")

    def test_bad_queries(self):
        for text in ("", "a OR", "(a", "a)", "()", "OR a"):
            with self.assertRaises(BadQuery, msg=text):
                parse(text)

import unittest

from rex.flags import Flags, take_flags
from rex.parser import Parser, PatternError


def parse(source, flags=""):
    return Parser(source, Flags(flags)).parse()


class ParserTest(unittest.TestCase):
    def test_counts(self):
        for text, counts in (("a*", (0, None, False)), ("a+?", (1, None, True)), ("a??", (0, 1, True)), ("a{2}", (2, 2, False)), ("a{2,}", (2, None, False)), ("a{1,3}?", (1, 3, True))):
            self.assertEqual(parse(text)[2:], counts, text)
        self.assertEqual(parse("a{x}")[0], "sequence")
        self.assertEqual(parse("ab*")[1][1][0], "repeat")

    def test_groups_are_counted_by_their_brackets(self):
        parser = Parser("((a)|(?:b)(?P<n>c))", Flags())
        parser.parse()
        self.assertEqual((parser.groups, parser.names), (3, {"n": 3}))

    def test_classes(self):
        chars = parse(r"[]a\-c\d-]")[1]
        self.assertEqual([c for c in "]a-bc5x" if c in chars], ["]", "a", "-", "c", "5"])
        negative = parse("[^a-c]", "i")[1]
        self.assertEqual([c for c in "aBCdD" if c in negative], ["d", "D"])

    def test_mistakes_say_where(self):
        for text, at in (("*a", 0), ("a(b", 1), ("ab)", 2), ("a[b", 1), ("a\\", 1), ("a{3,2}", 1), ("[b-a]", 4), ("(?x", 1), ("a\\q", 1), ("a**", 2), ("^*", 0), ("x|+", 2)):
            with self.assertRaises(PatternError, msg=text) as caught:
                parse(text)
            self.assertEqual(caught.exception.at, at, text)

    def test_flags_at_the_start(self):
        rest, flags = take_flags("(?is)a", "m")
        self.assertEqual((rest, flags.fold, flags.lines, flags.dots), ("a", True, True, True))
        with self.assertRaises(ValueError):
            take_flags("(?x)a")

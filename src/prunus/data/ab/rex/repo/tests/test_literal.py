import unittest

from rex.literal import escape, start_of
from rex.pattern import Pattern


class LiteralTest(unittest.TestCase):
    def start(self, source, flags=""):
        return start_of(Pattern(source, flags).program.tree)[0]

    def test_starts(self):
        for source, start in (("abc", "abc"), ("abc*", "ab"), ("ab+c", "ab"), ("(ab)c[de]f", "abc"), ("a{3}b", "aaab"), ("a|b", ""), ("x(a|b)", "x"), ("[a]b", "ab"), ("a{2,3}b", "aa"), ("(a.)+b", "a"), ("(a.){2}b", "a"), ("^ab", "")):
            self.assertEqual(self.start(source), start, source)
        self.assertEqual(self.start("ab", "i"), "")

    def test_searching_with_a_start(self):
        self.assertEqual(Pattern(r"ab+\d").search("ab abb abb7").span(), (7, 11))
        self.assertIsNone(Pattern("abc").search("ab"))
        self.assertEqual(Pattern("aa").find_all("aaaaa"), ["aa", "aa"])

    def test_escape(self):
        text = "a.b*c[d]\\e{f}(g)|^$+?"
        self.assertEqual(Pattern(escape(text)).full(text).group(), text)
        self.assertIsNone(Pattern(escape("a.c")).full("abc"))

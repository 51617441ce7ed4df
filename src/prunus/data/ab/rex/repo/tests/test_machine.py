import re
import unittest

from rex.pattern import Pattern


class MachineTest(unittest.TestCase):
    def same(self, source, text, flags=""):
        expected = re.search(f"(?{flags}){source}" if flags else source, text)
        found = Pattern(source, flags).search(text)
        spans = None if expected is None else [expected.span(n) for n in range(expected.re.groups + 1)]
        mine = None if found is None else [found.span(n) for n in range(found.pattern.program.groups + 1)]
        self.assertEqual(mine, spans, f"{source!r} in {text!r}")

    def test_priorities(self):
        for source, text in (
            ("a|ab", "xab"), ("ab|a", "xab"), ("(a|ab)(c|bcd)", "abcd"), ("a*", "baaa"), ("a*?b", "aab"), ("(a+?)(a*)", "aaa"), ("(a|b)*c", "abac"),
            ("x{2,3}", "xxxxx"), ("x{2,3}?", "xxxxx"), ("(?:ab)+", "ababa"), ("(a)|(b)", "b"), ("(a?)(ab)?", "ab"), ("(|a)b", "ab"), ("a??b", "ab"),
        ):
            self.same(source, text)

    def test_assertions(self):
        for source, text in (("^a", "ba"), ("a$", "a\n"), ("a$", "a\nb"), (r"\bcat\b", "a cat!"), (r"\bcat\b", "scatter"), (r"\Bcat", "scat"), (r"x\b", "x"), ("^$", "")):
            self.same(source, text)
        for source, text in (("^b", "a\nb"), ("a$", "a\nb")):
            self.same(source, text, "m")

    def test_flags(self):
        self.same("a.c", "a\nc")
        self.same("a.c", "a\nc", "s")
        self.same("[^a]B", "aB bb", "i")
        self.same("straße", "STRAßE", "i")

    def test_many_texts(self):
        sources = ["(a|b)*abb", "a(b|c)+d?", "(ab|ba)+?b", "((a)b?)*", "[^b]+b", "(a*)(a|b)(b*)", "a{1,2}b{0,2}$", "(?:a|ab)(?:c|bcd)(d*)"]
        letters = "abcd"
        for source in sources:
            for number in range(4**4):
                text = "".join(letters[number // 4**place % 4] for place in range(4))
                self.same(source, text)

    def test_no_pattern_takes_for_ever(self):
        text = "a" * 400
        self.assertIsNone(Pattern("(a*)*b").search(text))
        self.assertIsNone(Pattern("(a|a|aa)+$").full(text + "b"))

import unittest

from rex.pattern import Pattern
from rex.replace import TemplateError


class ReplaceTest(unittest.TestCase):
    def test_templates(self):
        pattern = Pattern(r"(?P<a>\w)(\d)?")
        self.assertEqual(pattern.sub(r"<\1\g<2>\g<0>\g<a>>", "x1 y"), "<x1x1x> <yyy>")
        self.assertEqual(Pattern("a").sub(r"\\\n", "ab"), "\\\nb")
        self.assertEqual(Pattern("a").sub("x", "aaa", 2), "xxa")

    def test_functions(self):
        self.assertEqual(Pattern(r"\d+").sub(lambda m: str(int(m.group()) * 2), "1 and 20"), "2 and 40")

    def test_empty_matches(self):
        self.assertEqual(Pattern("x*").sub("-", "abc"), "-a-b-c-")
        self.assertEqual(Pattern("").sub("-", "ab"), "-a-b-")

    def test_mistakes(self):
        for template in (r"\2", r"\g<b>", "\\", r"\q", r"\g<>"):
            with self.assertRaises(TemplateError, msg=template):
                Pattern("(a)").sub(template, "a")

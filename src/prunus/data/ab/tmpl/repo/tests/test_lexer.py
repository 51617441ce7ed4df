import unittest

from tmpl.lexer import TemplateError, lex


class LexerTest(unittest.TestCase):
    def shown(self, text):
        return [(part.kind, part.text, part.line) for part in lex(text)]

    def test_parts_and_lines(self):
        self.assertEqual(self.shown("a\n{{ b }}\n{# c\n #}{% d e %}f"), [("text", "a\n", 1), ("output", "b", 2), ("text", "\n", 2), ("tag", "d e", 4), ("text", "f", 4)])

    def test_blanks_are_removed(self):
        self.assertEqual(self.shown("a \n {%- x -%} \n b {{- y }} c"), [("text", "a", 1), ("tag", "x", 2), ("text", "b", 2), ("output", "y", 3), ("text", " c", 3)])

    def test_raw(self):
        self.assertEqual(self.shown("{% raw %}{{ x }}\n{%endraw-%}  y{{ z }}"), [("text", "{{ x }}\n", 1), ("text", "y", 2), ("output", "z", 2)])

    def test_mistakes(self):
        for text in ("a\n{{ b", "\n{% raw %}", "\n{# x"):
            with self.assertRaises(TemplateError) as caught:
                lex(text)
            self.assertEqual(caught.exception.line, 2)

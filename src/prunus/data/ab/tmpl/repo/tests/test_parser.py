import unittest

from tmpl.filters import FILTERS
from tmpl.lexer import TemplateError
from tmpl.parser import parse


class ParserTest(unittest.TestCase):
    def test_mistakes_name_their_line(self):
        for text, line in (
            ("\n{% if a %}", 2), ("a\n\n{% for x %}{% endfor %}", 3), ("{% if a %}\n{% else %}\n{% elif b %}{% endif %}", 3),
            ("\n{% block a %}{% endblock %}{% block a %}{% endblock %}", 2), ("{% endif %}", 1), ("{% set 1 = 2 %}", 1),
            ("\n{{ a|nope }}", 2), ("{% for x in a %}\n{% block b %}\n{% endfor %}", 3), ("{% tag %}", 1),
        ):
            with self.assertRaises(TemplateError, msg=text) as caught:
                parse(text, FILTERS)
            self.assertEqual(caught.exception.line, line, text)

    def test_blocks_are_collected(self):
        template = parse("{% block a %}{% block b %}x{% endblock %}{% endblock %}", FILTERS)
        self.assertEqual(sorted(template.blocks), ["a", "b"])
        self.assertEqual([block.name for block in template.blocks.values()], ["a", "b"])
        self.assertIsNone(template.parent)

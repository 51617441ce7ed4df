import unittest

from tmpl.engine import Engine, NoTemplate
from tmpl.lexer import TemplateError

PAGES = {
    "base": "<{% block title %}B&B{% endblock %}>{% block body %}{% block inner %}in{% endblock %}{% endblock %}",
    "page": "{% extends 'base' %}{% block title %}{{ super }} Page{% endblock %}ignored",
    "deep": "{% extends parent %}{% block title %}{{ super }} & {{ who }}{% endblock %}{% block inner %}deep{% endblock %}",
    "list": "{% for x in a %}{% include 'row' %}{% endfor %}{{ y }}",
    "row": "{% set y = x %}[{{ y }}]",
    "self": "x\n{% include 'self' %}",
    "round": "{% extends 'about' %}",
    "about": "{% extends 'round' %}",
    "lost": "\n{% include 'nowhere' %}",
}


class EngineTest(unittest.TestCase):
    def setUp(self):
        self.engine = Engine(PAGES)

    def test_blocks_are_replaced(self):
        self.assertEqual(self.engine.render("base"), "<B&B>in")
        self.assertEqual(self.engine.render("page"), "<B&B Page>in")
        self.assertEqual(self.engine.render("deep", parent="page", who="<x>"), "<B&B Page & &lt;x&gt;>deep")

    def test_includes_see_values_and_keep_their_own(self):
        self.assertEqual(self.engine.render("list", a=[1, 2]), "[1][2]")

    def test_endless_templates_are_stopped(self):
        for name in ("self", "round"):
            with self.assertRaises(TemplateError, msg=name):
                self.engine.render(name)

    def test_missing_templates(self):
        with self.assertRaises(NoTemplate):
            self.engine.render("nothing")
        with self.assertRaisesRegex(TemplateError, "line 2"):
            self.engine.render("lost")

    def test_sources_may_change(self):
        self.engine.render("row", x=1)
        self.engine.sources["row"] = "new"
        self.assertEqual(self.engine.render("row"), "new")
        self.assertIs(self.engine.template("row"), self.engine.template("row"))

    def test_own_filters_and_plain_text(self):
        engine = Engine({"a": "{{ x|twice }}"}, {"twice": lambda value: value * 2}, escaping=False)
        self.assertEqual(engine.render("a", x="<"), "<<")

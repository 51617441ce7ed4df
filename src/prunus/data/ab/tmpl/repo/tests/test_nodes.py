import unittest

from tmpl.engine import render


class NodesTest(unittest.TestCase):
    def test_output_is_escaped(self):
        self.assertEqual(render("{{ a }}{{ a|safe }}{{ none }}{{ missing.x }}", a="<b>"), "&lt;b&gt;<b>")

    def test_conditions(self):
        text = "{% if a > 5 %}big{% elif a %}small{% else %}none{% endif %}"
        self.assertEqual([render(text, a=a) for a in (9, 1, 0)], ["big", "small", "none"])

    def test_loops(self):
        text = "{% for x in a %}{{ loop.index }}{{ x }}{% if not loop.last %},{% endif %}{% else %}empty{% endfor %}"
        self.assertEqual([render(text, a=a) for a in (["a", "b"], [], "z")], ["1a,2b", "empty", "1z"])
        self.assertEqual(render("{% for x in missing %}x{% else %}-{% endfor %}"), "-")

    def test_pairs_and_dicts(self):
        text = "{% for k, v in a %}{{ k }}={{ v }};{% endfor %}"
        self.assertEqual(render(text, a={"x": 1, "y": 2}), "x=1;y=2;")
        self.assertEqual(render(text, a=[("p", "q")]), "p=q;")

    def test_nested_loops(self):
        text = "{% for r in a %}{% for c in r %}{{ loop.parent.index }}{{ loop.index }} {% endfor %}{% endfor %}"
        self.assertEqual(render(text, a=[[0, 0], [0]]), "11 12 21 ")

    def test_assignments_stay_in_their_scope(self):
        text = "{% set n = 1 %}{% for x in a %}{% set n = 5 %}{{ n }}{% endfor %}{{ n }}"
        self.assertEqual(render(text, a=[0, 0]), "551")

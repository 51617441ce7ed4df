import unittest

from sheet.lexer import Syntax, lex
from sheet.parser import parse, references


def shown(tree):
    kind = tree[0]
    if kind == "binary":
        return f"({shown(tree[2])}{tree[1]}{shown(tree[3])})"
    if kind == "unary":
        return f"-{shown(tree[1])}"
    if kind == "call":
        return f"{tree[1]}[{','.join(map(shown, tree[2]))}]"
    if kind == "range":
        return f"{tree[1]}:{tree[2]}"
    return str(tree[1])


class ParserTest(unittest.TestCase):
    def check(self, text, expected):
        self.assertEqual(shown(parse(text)), expected)

    def test_lexing(self):
        self.assertEqual(lex('1.5e3 <= "a""b"'), [("number", "1.5e3"), ("operator", "<="), ("text", 'a"b')])
        self.assertEqual([kind for kind, _ in lex("A1 LOG10(2) $B$2 #REF!")], ["ref", "name", "operator", "number", "operator", "ref", "error"])

    def test_strength(self):
        self.check("1+2*3", "(1+(2*3))")
        self.check("1-2-3", "((1-2)-3)")
        self.check("2^3^2", "(2^(3^2))")
        self.check("-2^2", "-(2^2)")
        self.check("2^-1", "(2^-1)")
        self.check("1+2&3=4", "(((1+2)&3)=4)")
        self.check("50%*2", "((50/100)*2)")
        self.check("(1+2)*3", "((1+2)*3)")

    def test_calls_and_references(self):
        self.check("sum(A1:B2, if(C1>0,1,2))", "SUM[A1:B2,IF[(C1>0),1,2]]")
        self.check("PI()", "PI[]")
        self.check("AAA1", "#REF!")
        self.check("foo", "#NAME?")
        self.assertEqual(len(list(references(parse("SUM(A1:B2,C1)+-D1")))), 3)

    def test_mistakes(self):
        for text in ("1+", "(1", "SUM(1", "1)", "A1:", "1 2", "", "@"):
            with self.assertRaises(Syntax, msg=text):
                parse(text)

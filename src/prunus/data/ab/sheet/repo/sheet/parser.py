"""Trees of formulas, as tuples: (kind, ...)."""

from sheet.lexer import Syntax, lex
from sheet.refs import BadRef, Ref
from sheet.values import Error

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


def parse(text):
    """The tree of a formula without its equals sign."""
    parser = _Parser(lex(text))
    tree = parser.comparison()
    if parser.at != len(parser.parts):
        raise Syntax(f"not expected: {parser.parts[parser.at][1]!r}")
    return tree


class _Parser:
    def __init__(self, parts):
        self.parts = parts
        self.at = 0

    def operator(self, *wanted):
        """The next part if it is one of these operators, which is then taken."""
        if self.at < len(self.parts):
            kind, text = self.parts[self.at]
            if kind == "operator" and text in wanted:
                self.at += 1
                return text
        return None

    def _left(self, inner, *wanted):
        tree = inner()
        while found := self.operator(*wanted):
            tree = ("binary", found, tree, inner())
        return tree

    def comparison(self):
        return self._left(self.joined, "&")

    def joined(self):
        return self._left(self.sum, *COMPARISONS)

    def sum(self):
        return self._left(self.product, "+", "-")

    def product(self):
        return self._left(self.signed, "*", "/")

    def signed(self):
        if found := self.operator("-", "+"):
            inner = self.signed()
            return ("unary", inner) if found == "-" else inner
        return self.power()

    def power(self):
        tree = self.percent()
        if self.operator("^"):
            # Binds to the right, and takes a sign: 2^-1.
            return ("binary", "^", tree, self.percent())
        return tree

    def percent(self):
        tree = self.atom()
        while self.operator("%"):
            tree = ("binary", "/", tree, ("value", 100))
        return tree

    def atom(self):
        if self.operator("("):
            tree = self.comparison()
            if not self.operator(")"):
                raise Syntax("a bracket is not closed")
            return tree
        if self.at == len(self.parts):
            raise Syntax("something is missing at the end")
        kind, text = self.parts[self.at]
        self.at += 1
        if kind == "number":
            number = float(text)
            return ("value", int(number) if number.is_integer() else number)
        if kind == "text":
            return ("value", text)
        if kind == "error":
            return ("value", Error(text))
        if kind == "ref":
            return self._reference(text)
        if kind == "name":
            return self._name(text)
        raise Syntax(f"not expected: {text!r}")

    def _reference(self, text):
        first = _ref(text)
        if not self.operator(":"):
            return first if first[0] == "value" else ("ref", first[1])
        if self.at == len(self.parts) or self.parts[self.at][0] != "ref":
            raise Syntax("a range has two corners")
        last = _ref(self.parts[self.at][1])
        self.at += 1
        bad = next((one for one in (first, last) if one[0] == "value"), None)
        return bad or ("range", first[1], last[1])

    def _name(self, text):
        if self.operator("("):
            arguments = []
            if not self.operator(")"):
                arguments.append(self.comparison())
                while self.operator(","):
                    arguments.append(self.comparison())
                if not self.operator(")"):
                    raise Syntax("a bracket is not closed")
            return ("call", text.upper(), arguments)
        if text.upper() in ("TRUE", "FALSE"):
            return ("value", text.upper() == "TRUE")
        return ("value", Error("#NAME?"))


def _ref(text):
    try:
        return ("ref", Ref.parse(text))
    except BadRef:
        return ("value", Error("#REF!"))


def references(tree):
    """All references and ranges of a tree."""
    if tree[0] in ("ref", "range"):
        yield tree
    for part in tree[1:]:
        if isinstance(part, tuple):
            yield from references(part)

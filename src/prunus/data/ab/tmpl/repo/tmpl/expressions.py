"""Expressions in outputs and tags."""

import re

from tmpl.context import Undefined

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>-?\d+(?:\.\d+)?)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)|(?P<sign>==|!=|<=|>=|[<>|(),:=\[\]]))"""
)
_WORDS = {"and", "or", "not", "in"}
_CONSTANTS = {"true": True, "false": False, "none": None}
_ESCAPES = {"n": "\n", "t": "\t"}


class BadExpression(ValueError):
    """An expression that cannot be understood."""


def tokens(text):
    """Pairs of kind and text."""
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadExpression(f"not understood: {text[at:].strip()!r}")
        kind = match.lastgroup
        part = match[kind]
        found.append(("sign" if kind == "name" and part in _WORDS else kind, part))
        at = match.end()
    return found


def compile_expression(text, filters):
    """A function of a context."""
    parser = _Parser(tokens(text), filters)
    found = parser.either()
    if parser.at < len(parser.parts):
        raise BadExpression(f"not expected: {parser.parts[parser.at][1]!r}")
    return found


class _Parser:
    def __init__(self, parts, filters):
        self.parts, self.filters = parts, filters
        self.at = 0

    def take(self, *wanted):
        if self.at < len(self.parts) and self.parts[self.at][0] == "sign" and self.parts[self.at][1] in wanted:
            self.at += 1
            return self.parts[self.at - 1][1]
        return None

    def either(self):
        left = self.both()
        while self.take("or"):
            left = _or(left, self.negated())
        return left

    def both(self):
        left = self.negated()
        while self.take("and"):
            left = _and(left, self.negated())
        return left

    def negated(self):
        if self.take("not"):
            inner = self.filtered()
            return lambda context: not inner(context)
        return self.compared()

    def compared(self):
        left = self.filtered()
        if sign := self.take("==", "!=", "<", "<=", ">", ">=", "in"):
            return _compare(sign, left, self.filtered())
        if self.take("not"):
            if not self.take("in"):
                raise BadExpression("in is missing")
            inside = _compare("in", left, self.filtered())
            return lambda context: not inside(context)
        return left

    def filtered(self):
        value = self.atom()
        while self.take("|"):
            if self.at == len(self.parts) or self.parts[self.at][0] != "name":
                raise BadExpression("a filter is missing")
            name = self.parts[self.at][1]
            self.at += 1
            function = self.filters.get(name)
            if function is None:
                raise BadExpression(f"no filter {name!r}")
            positional, named = self.arguments() if self.take("(") else ([], {})
            value = _apply(function, value, positional, named)
        return value

    def arguments(self):
        positional, named = [], {}
        while not self.take(")"):
            if positional or named:
                if not self.take(","):
                    raise BadExpression("a bracket is not closed")
            ahead = self.parts[self.at : self.at + 2]
            if len(ahead) == 2 and ahead[0][0] == "name" and ahead[1] == ("sign", "="):
                self.at += 2
                named[ahead[0][1]] = self.either()
            else:
                positional.append(self.either())
        return positional, named

    def atom(self):
        if self.take("("):
            inner = self.either()
            if not self.take(")"):
                raise BadExpression("a bracket is not closed")
            return inner
        if self.take("["):
            items = []
            while not self.take("]"):
                if items and not self.take(","):
                    raise BadExpression("a bracket is not closed")
                items.append(self.either())
            return lambda context: [item(context) for item in items]
        if self.at == len(self.parts):
            raise BadExpression("something is missing at the end")
        kind, text = self.parts[self.at]
        self.at += 1
        if kind == "number":
            return _constant(float(text) if "." in text else int(text))
        if kind == "text":
            return _constant(re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1]))
        if kind == "name":
            return _constant(_CONSTANTS[text]) if text in _CONSTANTS else lambda context: context.get(text)
        raise BadExpression(f"not expected: {text!r}")


def _constant(value):
    return lambda context: value


def _or(left, right):
    return lambda context: left(context) or right(context)


def _and(left, right):
    return lambda context: left(context) and right(context)


def _compare(sign, left, right):
    def compare(context):
        a, b = left(context), right(context)
        if sign == "==":
            return a == b
        if sign == "!=":
            return not a == b
        if sign == "in":
            return False if isinstance(b, Undefined) else a in b
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]

    return compare


def _apply(function, value, positional, named):
    def apply(context):
        given = [argument(context) for argument in positional]
        return function(value(context), *given, **{key: argument(context) for key, argument in named.items()})

    return apply

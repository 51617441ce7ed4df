"""The language of queries."""

import re


class BadQuery(ValueError):
    """A query that cannot be understood."""


class Word:
    def __init__(self, text, field=None, prefix=False):
        self.text, self.field, self.prefix = text, field, prefix

    def __repr__(self):
        return f"{self.field + ':' if self.field else ''}{self.text}{'*' if self.prefix else ''}"


class Phrase:
    def __init__(self, text, field=None):
        self.text, self.field = text, field

    def __repr__(self):
        return f"{self.field + ':' if self.field else ''}\"{self.text}\""


class Not:
    def __init__(self, part):
        self.part = part

    def __repr__(self):
        return f"-{self.part!r}"


class And:
    def __init__(self, parts):
        self.parts = parts

    def __repr__(self):
        return "(" + " ".join(map(repr, self.parts)) + ")"


class Or:
    def __init__(self, parts):
        self.parts = parts

    def __repr__(self):
        return "(" + " OR ".join(map(repr, self.parts)) + ")"


_LEXEME = re.compile(r'\s*(?:(\()|(\))|(OR)(?=[\s()]|$)|(-)?(?:(\w+):)?(?:"([^"]*)"|([^\s()":]+)|(?=\()))')


def parse(text):
    """The tree of a query. Raises BadQuery for open brackets, and for queries without a word."""
    parser = _Parser(list(_lexemes(text)))
    tree = parser.either()
    if parser.at < len(parser.lexemes):
        raise BadQuery("a bracket is closed that was not opened")
    return tree


def _lexemes(text):
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _LEXEME.match(text, at)
        if found is None or found.end() == at:
            raise BadQuery(f"not understood: {text[at:]!r}")
        at = found.end()
        opened, closed, either, minus, field, phrase, word = found.groups()
        if opened or closed or either:
            yield opened or closed or either, None
            continue
        if phrase is not None:
            part = Phrase(phrase, field)
        elif word is not None:
            part = Word(word.rstrip("*"), field, word.endswith("*"))
        else:
            part = None
        if minus:
            yield "-", None
        if part is not None:
            yield "part", part


class _Parser:
    def __init__(self, lexemes):
        self.lexemes = lexemes
        self.at = 0

    def peek(self):
        return self.lexemes[self.at][0] if self.at < len(self.lexemes) else None

    def either(self):
        parts = [self.both()]
        while self.peek() == "OR":
            self.at += 1
            parts.append(self.single())
        return parts[0] if len(parts) == 1 else Or(parts)

    def both(self):
        parts = []
        while self.peek() not in (None, ")", "OR"):
            parts.append(self.single())
        if not parts:
            raise BadQuery("a word is missing")
        return parts[0] if len(parts) == 1 else And(parts)

    def single(self):
        kind, part = self.lexemes[self.at]
        self.at += 1
        if kind == "-":
            return Not(self.single())
        if kind == "(":
            inner = self.either()
            self.at += 1
            return inner
        return part

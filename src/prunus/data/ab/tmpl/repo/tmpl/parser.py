"""Templates into nodes."""

import re

from tmpl.expressions import BadExpression, compile_expression
from tmpl.lexer import TemplateError, lex
from tmpl.nodes import Block, For, If, Include, Output, Set, Text


class Template:
    """Nodes, the blocks among them, and the template that it extends."""

    def __init__(self, nodes, blocks, parent):
        self.nodes, self.blocks, self.parent = nodes, blocks, parent


def parse(source, filters):
    """A template. Raises TemplateError with the line of the mistake."""
    return _Parser(lex(source), filters).template()


class _Parser:
    def __init__(self, parts, filters):
        self.parts, self.filters = parts, filters
        self.at = 0
        self.blocks = {}
        self.parent = None

    def template(self):
        nodes, _ = self.body(())
        return Template(nodes, self.blocks, self.parent)

    def expression(self, text, line):
        try:
            return compile_expression(text, self.filters)
        except BadExpression as error:
            raise TemplateError(str(error), line) from error

    def body(self, ends, opened=None):
        """Nodes up to a tag that is one of `ends`, and the tag."""
        nodes = []
        while self.at < len(self.parts):
            part = self.parts[self.at]
            self.at += 1
            if part.kind == "text":
                nodes.append(Text(part.text))
            elif part.kind == "output":
                nodes.append(Output(self.expression(part.text, part.line)))
            else:
                name, _, rest = part.text.partition(" ")
                if name in ends:
                    return nodes, (name, rest.strip(), part.line)
                node = self.tag(name, rest.strip(), part.line)
                if node is not None:
                    nodes.append(node)
        if ends:
            raise TemplateError(f"{opened[0]} is not closed", self.parts[-1].line + 1)
        return nodes, None

    def tag(self, name, rest, line):
        make = getattr(self, f"_{name}", None)
        if make is None or not name.isalpha():
            raise TemplateError(f"unknown tag {name!r}", line)
        return make(rest, line)

    def _if(self, rest, line):
        branches, condition = [], self.expression(rest, line)
        while True:
            ends = ("elif", "else", "endif")
            body, (name, more, at) = self.body(ends, ("if", line))
            branches.append((condition, body))
            if name == "endif":
                return If(branches)
            condition = self.expression(more, at) if name == "elif" else None

    def _for(self, rest, line):
        found = re.fullmatch(r"(\w+(?:\s*,\s*\w+)*)\s+in\s+(.+)", rest, re.DOTALL)
        if found is None:
            raise TemplateError(f"for {rest}", line)
        names = [name.strip() for name in found[1].split(",")]
        body, (end, _, _) = self.body(("else", "endfor"), ("for", line))
        empty = self.body(("endfor",), ("for", line))[0] if end == "else" else []
        return For(names, self.expression(found[2], line), body, empty)

    def _set(self, rest, line):
        name, equals, value = rest.partition("=")
        if not equals or not name.strip().isidentifier():
            raise TemplateError(f"set {rest}", line)
        return Set(name.strip(), self.expression(value, line))

    def _include(self, rest, line):
        return Include(self.expression(rest, line), line)

    def _block(self, rest, line):
        if not rest.isidentifier():
            raise TemplateError(f"block {rest}", line)
        if rest in self.blocks:
            raise TemplateError(f"block {rest} is there twice", line)
        self.blocks[rest] = None  # keeps the name while the body is read
        body, _ = self.body(("endblock",), ("block", line))
        self.blocks[rest] = Block(rest, body)
        return self.blocks[rest]

    def _extends(self, rest, line):
        if self.parent is not None:
            raise TemplateError("extends is there twice", line)
        self.parent = (self.expression(rest, line), line)
        return None

"""Templates by name."""

from tmpl.context import Context
from tmpl.filters import FILTERS
from tmpl.lexer import TemplateError
from tmpl.nodes import render_all
from tmpl.parser import parse

DEPTH = 30


class NoTemplate(LookupError):
    """A name without a template."""


class _State:
    """What nodes need beside the context."""

    def __init__(self, engine, chain, depth=0):
        self.engine, self.chain, self.depth = engine, chain, depth

    @property
    def escaping(self):
        return self.engine.escaping

    def load(self, name, line):
        try:
            return self.engine.template(str(name))
        except NoTemplate as error:
            raise TemplateError(f"no template {name!r}", line) from error

    def deeper(self, line):
        if self.depth >= DEPTH:
            raise TemplateError("templates include each other for ever", line)
        return _State(self.engine, self.chain, self.depth)

    def versions(self, block):
        """A block as the templates of the chain have it, the newest first."""
        found = [template.blocks[block.name] for template in reversed(self.chain) if block.name in template.blocks]
        return found or [block]


class Engine:
    """Renders templates; `sources` are texts by name."""

    def __init__(self, sources, filters=None, escaping=True):
        self.sources = dict(sources)
        self.filters = {**FILTERS, **(filters or {})}
        self.escaping = escaping
        self._parsed = {}

    def template(self, name):
        """A template, parsed once as long as its source does not change."""
        if name not in self.sources:
            raise NoTemplate(name)
        source = self.sources[name]
        known = self._parsed.get(name)
        if known is None:
            known = self._parsed[name] = (source, parse(source, self.filters))
        return known[1]

    def render(self, name, **values):
        """The text of a template."""
        context = Context(values)
        chain = [self.template(name)]
        while chain[-1].parent is not None:
            expression, line = chain[-1].parent
            state = _State(self, chain)
            parent = state.load(expression(context), line)
            if parent in chain:
                raise TemplateError("templates extend each other for ever", line)
            chain.append(parent)
        return render_all(chain[-1].nodes, context, _State(self, chain))


def render(source, **values):
    """The text of a template that is given as text."""
    return Engine({"": source}).render("", **values)

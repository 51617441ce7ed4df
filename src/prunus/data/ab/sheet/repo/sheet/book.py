"""A sheet of cells."""

from sheet.evaluate import evaluate
from sheet.graph import Graph
from sheet.lexer import Syntax
from sheet.parser import parse, references
from sheet.refs import Ref, cells_between, name_of
from sheet.values import CYCLE, NAME, typed


class Book:
    """Cells by name. `computed` counts how often a formula was computed."""

    def __init__(self):
        self._sources = {}
        self._trees = {}
        self._values = {}
        self._graph = Graph()
        self.computed = 0

    def __setitem__(self, name, text):
        self.update({name: text})

    def __getitem__(self, name):
        return self._values.get(Ref.parse(name).key)

    def source(self, name):
        """What was typed into a cell."""
        return self._sources.get(Ref.parse(name).key, "")

    def cells(self):
        """The names of all cells that are not empty, by row and column."""
        return [name_of(key) for key in sorted(self._sources, key=lambda key: (key[1], key[0]))]

    def update(self, cells):
        """Change several cells, and compute what depends on them once."""
        changed = []
        for name, text in cells.items():
            key = Ref.parse(name).key
            self._put(key, text)
            changed.append(key)
        self._compute(set(changed))

    def _put(self, key, text):
        self._trees.pop(key, None)
        self._values.pop(key, None)
        self._sources.pop(key, None)
        self._graph.set(key, ())
        if text == "":
            return
        self._sources[key] = text
        if not text.startswith("="):
            value = typed(text)
            if value is not None:
                self._values[key] = value
            return
        try:
            tree = parse(text[1:])
        except Syntax:
            tree = ("value", NAME)
        self._trees[key] = tree
        needs = set()
        for found in references(tree):
            needs.update(cells_between(found[1], found[2]) if found[0] == "range" else [found[1].key])
        self._graph.set(key, needs)

    def _compute(self, keys):
        ordered, stuck = self._graph.order(keys)
        for key in stuck:
            self._values[key] = CYCLE
        for key in ordered:
            tree = self._trees.get(key)
            if tree is not None:
                self.computed += 1
                self._values[key] = evaluate(tree, self._values.get)

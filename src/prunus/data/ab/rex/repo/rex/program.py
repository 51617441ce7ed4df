"""Instructions for the machine."""

from rex.flags import take_flags
from rex.parser import Parser


class Program:
    """Instructions, as lists: [name, ...]; `groups` are counted without the whole match."""

    def __init__(self, source, flags=""):
        self.source = source
        rest, self.flags = take_flags(source, flags)
        parser = Parser(rest, self.flags)
        self.tree = parser.parse()
        self.groups, self.names = parser.groups, parser.names
        self.code = []
        self._emit("save", 0)
        self._compile(self.tree)
        self._emit("save", 1)
        self._emit("match")

    def _emit(self, *instruction):
        self.code.append(list(instruction))
        return len(self.code) - 1

    def _compile(self, tree):
        kind = tree[0]
        if kind == "chars":
            self._emit("char", tree[1])
        elif kind == "assert":
            self._emit("assert", tree[1])
        elif kind == "sequence":
            for part in tree[1]:
                self._compile(part)
        elif kind == "group":
            if tree[1] is not None:
                self._emit("save", 2 * tree[1])
            self._compile(tree[2])
            if tree[1] is not None:
                self._emit("save", 2 * tree[1])
        elif kind == "either":
            self._either(tree[1])
        else:
            self._repeat(*tree[1:])

    def _either(self, branches):
        jumps = []
        for branch in branches[:-1]:
            split = self._emit("split", None, None)
            self.code[split][2] = len(self.code)
            self._compile(branch)
            jumps.append(self._emit("jump", None))
            self.code[split][1] = len(self.code)
        self._compile(branches[-1])
        for jump in jumps:
            self.code[jump][1] = len(self.code)

    def _repeat(self, inner, least, most, lazy):
        for _ in range(least):
            self._compile(inner)
        if most is None:
            split = self._emit("split", None, None)
            self._order(split, len(self.code), None, lazy)
            self._compile(inner)
            self._emit("jump", split)
            self._order(split, None, len(self.code), lazy)
            return
        splits = []
        for _ in range(most - least):
            splits.append(self._emit("split", None, None))
            self._order(splits[-1], len(self.code), None, lazy)
            self._compile(inner)
        for split in splits:
            self._order(split, None, len(self.code), lazy)

    def _order(self, split, inside, outside, lazy):
        """Set the ways of a split: a greedy one tries the inside first."""
        first, second = (1, 2) if lazy else (2, 1)
        if inside is not None:
            self.code[split][first] = inside
        if outside is not None:
            self.code[split][second] = outside

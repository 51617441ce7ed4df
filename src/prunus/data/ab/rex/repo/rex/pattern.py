"""Patterns that users call."""

from rex.literal import start_of
from rex.machine import run
from rex.program import Program
from rex.replace import expand


class Match:
    """Where a pattern was found."""

    def __init__(self, pattern, text, saved):
        self.pattern, self.text, self._saved = pattern, text, saved

    def span(self, group=0):
        number = self._number(group)
        start, end = self._saved[2 * number], self._saved[2 * number + 1]
        return (start, end)

    def _number(self, group):
        if isinstance(group, str):
            return self.pattern.program.names[group]
        if not 0 <= group <= self.pattern.program.groups:
            raise IndexError(group)
        return group

    def group(self, group=0):
        """The text of a group; None if it took no part."""
        start, end = self.span(group)
        return None if start < 0 else self.text[start:end]

    def groups(self):
        return tuple(self.group(number) for number in range(1, self.pattern.program.groups + 1))

    def named(self):
        return {name: self.group(name) for name in self.pattern.program.names}


class Pattern:
    """A compiled pattern."""

    def __init__(self, source, flags=""):
        self.program = Program(source, flags)
        self._start = start_of(self.program.tree)[0]

    def _run(self, text, at, **how):
        saved = run(self.program, text, at, **how)
        return None if saved is None else Match(self, text, saved)

    def match(self, text, at=0):
        """A match that begins at a place."""
        return self._run(text, at, anchored=True)

    def full(self, text):
        """A match of the whole text."""
        return self._run(text, 0, anchored=True, whole=True)

    def search(self, text, at=0):
        """The first match."""
        if self._start:
            at = text.find(self._start, at)
            if at < 0:
                return None
        return self._run(text, at)

    def all(self, text):
        """All matches that do not overlap, from the left. Behind an empty one the search moves on."""
        at = 0
        while at <= len(text):
            found = self.search(text, at)
            if found is None:
                return
            yield found
            start, end = found.span()
            at = end + 1

    def find_all(self, text):
        """The texts of all matches; with one group those of the group, with several tuples."""
        if self.program.groups == 0:
            return [found.group() for found in self.all(text)]
        if self.program.groups == 1:
            return [found.group(1) or "" for found in self.all(text)]
        return [tuple(group or "" for group in found.groups()) for found in self.all(text)]

    def split(self, text, most=0):
        """The texts between matches, and the groups of the matches; at most so many times."""
        out, at, count = [], 0, 0
        for found in self.all(text):
            start, end = found.span()
            if most and count == most:
                break
            out += [text[at:start], *found.groups()]
            at, count = end, count + 1
        return [*out, text[at:]]

    def sub(self, template, text, most=0):
        """The text with matches replaced, by a template or by what a function gives for each."""
        out, at, count = [], 0, 0
        for found in self.all(text):
            if most and count == most:
                break
            start, end = found.span()
            out.append(text[at:start])
            out.append(template(found) if callable(template) else expand(template, found))
            at, count = end, count + 1
        return "".join([*out, text[at:]])

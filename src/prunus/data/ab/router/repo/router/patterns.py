"""Patterns of paths."""

import re

from router.query import decode, encode

KINDS = ("literal", "int", "str", "path")
"""Kinds of segments; the earlier ones win."""

_FIELD = re.compile(r"\{([a-z_][a-z0-9_]*)(?::([a-z]+))?\}$")


class BadPattern(ValueError):
    """A pattern that cannot be understood."""


class Segment:
    """One step of a pattern."""

    __slots__ = ("kind", "name")

    def __init__(self, kind, name):
        self.kind = kind
        self.name = name

    def __eq__(self, other):
        return (self.kind, self.name) == (other.kind, other.name)

    def __hash__(self):
        return hash((self.kind, self.name))

    @property
    def rank(self):
        return KINDS.index(self.kind)

    def accepts(self, text):
        """Whether one raw segment fits."""
        if self.kind == "literal":
            return decode(text) == self.name
        if self.kind == "int":
            return re.fullmatch(r"-?[0-9]+", text) is not None
        return text != ""

    def value(self, text):
        """The value of a raw segment."""
        return int(text) if self.kind == "int" else decode(text)


def split(path):
    """The raw segments of a path; one slash at the end makes no difference."""
    path = path.removeprefix("/")
    return [step for step in path.split("/") if step]


class Pattern:
    """A pattern, which matches paths and writes them."""

    def __init__(self, text):
        if not text.startswith("/"):
            raise BadPattern(f"{text!r} does not begin with a slash")
        self.text = text
        self.segments = []
        for step in split(text):
            self.segments.append(_segment(step, text))
        names = [segment.name for segment in self.segments if segment.kind != "literal"]
        if len(set(names)) != len(names):
            raise BadPattern(f"{text!r} names a field twice")
        if any(segment.kind == "path" for segment in self.segments[:-1]):
            raise BadPattern(f"{text!r} has a path before its end")

    def url(self, **values):
        """The path with these values. Raises KeyError if one is missing."""
        steps = []
        for segment in self.segments:
            if segment.kind == "literal":
                steps.append(encode(segment.name))
            else:
                safe = "/"
                steps.append(encode(str(values[segment.name]), safe))
        return "/" + "/".join(steps)


def _segment(step, text):
    found = _FIELD.match(step)
    if found is None:
        if "{" in step or "}" in step:
            raise BadPattern(f"{text!r}: {step!r}")
        return Segment("literal", decode(step))
    name, kind = found[1], found[2] or "str"
    if kind not in KINDS[1:]:
        raise BadPattern(f"{text!r}: unknown kind {kind!r}")
    return Segment(kind, name)

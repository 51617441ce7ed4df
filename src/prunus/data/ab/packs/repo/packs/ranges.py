"""Ranges of versions."""

import re

from packs.versions import BadVersion, Version

_PARTIAL = re.compile(r"v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([0-9A-Za-z.-]+))?$")
_PART = re.compile(r"(\^|~|>=|<=|>|<|=)?\s*(\S+)")


class BadRange(ValueError):
    """Not a range."""


class Bound:
    """One comparison."""

    def __init__(self, operator, version):
        self.operator, self.version = operator, version

    def allows(self, version):
        if self.operator == ">=":
            return version >= self.version
        if self.operator == ">":
            return version > self.version
        if self.operator == "<":
            return version < self.version
        if self.operator == "<=":
            return version <= self.version
        return version == self.version

    def __repr__(self):
        return f"{self.operator}{self.version}"


class Range:
    """Alternatives, each a list of bounds."""

    def __init__(self, text):
        self.text = text.strip()
        self.alternatives = [_bounds(part.strip()) for part in self.text.split("||")]

    def __repr__(self):
        return " || ".join(" ".join(map(repr, bounds)) or "*" for bounds in self.alternatives)

    def allows(self, version):
        """Whether a version lies in the range."""
        return any(_all(bounds, version) for bounds in self.alternatives)

    def best(self, versions):
        """The newest version in the range, or None."""
        return max((version for version in versions if self.allows(version)), key=str, default=None)


def _all(bounds, version):
    if not all(bound.allows(version) for bound in bounds):
        return False
    if not version.pre:
        return True
    return any(bound.version.pre for bound in bounds)


def _bounds(text):
    if text in ("", "*", "x", "X"):
        return []
    if " - " in text:
        low, _, high = text.partition(" - ")
        return [*_expand(">=", low.strip()), *_expand("<=", high.strip())]
    bounds = []
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            raise BadRange(text)
        bounds += _expand(found[1] or "", found[2])
        at = found.end()
        while at < len(text) and text[at] == " ":
            at += 1
    return bounds


def _expand(operator, text):
    """The bounds of one part, which may leave out numbers."""
    found = _PARTIAL.match(text)
    if found is None:
        raise BadRange(text)
    numbers = []
    for part in found.groups()[:3]:
        if part is None or part in "xX*":
            break
        numbers.append(int(part))
    known = len(numbers)
    major, minor, patch = (numbers + [0, 0, 0])[:3]
    pre = found[4].split(".") if found[4] and known == 3 else ()
    low = Version(major, minor, patch, pre)
    if known == 0:
        return []
    above = Version(major + 1, 0, 0) if known == 1 else Version(major, minor + 1, 0)
    if operator == "^":
        return [Bound(">=", low), Bound("<", _caret(major, minor, patch, known))]
    if operator == "~":
        return [Bound(">=", low), Bound("<", above if known < 3 else Version(major, minor + 1, 0))]
    if operator in ("", "="):
        return [Bound("=", low)] if known == 3 else [Bound(">=", low), Bound("<", above)]
    if operator == "<=":
        return [Bound("<=", low)]
    if operator == ">":
        return [Bound(">", low)] if known == 3 else [Bound(">=", above)]
    return [Bound(operator, low)]


def _caret(major, minor, patch, known):
    """The first version that a caret excludes: the leftmost number that is not zero may not change."""
    if major or known == 1:
        return Version(major + 1, 0, 0)
    if known == 2:
        return Version(0, minor + 1, 0)
    return Version(0, 0, patch + 1)


def parse_version(text):
    """A version, or BadRange for users who gave something else."""
    try:
        return Version.parse(text)
    except BadVersion as error:
        raise BadRange(str(error)) from error

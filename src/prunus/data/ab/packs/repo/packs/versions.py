"""Semantic versions."""

import re
from functools import total_ordering

_VERSION = re.compile(
    r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$"
)


class BadVersion(ValueError):
    """Not a version."""


@total_ordering
class Version:
    """A version such as 1.2.3-beta.1."""

    __slots__ = ("build", "major", "minor", "patch", "pre")

    def __init__(self, major, minor, patch, pre=(), build=""):
        self.major, self.minor, self.patch = major, minor, patch
        self.pre = tuple(pre)
        self.build = build

    @classmethod
    def parse(cls, text):
        found = _VERSION.match(text.strip())
        if found is None:
            raise BadVersion(text)
        pre = found[4].split(".") if found[4] else []
        if any(part == "" or (part.isdigit() and len(part) > 1 and part[0] == "0") for part in pre):
            raise BadVersion(text)
        return cls(int(found[1]), int(found[2]), int(found[3]), pre, found[5] or "")

    @property
    def core(self):
        """The three numbers."""
        return self.major, self.minor, self.patch

    @property
    def key(self):
        """What versions are compared by."""
        parts = tuple((0, 0, part) for part in self.pre)
        return (*self.core, parts)

    def __eq__(self, other):
        return isinstance(other, Version) and self.key == other.key

    def __lt__(self, other):
        return self.key < other.key

    def __hash__(self):
        return hash(self.key)

    def __str__(self):
        text = ".".join(map(str, self.core))
        if self.pre:
            text += "-" + ".".join(self.pre)
        return text + (f"+{self.build}" if self.build else "")

    __repr__ = __str__

    def bumped(self, part):
        """The next version: major, minor or patch. A pre-release is finished by the bump that it was for."""
        if part == "major":
            if self.pre and self.minor == 0 and self.patch == 0:
                return Version(*self.core)
            return Version(self.major + 1, 0, 0)
        if part == "minor":
            if self.pre:
                return Version(*self.core)
            return Version(self.major, self.minor + 1, 0)
        if part == "patch":
            return Version(*self.core) if self.pre else Version(self.major, self.minor, self.patch + 1)
        raise ValueError(part)

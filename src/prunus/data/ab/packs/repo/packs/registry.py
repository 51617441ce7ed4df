"""What is published."""

from packs.ranges import Range
from packs.versions import Version


class Release:
    """One version of a package, with ranges of what it needs."""

    def __init__(self, name, version, needs):
        self.name = name
        self.version = version
        self.needs = {other: Range(text) for other, text in needs.items()}
        self.yanked = False

    def __repr__(self):
        return f"{self.name} {self.version}"


class NoPackage(KeyError):
    """A package that nobody published."""


class Registry:
    """All releases."""

    def __init__(self):
        self._releases = {}

    def publish(self, name, version, needs=None):
        """Add a release. A version is published once."""
        parsed = Version.parse(version)
        releases = self._releases.setdefault(name, {})
        if parsed in releases:
            raise ValueError(f"{name} {version} is published already")
        releases[parsed] = Release(name, parsed, needs or {})
        return releases[parsed]

    def yank(self, name, version):
        """Take back a release: it stays for those who have it."""
        self.release(name, Version.parse(version)).yanked = True

    def release(self, name, version):
        """One release."""
        try:
            return self._releases[name][version]
        except KeyError:
            raise NoPackage(f"{name} {version}") from None

    def versions(self, name, yanked=False):
        """The versions of a package, the newest first; yanked ones on request."""
        if name not in self._releases:
            raise NoPackage(name)
        return sorted(
            (v for v, release in self._releases[name].items() if yanked or not release.yanked), key=str, reverse=True
        )

    def names(self):
        """All packages."""
        return sorted(self._releases)

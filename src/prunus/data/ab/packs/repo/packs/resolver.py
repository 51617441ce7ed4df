"""Choosing one version for each package."""

from packs.registry import NoPackage


class Conflict(Exception):
    """No choice of versions fits; `package` is where the last attempt failed, `wanted` says who wants what."""

    def __init__(self, package, wanted):
        self.package = package
        self.wanted = wanted
        said = ", ".join(f"{who} wants {range_.text}" for who, range_ in wanted)
        super().__init__(f"{package}: {said}")


class Resolver:
    """Searches with backtracking."""

    def __init__(self, registry, locked=None):
        self.registry = registry
        self.locked = locked or {}
        self.attempts = 0

    def resolve(self, needs):
        """Versions by name for a project that needs these ranges. Raises Conflict or NoPackage."""
        wanted = {name: [("the project", range_)] for name, range_ in needs.items()}
        self._failure = None
        found = self._search({}, wanted)
        if found is None:
            raise self._failure
        return dict(sorted(found.items()))

    def _search(self, chosen, wanted):
        open_names = sorted(name for name in wanted if name not in chosen)
        if not open_names:
            return chosen
        name = open_names[0]
        candidates = self._candidates(name, wanted[name])
        if not candidates:
            self._failure = Conflict(name, wanted[name])
            return None
        for version in candidates:
            self.attempts += 1
            more = self._joined(name, version, chosen, wanted)
            if more is None:
                continue
            found = self._search({**chosen, name: version}, more)
            if found is not None:
                return found
        return None

    def _candidates(self, name, wanted):
        """Versions that everybody accepts: the locked one first, then the newest."""
        fits = [v for v in self.registry.versions(name) if all(range_.allows(v) for _, range_ in wanted)]
        locked = self.locked.get(name)
        if locked is not None and locked in self.registry.versions(name, yanked=True):
            if all(range_.allows(locked) for _, range_ in wanted):
                fits = [v for v in fits if v == locked] or fits
        return fits

    def _joined(self, name, version, chosen, wanted):
        """What is wanted once this version is chosen; None if it does not fit what is chosen already."""
        more = wanted
        for other, range_ in self.registry.release(name, version).needs.items():
            more.setdefault(other, []).append((f"{name} {version}", range_))
            if other not in chosen and other != name:
                try:
                    self.registry.versions(other)
                except NoPackage:
                    self._failure = Conflict(other, more[other])
                    return None
        return more

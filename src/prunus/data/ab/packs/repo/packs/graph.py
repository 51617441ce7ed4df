"""The order of installation."""


class Cycle(ValueError):
    """Packages that need each other; `path` begins and ends with the same one."""

    def __init__(self, path):
        self.path = path
        super().__init__(" -> ".join(path))


def edges(registry, chosen):
    """What each chosen package needs."""
    return {name: sorted(registry.release(name, version).needs) for name, version in chosen.items()}


def order(needs):
    """Names so that each comes after what it needs; otherwise by name. Raises Cycle."""
    done, path, found = set(), [], []

    def visit(name):
        if name in done:
            return
        if name in path:
            raise Cycle([*path, name])
        path.append(name)
        for other in sorted(needs.get(name, ())):
            visit(other)
        path.pop()
        done.add(name)
        found.append(name)

    for name in sorted(needs):
        visit(name)
    return found


def reasons(needs, roots, name):
    """One shortest way from a root to a package, or None."""
    waiting = [[root] for root in sorted(roots)]
    seen = set(roots)
    while waiting:
        path = waiting.pop()
        if path[-1] == name:
            return path
        for other in sorted(needs.get(path[-1], ())):
            if other not in seen:
                seen.add(other)
                waiting.append([*path, other])
    return None


def unused(needs, roots):
    """Packages that no root leads to."""
    reached, waiting = set(), list(roots)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += needs.get(name, ())
    return sorted(set(needs) - reached)

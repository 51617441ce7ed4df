"""What to do to get from what is installed to what is wanted."""

from packs.graph import edges, order
from packs.lockfile import changes


class Step:
    """One action: install, upgrade, downgrade or remove."""

    def __init__(self, action, name, before, after):
        self.action, self.name, self.before, self.after = action, name, before, after

    def __repr__(self):
        versions = " -> ".join(str(v) for v in (self.before, self.after) if v is not None)
        return f"{self.action} {self.name} {versions}"


def plan(registry, installed, wanted):
    """The steps in their order: removals first, dependents before what they need; then the rest, dependencies first."""
    changed = changes(installed, wanted)
    steps = []
    for name in order(edges(registry, installed)):
        if name in changed and changed[name][1] is None:
            steps.append(Step("remove", name, installed[name], None))
    for name in order(edges(registry, wanted)):
        if name not in changed:
            continue
        before, after = changed[name]
        if before is None:
            action = "install"
        else:
            action = "upgrade" if after > before else "downgrade"
        steps.append(Step(action, name, before, after))
    return steps


def risky(steps):
    """Steps that may break something: downgrades, removals, and upgrades to another major version."""
    found = []
    for step in steps:
        if step.action in ("downgrade", "remove"):
            found.append(step)
        elif step.action == "upgrade":
            if step.before.major != step.after.major:
                found.append(step)
    return found

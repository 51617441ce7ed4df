"""A registry for the tests."""

from packs.ranges import Range
from packs.registry import Registry


def registry():
    made = Registry()
    for name, version, needs in (
        ("web", "1.0.0", {"http": "^1.0", "log": "*"}),
        ("web", "2.0.0", {"http": "^2.0", "log": "^1.2"}),
        ("web", "2.1.0-rc.1", {"http": "^2.0"}),
        ("http", "1.4.0", {"log": "^1.0"}),
        ("http", "1.10.0", {"log": "^1.0"}),
        ("http", "2.0.0", {"log": "~1.2.0", "zip": "^3"}),
        ("log", "1.0.0", {}),
        ("log", "1.2.0", {}),
        ("log", "1.2.5", {}),
        ("log", "1.3.0", {}),
        ("auth", "0.3.0", {"http": "^1.5"}),
        ("auth", "0.2.0", {"http": ">=1 <3"}),
        ("zip", "3.1.0", {}),
    ):
        made.publish(name, version, needs)
    return made


def ranges(**needs):
    return {name: Range(text) for name, text in needs.items()}


def shown(chosen):
    return {name: str(version) for name, version in chosen.items()}

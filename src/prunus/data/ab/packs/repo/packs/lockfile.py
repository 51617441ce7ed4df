"""Resolved versions as text."""

from packs.versions import BadVersion, Version

HEAD = "# packs lock 1"


class BadLock(ValueError):
    """A lock file that cannot be read; says in which line."""


def write_lock(chosen, needs):
    """The text of a lock file: a package per line, what it needs indented below."""
    lines = [HEAD]
    for name in sorted(chosen):
        lines.append(f"{name} {chosen[name]}")
        lines += [f"  {other} {chosen[other]}" for other in sorted(needs.get(name, ()))]
    return "\n".join(lines) + "\n"


def read_lock(text):
    """The versions of a lock file."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != HEAD:
        raise BadLock("line 1: no head")
    chosen, mentioned = {}, {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = line.split()
        if len(parts) != 2:
            raise BadLock(f"line {number}: {line!r}")
        try:
            version = Version.parse(parts[1])
        except BadVersion as error:
            raise BadLock(f"line {number}: {error}") from error
        if line.startswith(" "):
            mentioned[parts[0]] = (version, number)
            chosen[parts[0]] = version
        elif parts[0] in chosen:
            raise BadLock(f"line {number}: {parts[0]} is there twice")
        else:
            chosen[parts[0]] = version
    for name, (version, number) in mentioned.items():
        if chosen.get(name) != version:
            raise BadLock(f"line {number}: {name} {version} is not locked")
    return chosen


def changes(old, new):
    """Names with the versions before and after, where they differ."""
    names = sorted(new)
    return {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}

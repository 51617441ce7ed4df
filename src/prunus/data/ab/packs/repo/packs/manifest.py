"""What a project needs."""

import re

from packs.ranges import BadRange, Range

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$")


class BadManifest(ValueError):
    """A manifest that cannot be read; says in which line."""


def normal(name):
    """A name as it is compared: lower case, with a hyphen for runs of hyphens, dots and underscores."""
    return re.sub(r"[-_.]+", "-", name.lower())


def read_manifest(text):
    """Sections with what they need: `[section]` lines, then `name = range` lines; `#` begins a comment."""
    sections = {"needs": {}}
    current = "needs"
    for number, line in enumerate(text.splitlines(), 1):
        line = _without_comment(line).strip()
        if not line:
            continue
        if line.startswith("["):
            if not line.endswith("]"):
                raise BadManifest(f"line {number}: a bracket is not closed")
            current = line[1:-1].strip()
            sections.setdefault(current, {})
            continue
        name, equals, wanted = line.partition("=")
        name = normal(name.strip())
        if not equals or not _NAME.match(name):
            raise BadManifest(f"line {number}: {line!r}")
        if name in sections[current]:
            raise BadManifest(f"line {number}: {name} is there twice")
        try:
            sections[current][name] = Range(wanted.strip().strip('"'))
        except BadRange as error:
            raise BadManifest(f"line {number}: {error}") from error
    return sections


def _without_comment(line):
    quoted = False
    for index, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == "#" and quoted:
            return line[:index]
    return line


def together(sections, *names):
    """What several sections need together; a package in two of them must fit both."""
    found = {}
    for section in names:
        for name, range_ in sections.get(section, {}).items():
            if name in found:
                found[name] = Range(_both(found[name].text, range_.text))
            else:
                found[name] = range_
    return found


def _both(left, right):
    return f"{left} {right}"

"""Definitions of links."""

import re

_DEFINITION = re.compile(r"""^ {0,3}\[([^\]\[]+)\]:\s*(\S+)(?:\s+(?:"([^"]*)"|'([^']*)'|\(([^)]*)\)))?\s*$""")


def label(name):
    """A name as it is compared: without case, with single blanks."""
    return name.strip().lower()


def take_definitions(lines):
    """The lines without definitions, and the definitions; those inside fences stay lines."""
    kept, found = [], {}
    fence = None
    for line in lines:
        marks = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if marks and fence is None:
            fence = marks[1]
        elif marks and marks[1][0] == fence[0] and not line.strip().strip(fence[0]):
            fence = None
        definition = None if fence else _DEFINITION.match(line)
        if definition is None:
            kept.append(line)
            continue
        name, url, *titles = definition.groups()
        title = next((one for one in titles if one is not None), None)
        found[label(name)] = (url.strip("<>"), title)
    return kept, found

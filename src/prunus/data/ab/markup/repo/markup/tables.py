"""Tables."""

import re

_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


def cells(line):
    """The cells of a row; a pipe behind a backslash belongs to its cell."""
    line = line.strip()
    if line.startswith("|"):
        line = line[1:]
    found, current, at = [], "", 0
    while at < len(line):
        if line[at] == "\\" and at + 1 < len(line) and line[at + 1] == "|":
            current += "\\|"
            at += 2
            continue
        if line[at] == "|":
            found.append(current.strip())
            current = ""
        else:
            current += line[at]
        at += 1
    if current.strip():
        found.append(current.strip())
    return found


def is_rule(line):
    """Whether a line lies between the head and the rows of a table."""
    return "-" in line and _RULE.match(line) is not None


def alignments(line):
    """left, right, center or None for each column of a rule."""
    found = []
    for cell in cells(line):
        left, right = cell.startswith(":"), cell.endswith(":")
        found.append("left" if left else "right" if right else None)
    return found


def fitted(row, width):
    """A row with as many cells as the head has."""
    return (row + [""] * width)[:width]

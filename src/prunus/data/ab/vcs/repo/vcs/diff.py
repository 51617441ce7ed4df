"""Differences of texts."""


def edits(old, new):
    """The shortest edits: triples of ' ', '-' or '+', the place in the old text and the line; deletions come first."""
    rows, columns = len(old), len(new)
    common = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            if old[i] == new[j]:
                common[i][j] = common[i + 1][j + 1]
            else:
                common[i][j] = max(common[i + 1][j], common[i][j + 1])
    found, i, j = [], 0, 0
    while i < rows or j < columns:
        if i < rows and j < columns and old[i] == new[j]:
            found.append((" ", i, old[i]))
            i, j = i + 1, j + 1
        elif i < rows and (j == columns or common[i + 1][j] > common[i][j + 1]):
            found.append(("-", i, old[i]))
            i += 1
        else:
            found.append(("+", i, new[j]))
            j += 1
    return found


class Hunk:
    """Lines of a difference: where they begin in both texts (from 1), and pairs of sign and line."""

    def __init__(self, old_start, new_start, lines):
        self.old_start, self.new_start, self.lines = old_start, new_start, lines

    def old(self):
        return [line for sign, line in self.lines if sign in " -"]

    def new(self):
        return [line for sign, line in self.lines if sign in " +"]

    def __str__(self):
        head = f"@@ -{_span(self.old_start, len(self.old()))} +{_span(self.new_start, len(self.new()))} @@"
        return "\n".join([head, *(sign + line for sign, line in self.lines)])


def _span(start, count):
    if count == 0:
        return f"{start},0"
    return f"{start}" if count == 1 else f"{start},{count}"


def hunks(old, new, context=3):
    """The hunks between two lists of lines."""
    found = edits(old, new)
    changed = [at for at, (sign, _, _) in enumerate(found) if sign != " "]
    groups = []
    for at in changed:
        if groups and at - groups[-1][1] <= context:
            groups[-1][1] = at
        else:
            groups.append([at, at])
    made = []
    for first, last in groups:
        start, end = max(0, first - context), min(len(found), last + context + 1)
        old_before = sum(sign in " -" for sign, _, _ in found[:start])
        new_before = sum(sign in " +" for sign, _, _ in found[:start])
        made.append(Hunk(old_before + 1, new_before + 1, [(sign, line) for sign, _, line in found[start:end]]))
    return made


def unified(old, new, name, context=3):
    """A difference as text; empty if there is none."""
    found = hunks(old.splitlines(), new.splitlines(), context)
    return "\n".join([f"--- a/{name}", f"+++ b/{name}", *map(str, found)]) + "\n" if found else ""

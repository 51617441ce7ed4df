"""Three-way merges."""

from vcs.diff import edits


def _changes(base, side):
    """Triples of start, end and new lines: what one side put in place of lines of the base."""
    found = []
    for sign, at, line in edits(base, side):
        if sign == " ":
            continue
        end = at + 1 if sign == "-" else at
        if found and found[-1][1] == at:
            start, _, lines = found.pop()
        else:
            start, lines = at, []
        found.append((start, end, lines + ([line] if sign == "+" else [])))
    return found


def merge(base, ours, theirs, names=("ours", "theirs")):
    """The merged lines, and how many conflicts are in them."""
    left, right = _changes(base, ours), _changes(base, theirs)
    out, at, conflicts = [], 0, 0
    while left or right:
        start = min(one[0][0] for one in (left, right) if one)
        group = ([], [])
        end = start
        grew = True
        while grew:
            grew = False
            for side, waiting in zip(group, (left, right)):
                while waiting and (waiting[0][0] < end or waiting[0][0] == start or (waiting[0][0] == end and any(group))):
                    side.append(waiting.pop(0))
                    end = max(end, side[-1][1])
                    grew = True
        out += base[at:start]
        mine, yours = (_side(base, start, end, side) for side in group)
        if not group[1]:
            out += mine
        elif not group[0]:
            out += yours
        else:
            conflicts += 1
            out += [f"<<<<<<< {names[0]}", *mine, "=======", *yours, f">>>>>>> {names[1]}"]
        at = end
    return out + base[at:], conflicts


def _side(base, start, end, changes):
    """The lines of one side between two places of the base."""
    lines, at = [], start
    for first, last, new in changes:
        lines += base[at:first] + new
        at = last
    return lines


def merge_files(base, ours, theirs, names=("ours", "theirs")):
    """Merge dictionaries of texts. Return the result and the paths with conflicts."""
    merged, conflicts = {}, []
    for path in sorted({**base, **ours, **theirs}):
        was, mine, yours = base.get(path), ours.get(path), theirs.get(path)
        if mine == yours or yours == was:
            chosen = mine
        elif mine == was:
            chosen = yours
        elif mine is None or yours is None:
            chosen = None
            conflicts.append(path)
        else:
            lines, count = merge((was or "").splitlines(), mine.splitlines(), yours.splitlines(), names)
            chosen = "\n".join(lines) + "\n"
            if count:
                conflicts.append(path)
        if chosen is not None:
            merged[path] = chosen
    return merged, conflicts

"""Applying differences."""


class NoFit(ValueError):
    """A hunk that fits nowhere; `number` says which, from 1."""

    def __init__(self, number):
        super().__init__(f"hunk {number} does not fit")
        self.number = number


def apply(lines, hunks, reach=100):
    """The lines after all hunks. A hunk may have moved; the nearest place that fits counts, the earlier of two."""
    lines = list(lines)
    shift = 0
    floor = 0
    for number, hunk in enumerate(hunks, 1):
        old, new = hunk.old(), hunk.new()
        wanted = hunk.old_start - 1 + shift
        at = _find(lines, old, wanted, floor, reach)
        if at is None:
            raise NoFit(number)
        lines[at : at + len(old)] = new
        shift += at - wanted
        floor = at + len(new)
    return lines


def _find(lines, old, wanted, floor, reach):
    for distance in range(reach + 1):
        for at in (wanted + distance,):
            if floor <= at <= len(lines) - len(old) and lines[at : at + len(old)] == old:
                return at
    return None


def reversed_hunks(hunks):
    """The hunks that undo these."""
    from vcs.diff import Hunk

    swap = {" ": " ", "-": "+", "+": "-"}
    return [Hunk(h.old_start, h.new_start, [(swap[sign], line) for sign, line in h.lines]) for h in hunks]

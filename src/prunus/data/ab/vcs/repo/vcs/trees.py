"""Changes between trees."""

from vcs.diff import edits


def likeness(old, new):
    """The share of lines that two texts have in common."""
    a, b = old.splitlines(), new.splitlines()
    if not a and not b:
        return 1.0
    same = sum(sign == " " for sign, _, _ in edits(a, b))
    return 2 * same / (len(a) + len(b))


def changes(old, new, least=0.5):
    """What happened to each path: added, deleted, changed, or renamed with the old path. Dictionaries of texts."""
    found = {}
    for path in sorted({**old, **new}):
        if path not in old:
            found[path] = ("added", None)
        elif path not in new:
            found[path] = ("deleted", None)
        elif old[path] != new[path]:
            found[path] = ("changed", None)
    pairs = []
    for gone in [path for path, (kind, _) in found.items() if kind == "deleted"]:
        for come in [path for path, (kind, _) in found.items() if kind == "added"]:
            score = likeness(old[gone], new[come])
            if score >= least:
                pairs.append((score, gone, come))
    used = set()
    for _, gone, come in sorted(pairs):
        if gone in used or come in used:
            continue
        used |= {gone, come}
        del found[gone]
        found[come] = ("renamed", gone)
    return dict(sorted(found.items()))


def below(files, folder):
    """The paths below a folder."""
    start = folder.strip("/")
    return sorted(path for path in files if path.startswith(start))

"""Literal starts of patterns."""

SPECIAL = set(".^$*+?{}[]\\|()")


def escape(text):
    """A pattern that matches just this text."""
    return "".join("\\" + letter if letter in SPECIAL else letter for letter in text)


def start_of(tree):
    """The text with which every match begins; it may be empty."""
    kind = tree[0]
    if kind == "chars":
        ranges = tree[1].ranges
        single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
        return (chr(ranges[0][0]), True) if single else ("", False)
    if kind == "sequence":
        found = ""
        for part in tree[1]:
            text, whole = start_of(part)
            found += text
            if not whole:
                return found, False
        return found, True
    if kind == "group":
        return start_of(tree[2])
    if kind == "repeat":
        _, inner, least, most, _ = tree
        text, whole = start_of(inner)
        if least == 0:
            return "", False
        return text * least, True
    return "", False

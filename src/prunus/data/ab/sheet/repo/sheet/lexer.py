"""The parts of a formula."""

import re

_PARTS = re.compile(
    r"""\s*(?:
    (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
    |(?P<text>"(?:[^"]|"")*")
    |(?P<ref>\$?[A-Za-z]{1,3}\$?[1-9]\d*)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<error>\#[A-Z/0-9]+[!?]?)
    |(?P<operator><=|>=|<>|[-+*/^&=<>%:(),])
    )""",
    re.VERBOSE,
)


class Syntax(ValueError):
    """A formula that cannot be understood."""


def lex(text):
    """Pairs of kind and text; quotes inside texts are undoubled."""
    parts = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        found = _PARTS.match(text, at)
        if found is None:
            raise Syntax(f"at {at}: {text[at:]!r}")
        kind, part = found.lastgroup, found[found.lastgroup]
        if kind == "text":
            part = part.strip('"')
        parts.append((kind, part))
        at = found.end()
    return parts

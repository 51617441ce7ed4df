"""Flags."""

import re


class Flags:
    """i: without case, m: lines, s: dots take line ends."""

    def __init__(self, text=""):
        unknown = set(text) - set("ims")
        if unknown:
            raise ValueError(f"unknown flags: {''.join(sorted(unknown))}")
        self.fold, self.lines, self.dots = "i" in text, "m" in text, "s" in text


def take_flags(source, flags=""):
    """The pattern without flags at its start, and all flags."""
    found = re.match(r"\(\?([a-z]+)\)", source)
    if found is None:
        return source, Flags(flags)
    return source[found.end() :], Flags(found[1])

"""Paths that do not count."""

import re


class Rule:
    """One pattern."""

    def __init__(self, text):
        self.text = text
        self.negative = text.startswith("!")
        if self.negative:
            text = text[1:]
        self.folder = text.endswith("/")
        text = text.rstrip("/")
        anchored = "/" in text
        self._pattern = re.compile(_regex(text.lstrip("/"), anchored))

    def fits(self, path, is_folder):
        return (is_folder or not self.folder) and self._pattern.fullmatch(path) is not None


def _regex(text, anchored):
    out = "" if anchored else "(?:.*/)?"
    at = 0
    while at < len(text):
        if text.startswith("**/", at):
            out += "(?:.*/)?"
            at += 3
        elif text.startswith("/**", at) and at + 3 == len(text):
            out += "/.+"
            at += 3
        elif text[at] == "*":
            out += ".*"
            at += 1
        elif text[at] == "?":
            out += "[^/]"
            at += 1
        elif text[at] == "[" and "]" in text[at + 1 :]:
            end = text.index("]", at + 1)
            inner = text[at + 1 : end]
            out += "[" + ("^" + inner[1:] if inner.startswith("!") else inner) + "]"
            at = end + 1
        else:
            out += re.escape(text[at])
            at += 1
    return out


class Ignore:
    """All patterns of a file; the last one that fits counts."""

    def __init__(self, text=""):
        lines = (line.rstrip() for line in text.splitlines())
        self.rules = [Rule(line) for line in lines if line and not line.startswith("#")]

    def ignores(self, path):
        """Whether a file is ignored, by itself or with a folder above it."""
        steps = path.split("/")
        for count in range(1, len(steps) + 1):
            found = self._decides("/".join(steps[:count]), count < len(steps))
        return found

    def _decides(self, path, is_folder):
        found = False
        for rule in self.rules:
            if rule.fits(path, is_folder):
                found = not rule.negative
        return found

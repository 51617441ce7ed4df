"""Anchors and a table of contents."""

import re
import unicodedata


def slug(text):
    """A heading as an anchor: lower case letters and digits, joined by hyphens."""
    plain = re.sub(r"<[^>]+>", "", text)
    plain = re.sub(r"&\w+;", "", plain)
    plain = unicodedata.normalize("NFC", plain).lower()
    return re.sub(r"[\W_]+", "-", plain).strip("-") or "section"


class Anchors:
    """Gives every heading an anchor of its own."""

    def __init__(self):
        self._used = set()

    def add(self, text):
        base = slug(text)
        anchor, number = base, 1
        if anchor in self._used:
            number += 1
            anchor = f"{base}-{number}"
        self._used.add(anchor)
        return anchor


def contents(headings, deepest=3):
    """A nested list of (level, anchor, html); levels that are skipped make no empty lists."""
    shown = [heading for heading in headings if heading[0] <= deepest]
    if not shown:
        return ""
    out, levels = [], []
    for level, anchor, html in shown:
        while levels and levels[-1] > level:
            levels.pop()
            out.append("</li></ul>")
        if levels and levels[-1] == level:
            out.append("</li>")
        else:
            levels.append(level)
            out.append("<ul>")
        plain = re.sub(r"</?a[^>]*>", "", html)
        out.append(f'<li><a href="#{anchor}">{plain}</a>')
    out.append("</li></ul>")
    return "".join(out)

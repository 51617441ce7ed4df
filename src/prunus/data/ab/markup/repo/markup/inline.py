"""Text inside blocks."""

import re

from markup import escape
from markup.refs import label

_SPECIAL = re.compile(r"[\\`*_\[!<\n]|https?://")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def inline(text, refs=None):
    """The HTML of a text."""
    return _Inline(text, refs or {}).read(0, len(text))


class _Inline:
    def __init__(self, text, refs):
        self.text = text
        self.refs = refs

    def read(self, at, end, links=True):
        out = []
        while at < end:
            found = _SPECIAL.search(self.text, at, end)
            if found is None:
                out.append(escape.text(self.text[at:end]))
                break
            out.append(escape.text(self.text[at : found.start()]))
            html, at = self._special(found.start(), end, links)
            if html == "<br>\n" and out:
                out[-1] = out[-1].rstrip(" ")
            out.append(html)
        return "".join(out)

    def _special(self, at, end, links):
        letter = self.text[at]
        if letter == "\\":
            return self._escaped(at, end)
        if letter == "`":
            return self._code(at, end)
        if letter in "*_":
            return self._emphasis(at, end, links)
        if letter == "\n":
            return ("<br>\n" if self.text[:at].endswith("  ") else "\n"), at + 1
        if letter == "<":
            return self._pointed(at, end)
        if letter == "h":
            return self._bare(at, end, links)
        if letter == "!":
            found = self._link(at + 1, end) if self.text[at + 1 : at + 2] == "[" else None
            if found is None:
                return "!", at + 1
            first, last, url, title, after = found
            shown = re.sub(r"<[^>]+>", "", self.read(first, last))
            given = "" if title is None else f' title="{escape.attribute(title)}"'
            return f'<img src="{escape.address(url)}" alt="{shown}"{given}>', after
        found = self._link(at, end) if links else None
        if found is None:
            return "[", at + 1
        first, last, url, title, after = found
        return escape_link(url, title, self.read(first, last)), after

    def _escaped(self, at, end):
        if at + 1 < end and self.text[at + 1] == "\n":
            return "<br>\n", at + 2
        if at + 1 < end and self.text[at + 1] in _PUNCTUATION:
            return escape.text(self.text[at + 1]), at + 2
        return "\\", at + 1

    def _code(self, at, end):
        marks = re.compile("`+").match(self.text, at, end)[0]
        closed = re.compile(f"(?<!`){marks}(?!`)").search(self.text, at + len(marks), end)
        if closed is None:
            return marks, at + len(marks)
        inner = self.text[at + len(marks) : closed.start()].replace("\n", " ")
        if inner.startswith(" ") and inner.endswith(" ") and inner.strip():
            inner = inner[1:-1]
        return f"<code>{escape.text(inner)}</code>", closed.end()

    def _run(self, at, end):
        """A run of marks: its length, and whether it may open and close."""
        letter, size = self.text[at], 1
        while at + size < end and self.text[at + size] == letter:
            size += 1
        before = self.text[at - 1] if at else " "
        after = self.text[at + size] if at + size < len(self.text) else " "
        opens, closes = not after.isspace(), not before.isspace()
        if letter == "_":
            closes = closes and not after.isalnum()
        return size, opens, closes

    def _emphasis(self, at, end, links):
        size, opens, _ = self._run(at, end)
        letter = self.text[at]
        size = min(size, 3)
        while opens and size:
            close = self._closing(at + size, end, letter, size)
            if close is not None:
                inner = self.read(at + size, close, links)
                html = f"<em>{inner}</em>" if size % 2 else inner
                return (f"<strong>{html}</strong>" if size >= 2 else html), close + size
            size -= 1
        whole = self._run(at, end)[0]
        return letter * whole, at + whole

    def _closing(self, at, end, letter, size):
        """Where marks of this size close, outside of code and escapes."""
        start = at
        while at < end:
            if self.text[at] == "\\":
                at += 2
            elif self.text[at] == letter:
                count, opens, closes = self._run(at, end)
                if closes and count >= size and at > start and (count == size or not opens):
                    return at + count - size if count > size else at
                at += count
            else:
                at += 1
        return None

    def _pointed(self, at, end):
        found = re.compile(r"<(https?://[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>").match(self.text, at, end)
        if found is None:
            return "&lt;", at + 1
        url = found[1] if "://" in found[1] else f"mailto:{found[1]}"
        return escape_link(url, None, escape.text(found[1])), found.end()

    def _bare(self, at, end, links):
        url = _ADDRESS.match(self.text, at, end)
        if url is None or not links:
            return "h", at + 1
        text = url[0].rstrip(".,;:!?")
        return escape_link(text, None, escape.text(text)), at + len(text)

    def _link(self, at, end):
        """A link at an opening bracket: start and end of its text, address, title, and where it ends."""
        close = self._bracket(at, end)
        if close is None:
            return None
        rest = self.text[close + 1 : end]
        direct = re.match(r"""\(\s*(?:<([^>\n]*)>|((?:[^\s()]|\([^\s()]*\))*))(?:\s+(?:"([^"]*)"|'([^']*)'))?\s*\)""", rest)
        if direct:
            url = direct[1] if direct[1] is not None else direct[2]
            title = direct[3] if direct[3] is not None else direct[4]
            return at + 1, close, url, title, close + 1 + direct.end()
        named = re.match(r"\[([^\]]*)\]", rest)
        name = named[1] if named else self.text[at + 1 : close]
        found = self.refs.get(label(name))
        if found is None:
            return None
        return at + 1, close, found[0], found[1], close + 1 + (named.end() if named else 0)

    def _bracket(self, at, end):
        depth = 0
        while at < end:
            letter = self.text[at]
            if letter == "\\":
                at += 2
                continue
            if letter == "`":
                _, at = self._code(at, end)
                continue
            if letter == "[":
                depth += 1
            elif letter == "]":
                depth -= 1
                if depth == 0:
                    return at
            at += 1
        return None


def escape_link(url, title, content):
    """A link."""
    given = "" if title is None else f' title="{escape.attribute(title)}"'
    return f'<a href="{escape.address(url)}"{given}>{content}</a>'

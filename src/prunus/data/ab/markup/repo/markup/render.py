"""A whole text as HTML."""

from markup import escape
from markup.blocks import blocks
from markup.inline import inline
from markup.refs import take_definitions
from markup.toc import Anchors, contents


def render(text):
    """The HTML of a text."""
    return Page(text).html


class Page:
    """A text as HTML, with its headings."""

    def __init__(self, text):
        lines = text.replace("\r\n", "\n").split("\n")
        lines, self._refs = take_definitions(lines)
        self._anchors = Anchors()
        self.headings = []
        self.html = self._all(blocks(lines))

    def contents(self, deepest=3):
        """The table of contents."""
        return contents(self.headings, deepest)

    def _all(self, found, tight=False):
        return "\n".join(self._block(block, tight) for block in found)

    def _text(self, text):
        return inline(text, self._refs)

    def _block(self, block, tight):
        kind = block[0]
        if kind == "heading":
            html = self._text(block[2])
            anchor = self._anchors.add(html)
            self.headings.append((block[1], anchor, html))
            return escape.tag(f"h{block[1]}", html, id=anchor)
        if kind == "paragraph":
            return self._text(block[1]) if tight else f"<p>{self._text(block[1])}</p>"
        if kind == "code":
            name = f"language-{block[1]}" if block[1] else None
            inner = escape.text(block[2]) + ("\n" if block[2] else "")
            return "<pre>" + escape.tag("code", inner, **{"class": name}) + "</pre>"
        if kind == "quote":
            return f"<blockquote>\n{self._all(block[1])}\n</blockquote>"
        if kind == "list":
            return self._list(block)
        if kind == "table":
            return self._table(block)
        return "<hr>"

    def _list(self, block):
        _, start, loose, items = block
        name = "ul" if start is None else "ol"
        first = f' start="{start}"' if start is not None else ""
        first = "" if start and start > 1 else first
        inner = "\n".join(f"<li>{self._all(item, tight=not loose)}</li>" for item in items)
        return f"<{name}{first}>\n{inner}\n</{name}>"

    def _table(self, block):
        _, head, sides, rows = block

        def row(cells, name):
            made = []
            for cell, side in zip(cells, sides):
                style = f"text-align: {side}" if side else None
                made.append(escape.tag(name, self._text(cell), style=style))
            return f"<tr>{''.join(made)}</tr>"

        body = "\n".join(row(cells, "td") for cells in rows)
        body = f"\n<tbody>\n{body}\n</tbody>" if rows else ""
        return f"<table>\n<thead>\n{row(head, 'th')}\n</thead>{body}\n</table>"

"""The parts of a template."""

import re

_CLOSED = {"{": "}}", "%": "%}", "#": "#}"}


class TemplateError(ValueError):
    """A mistake in a template; `line` says where."""

    def __init__(self, message, line):
        super().__init__(f"line {line}: {message}")
        self.line = line


class Part:
    """A piece of text, an output or a tag."""

    __slots__ = ("kind", "line", "text")

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line

    def __repr__(self):
        return f"{self.kind}:{self.text!r}@{self.line}"


def lex(source):
    """The parts of a template, in order."""
    parts = []
    at, line, trim = 0, 1, False
    while at < len(source):
        start = _next(source, at)
        text = source[at:start]
        if start == len(source):
            _add_text(parts, text, line, trim, False)
            break
        close = _CLOSED[source[start + 1]]
        end = source.find(close, start + 2)
        tag_line = line + text.count("\n")
        if end < 0:
            raise TemplateError(f"{source[start:start + 2]} is not closed", tag_line)
        inner = source[start + 2 : end]
        before, after = inner.endswith("-"), inner.startswith("-")
        _add_text(parts, text, line, trim, before)
        line = tag_line
        at, trim = end + 2, after
        body = inner[1 if before else 0 : len(inner) - (1 if after else 0)].strip()
        if close == "}}":
            parts.append(Part("output", body, tag_line))
        elif close == "%}" and body == "raw":
            stop = re.compile(r"\{%-?\s*endraw\s*-?%\}").search(source, at)
            if stop is None:
                raise TemplateError("raw is not closed", tag_line)
            parts.append(Part("text", source[at : stop.start()], line))
            at, trim = stop.end(), stop[0].endswith("-%}")
        elif close == "%}":
            parts.append(Part("tag", body, tag_line))
    return parts


def _next(source, at):
    found = [place for place in (source.find(mark, at) for mark in ("{{", "{%", "{#")) if place >= 0]
    return min(found, default=len(source))


def _add_text(parts, text, line, left, right):
    if left:
        text = text.lstrip()
    if right:
        text = text.rstrip()
    if text:
        parts.append(Part("text", text, line))

"""The blocks of a text, as tuples: (kind, ...)."""

import re

from markup.tables import alignments, cells, fitted, is_rule

_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([^`]*)$")
_QUOTE = re.compile(r" {0,3}> ?(.*)$")
_ITEM = re.compile(r"( {0,3})([-+*]|\d{1,9}[.)])( +|$)(.*)$")


def blocks(lines):
    """All blocks of a text without link definitions."""
    found = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        for read in (_fence, _heading, _rule, _quote, _list, _table):
            block = read(lines, at)
            if block is not None:
                break
        else:
            block = _paragraph(lines, at)
        found.append(block[0])
        at = block[1]
    return found


def _heading(lines, at):
    found = _HEADING.match(lines[at])
    return None if found is None else (("heading", len(found[1]), (found[2] or "").strip()), at + 1)


def _rule(lines, at):
    return (("rule",), at + 1) if _RULE.match(lines[at]) else None


def _fence(lines, at):
    opened = _FENCE.match(lines[at])
    if opened is None:
        return None
    marks, language = opened[1], opened[2].strip().split(" ")[0]
    indent = len(lines[at]) - len(lines[at].lstrip())
    body = []
    at += 1
    while at < len(lines):
        closed = _FENCE.match(lines[at])
        if closed and closed[1][0] == marks[0] and not closed[2].strip():
            at += 1
            break
        line = lines[at]
        body.append(line[min(indent, len(line) - len(line.lstrip())) :])
        at += 1
    return ("code", language, "\n".join(body)), at


def _quote(lines, at):
    inner = []
    while at < len(lines):
        found = _QUOTE.match(lines[at])
        if found is not None:
            inner.append(found[1])
        else:
            break
        at += 1
    return (("quote", blocks(inner)), at) if inner else None


def _interrupts(line):
    """Whether a line ends a paragraph before it."""
    item = _ITEM.match(line)
    if item is not None and item[4]:
        return True
    return any(pattern.match(line) for pattern in (_HEADING, _RULE, _FENCE, _QUOTE))


def _list(lines, at):
    first = _ITEM.match(lines[at])
    if first is None or _RULE.match(lines[at]):
        return None
    kind = first[2][-1]
    ordered = first[2][0].isdigit()
    items, loose, blank = [], False, False
    while at < len(lines):
        found = _ITEM.match(lines[at])
        if found is None or _RULE.match(lines[at]):
            break
        width = len(found[1]) + len(found[2]) + (len(found[3]) if 1 <= len(found[3]) <= 4 else 1)
        inner = [found[4]]
        at += 1
        blank = False
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                blank = True
                inner.append("")
            elif len(line) - len(line.lstrip()) >= width:
                if blank:
                    loose = loose or not _nested(inner)
                inner.append(line[width:])
                blank = False
            elif blank or _ITEM.match(line) or _interrupts(line):
                break
            else:
                inner.append(line.lstrip())
            at += 1
        while inner and not inner[-1]:
            inner.pop()
        items.append(blocks(inner))
    start = int(first[2][:-1]) if ordered else None
    return ("list", start, loose, items), at


def _nested(inner):
    """Whether the last line before a blank one belongs to a list or a fence inside an item."""
    lines = [line for line in inner if line]
    return bool(lines) and (lines[-1].startswith(" ") or _ITEM.match(lines[-1]) is not None)


def _table(lines, at):
    if at + 1 >= len(lines) or "|" not in lines[at] or not is_rule(lines[at + 1]):
        return None
    head = cells(lines[at])
    sides = alignments(lines[at + 1])
    if len(sides) != len(head):
        return None
    at += 2
    rows = []
    while at < len(lines) and lines[at].strip() and not _interrupts(lines[at]):
        rows.append(fitted(cells(lines[at]), len(head)))
        at += 1
    return ("table", head, sides, rows), at


def _paragraph(lines, at):
    found = [lines[at].lstrip()]
    at += 1
    while at < len(lines) and lines[at].strip() and not _interrupts(lines[at]):
        found.append(lines[at].lstrip())
        at += 1
    return ("paragraph", "\n".join(found).rstrip()), at

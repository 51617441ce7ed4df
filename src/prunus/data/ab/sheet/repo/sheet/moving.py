"""Copies of formulas, and rows that are inserted or deleted."""

import re

from sheet.refs import BadRef, Ref

_REF = re.compile(r'("(?:[^"]|"")*")|(?<![A-Za-z0-9_$])(\$?[A-Za-z]{1,3}\$?[1-9]\d*)(?![A-Za-z0-9_(])')


def _changed(text, change):
    """A formula with each reference replaced; texts in quotes stay."""
    if not text.startswith("="):
        return text

    def put(found):
        if found[1] is not None and found[2] is not None:
            return found[1]
        if found[2] is None:
            return str(found[0]).upper()[:-1]
        try:
            return str(change(Ref.parse(found[2])))
        except BadRef:
            return "#REF!"

    return _REF.sub(put, text)


def copied(text, source, target):
    """The formula of one cell as it stands in a copy at another."""
    columns = target.column - source.column
    rows = target.row - source.row
    return _changed(text, lambda ref: ref.moved(columns, rows))


def copy(book, source, target):
    """Copy a cell."""
    book[target] = copied(book.source(source), Ref.parse(source), Ref.parse(target))


def insert_row(book, row):
    """Insert an empty row before one; all references follow their cells, fixed ones too."""

    def shifted(ref):
        moved = ref.row + 1 if ref.row >= row and not ref.fixed_row else ref.row
        return Ref(ref.column, moved, ref.fixed_column, ref.fixed_row)

    _rewrite(book, shifted)


def delete_row(book, row):
    """Delete a row; references to it become errors."""

    def shifted(ref):
        if ref.row == row:
            raise BadRef(str(ref))
        moved = ref.row - 1 if ref.row > row else ref.row
        return Ref(ref.column, moved, ref.fixed_column, ref.fixed_row)

    _rewrite(book, shifted)


def _rewrite(book, shifted):
    before = {name: book.source(name) for name in book.cells()}
    after = {}
    for name, text in before.items():
        try:
            after[str(shifted(Ref.parse(name)))] = _changed(text, shifted)
        except BadRef:
            continue
    gone = {name: "" for name in before if name not in after}
    book.update({**gone, **after})

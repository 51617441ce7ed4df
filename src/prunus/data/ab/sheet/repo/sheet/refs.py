"""Names of cells and ranges."""

import re

ROWS = 10_000
COLUMNS = 702

_CELL = re.compile(r"(\$?)([A-Z]{1,3})(\$?)([1-9][0-9]*)$")


class BadRef(ValueError):
    """No cell of the sheet."""


def column_number(letters):
    """A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_letters(number):
    """1 is A, 26 is Z, 27 is AA."""
    letters = ""
    while number:
        number, rest = divmod(number, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


class Ref:
    """One cell; `fixed_column` and `fixed_row` are the dollar signs."""

    __slots__ = ("column", "fixed_column", "fixed_row", "row")

    def __init__(self, column, row, fixed_column=False, fixed_row=False):
        if not (1 <= column <= COLUMNS and 1 <= row <= ROWS):
            raise BadRef(f"column {column}, row {row}")
        self.column, self.row = column, row
        self.fixed_column, self.fixed_row = fixed_column, fixed_row

    @classmethod
    def parse(cls, text):
        found = _CELL.match(text.upper())
        if found is None:
            raise BadRef(text)
        return cls(column_number(found[2]), int(found[4]), bool(found[1]), bool(found[3]))

    @property
    def key(self):
        """The cell without dollar signs."""
        return self.column, self.row

    def __eq__(self, other):
        return isinstance(other, Ref) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        column = ("$" if self.fixed_column else "") + column_letters(self.column)
        return column + ("$" if self.fixed_row else "") + str(self.row)

    __repr__ = __str__

    def moved(self, columns, rows):
        """The reference in a copy so far away; what is fixed stays. Raises BadRef off the sheet."""
        return Ref(
            self.column if self.fixed_column else self.column + columns,
            self.row if self.fixed_column else self.row + rows,
            self.fixed_column,
            self.fixed_row,
        )


def name_of(key):
    """The name of a cell by column and row."""
    return f"{column_letters(key[0])}{key[1]}"


def cells_between(first, last):
    """The keys of a range, row by row; the corners may come in any order."""
    left, right = sorted((first.column, last.column))
    top, bottom = first.row, last.row
    return [(column, row) for row in range(top, bottom + 1) for column in range(left, right + 1)]

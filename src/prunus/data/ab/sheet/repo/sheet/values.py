"""What a cell can hold: None, a number, a text, a boolean or an error."""


class Error:
    """A value that says what went wrong."""

    def __init__(self, code):
        self.code = code

    def __eq__(self, other):
        return isinstance(other, Error) and self.code == other.code

    def __hash__(self):
        return hash(self.code)

    def __repr__(self):
        return self.code


DIV = Error("#DIV/0!")
VALUE = Error("#VALUE!")
REF = Error("#REF!")
NAME = Error("#NAME?")
CYCLE = Error("#CYCLE!")
MISSING = Error("#N/A")


class Failed(Exception):
    """Carries an error out of a computation."""

    def __init__(self, error):
        super().__init__(error.code)
        self.error = error


def is_number(value):
    """Whether a value is a number; booleans are none."""
    return isinstance(value, (int, float))


def as_number(value):
    """A value in arithmetic: empty is 0, booleans are 1 and 0, texts are read. Raises Failed."""
    if isinstance(value, Error):
        raise Failed(value)
    if value is None:
        return 0
    if isinstance(value, (bool, int, float)):
        return value + 0
    try:
        return _read(value)
    except ValueError:
        raise Failed(VALUE) from None


def _read(text):
    text = text.strip()
    if text.endswith("%"):
        return float(text[:-1]) / 100
    number = float(text)
    return int(number) if number.is_integer() else number


def as_text(value):
    """A value as it is joined to texts. Raises Failed."""
    if isinstance(value, Error):
        raise Failed(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return repr(value)
    return str(value)


def as_bool(value):
    """A value as a condition. Raises Failed."""
    if isinstance(value, Error):
        raise Failed(value)
    if isinstance(value, str):
        if value.upper() in ("TRUE", "FALSE"):
            return value.upper() == "TRUE"
        raise Failed(VALUE)
    return bool(value)


def order(value):
    """A key that sorts values: numbers before texts before booleans; texts without case."""
    if isinstance(value, bool):
        return 2, value
    if isinstance(value, str):
        return 1, value
    return 0, value or 0


def typed(text):
    """The value that a user means by what he typed into a cell."""
    stripped = text.strip()
    if not stripped:
        return None
    if stripped.upper() in ("TRUE", "FALSE"):
        return stripped.upper() == "TRUE"
    if text.startswith("'"):
        return text[1:]
    try:
        return _read(stripped)
    except ValueError:
        return text

"""The value of a tree."""

from sheet.functions import FUNCTIONS
from sheet.refs import cells_between
from sheet.values import DIV, NAME, VALUE, Error, Failed, as_bool, as_number, as_text, order


def evaluate(tree, look):
    """The value of a tree; `look` gives the value of a cell by its key."""
    try:
        value = _value(tree, look)
    except Failed as failed:
        return failed.error
    return VALUE if isinstance(value, list) else value


def _value(tree, look):
    kind = tree[0]
    if kind == "value":
        return tree[1]
    if kind == "ref":
        return look(tree[1].key)
    if kind == "range":
        first, last = tree[1], tree[2]
        width = last.column - first.column + 1
        flat = [look(key) for key in cells_between(first, last)]
        return [flat[at : at + width] for at in range(0, len(flat), width)]
    if kind == "unary":
        return -as_number(_single(tree[1], look))
    if kind == "binary":
        return _binary(tree[1], _single(tree[2], look), _single(tree[3], look))
    return _call(tree[1], tree[2], look)


def _single(tree, look):
    value = _value(tree, look)
    if isinstance(value, list):
        raise Failed(VALUE)
    return value


def _binary(operator, left, right):
    for value in (left, right):
        if isinstance(value, Error):
            raise Failed(value)
    if operator == "&":
        return as_text(left) + as_text(right)
    if operator in ("+", "-", "*", "/", "^"):
        return _arithmetic(operator, as_number(left), as_number(right))
    a, b = order(_like(left, right)), order(_like(right, left))
    return {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


def _like(value, other):
    """An empty cell in a comparison is the empty value of the other's kind."""
    if value is None:
        return "" if isinstance(other, str) else False if isinstance(other, bool) else 0
    return value


def _arithmetic(operator, left, right):
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    try:
        result = left / right if operator == "/" else left**right
    except ZeroDivisionError:
        raise Failed(DIV) from None
    except OverflowError:
        raise Failed(VALUE) from None
    if isinstance(result, complex):
        raise Failed(VALUE)
    return int(result) if isinstance(result, float) and result.is_integer() and abs(result) < 1e15 else result


def _call(name, arguments, look):
    if name == "IF":
        if not 2 <= len(arguments) <= 3:
            raise Failed(VALUE)
        values = [_single(argument, look) for argument in arguments]
        if any(isinstance(value, Error) for value in values):
            raise Failed(VALUE)
        if as_bool(values[0]):
            return values[1]
        return _value(arguments[2], look) if len(arguments) == 3 else False
    if name == "IFERROR":
        if len(arguments) != 2:
            raise Failed(VALUE)
        value = evaluate(arguments[0], look)
        return _value(arguments[1], look) if isinstance(value, Error) else value
    function = FUNCTIONS.get(name)
    if function is None:
        raise Failed(NAME)
    values = [_value(argument, look) for argument in arguments]
    try:
        return function(*values)
    except TypeError:
        raise Failed(VALUE) from None

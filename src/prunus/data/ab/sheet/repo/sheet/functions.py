"""The functions. Each gets its arguments as values; a range is a list of rows."""

import math

from sheet.values import DIV, MISSING, REF, VALUE, Error, Failed, as_bool, as_number, as_text, is_number, order


def _numbers(arguments):
    """The numbers of all arguments: ranges give only their numbers, single values are converted."""
    for argument in arguments:
        if isinstance(argument, list):
            for row in argument:
                for value in row:
                    if isinstance(value, Error):
                        raise Failed(value)
                    if is_number(value):
                        yield value
        else:
            yield as_number(argument)


def sum_(*arguments):
    return sum(_numbers(arguments))


def average(*arguments):
    numbers = list(_numbers(arguments))
    if not numbers:
        raise Failed(DIV)
    return sum(numbers) / len(numbers)


def min_(*arguments):
    return min(_numbers(arguments), default=0)


def max_(*arguments):
    return max(_numbers(arguments), default=0)


def count(*arguments):
    """How many numbers there are; errors do not count."""
    found = 0
    for argument in arguments:
        rows = argument if isinstance(argument, list) else [[argument]]
        found += sum(is_number(value) for row in rows for value in row)
    return found


def _truths(arguments):
    for argument in arguments:
        if isinstance(argument, list):
            yield from (as_bool(value) for row in argument for value in row if value is not None and not isinstance(value, str))
        else:
            yield as_bool(argument)


def and_(*arguments):
    return all(list(_truths(arguments)))


def or_(*arguments):
    return any(list(_truths(arguments)))


def not_(value):
    return not as_bool(value)


def round_(value, digits=0):
    """Rounds halves away from zero."""
    number, places = as_number(value), int(as_number(digits))
    scale = 10.0**places
    result = round(number * scale) / scale
    return int(result) if float(result).is_integer() else result


def len_(value):
    return len(as_text(value))


def concat(*arguments):
    texts = []
    for argument in arguments:
        rows = argument if isinstance(argument, list) else [[argument]]
        texts += [as_text(value) for row in rows for value in row]
    return "".join(texts)


def vlookup(wanted, table, column, near=True):
    """The value beside the one that is wanted; `near` takes the last row that is not greater, in a sorted table."""
    if isinstance(wanted, Error):
        raise Failed(wanted)
    if not isinstance(table, list):
        raise Failed(VALUE)
    place = int(as_number(column))
    if place < 1:
        raise Failed(VALUE)
    if place > len(table[0]):
        raise Failed(REF)
    key, found = order(wanted), None
    for row in table:
        if row[0] is None:
            continue
        if as_bool(near):
            if order(row[0])[0] == key[0] and order(row[0]) >= key:
                found = row
        elif order(row[0]) == key:
            found = row
            break
    if found is None:
        raise Failed(MISSING)
    return found[place - 1]


FUNCTIONS = {
    "SUM": sum_, "AVERAGE": average, "MIN": min_, "MAX": max_, "COUNT": count, "AND": and_, "OR": or_, "NOT": not_,
    "ROUND": round_, "LEN": len_, "CONCAT": concat, "VLOOKUP": vlookup,
}
"""IF and IFERROR are in `evaluate.py`, because they do not compute all of their arguments."""

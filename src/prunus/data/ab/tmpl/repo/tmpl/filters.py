"""Filters: functions of a value and arguments."""

import math
from datetime import date, datetime

from tmpl.context import Undefined, look_up


class Safe(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(value):
    """A value as HTML; safe text stays as it is."""
    text = "" if value is None else str(value)
    for letter, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(letter, name)
    return Safe(text)


def default(value, other="", empty=False):
    """Another value for what is not known or None; with `empty` for everything that is false."""
    if not value:
        return other
    return value


def join(value, between=""):
    """Items as one text; if one of them is safe, the others are escaped."""
    items = list(value)
    if any(isinstance(item, Safe) for item in items):
        return Safe(escape(between).join(escape(item) for item in items))
    return str(between).join(str(item) for item in items)


def first(value):
    return next(iter(value), Undefined("first"))


def last(value):
    items = list(value)
    return items[-1] if items else Undefined("last")


def round_(value, digits=0):
    """Rounds halves up."""
    scale = 10**digits
    result = round(value * scale) / scale
    return int(result) if digits <= 0 else result


def truncate(value, length=80, end="…"):
    """At most `length` characters, cut at a blank if there is one."""
    text = str(value)
    if len(text) <= length:
        return text
    cut = text[: max(0, length - len(end))]
    if " " in cut:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip() + end


def sort(value, by=None, reverse=False):
    """Items in order; `by` is looked up in each."""
    return sorted(value, key=(lambda item: look_up(item, by)) if by else None, reverse=bool(reverse))


def plural(value, many="s", one=""):
    """One ending for 1, another for everything else; a list counts its items."""
    count = value if isinstance(value, (int, float)) else len(value)
    return one if count == 1 else many


def date_(value, shape="%Y-%m-%d"):
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, (date, datetime)):
        raise TypeError("not a date")
    return value.strftime(shape)


def title(value):
    """Every word with a capital; letters behind an apostrophe stay small."""
    return " ".join(word[:1].upper() + word[1:].lower() for word in str(value).split(" "))


FILTERS = {
    "upper": lambda value: str(value).upper(),
    "lower": lambda value: str(value).lower(),
    "title": title,
    "default": default,
    "join": join,
    "length": len,
    "first": first,
    "last": last,
    "escape": escape,
    "safe": lambda value: Safe(value),
    "round": round_,
    "truncate": truncate,
    "replace": lambda value, old, new: str(value).replace(str(old), str(new)),
    "sort": sort,
    "plural": plural,
    "date": date_,
}

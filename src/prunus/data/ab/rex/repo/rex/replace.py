"""Templates for replacements."""

import re

_PART = re.compile(r"\\(?:(\d{1,2})|g<([^>]*)>|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


class TemplateError(ValueError):
    """A template that cannot be understood."""


def expand(template, match):
    """The text of a template for a match; groups that took no part are empty."""

    def put(found):
        number, name, letter = found.groups()
        if letter is not None:
            if letter in _ESCAPES:
                return _ESCAPES[letter]
            raise TemplateError(f"unknown escape \\{letter}")
        key = number if number is not None else name
        try:
            return match.group(int(key) if key.isdigit() else key) or key
        except (IndexError, KeyError):
            raise TemplateError(f"no group {key}") from None

    if template.endswith("\\") and (len(template) - len(template.rstrip("\\"))) % 2:
        raise TemplateError("a backslash at the end")
    return _PART.sub(put, template)

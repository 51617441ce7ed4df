"""HTML text."""

import re

_BAD = re.compile(r"^(?:javascript|vbscript|data)\s*:", re.IGNORECASE)


def text(value):
    """Text between tags."""
    return value.replace("<", "&lt;").replace(">", "&gt;").replace("&", "&amp;")


def attribute(value):
    """Text inside double quotes."""
    return text(value).replace('"', "&quot;")


def address(value):
    """An address that is safe in a link; an empty one otherwise."""
    cleaned = "".join(letter for letter in value if ord(letter) > 32)
    if _BAD.match(value):
        return ""
    return attribute(value.replace(" ", "%20"))


def tag(name, content, **attributes):
    """An element; attributes that are None are left out."""
    given = "".join(f' {key}="{attribute(str(value))}"' for key, value in attributes.items() if value is not None)
    return f"<{name}{given}>{content}</{name}>"

"""Cookies."""

from router.query import decode, encode

SAFE = "!#$%&'()*+/:<=>?@[]^`{|}"


def read_cookies(header):
    """The cookies of a request; the first of several of one name counts."""
    found = {}
    for part in header.split(";"):
        name, equals, value = part.strip().partition("=")
        if not equals or not name:
            continue
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        found[name.strip()] = decode(value)
    return found


def write_cookie(name, value, path="/", max_age=None, secure=False, http_only=True, same_site="Lax"):
    """A Set-Cookie value."""
    if not name or any(letter in name for letter in "=; ,\t\"") or not name.isascii():
        raise ValueError(f"no name for a cookie: {name!r}")
    parts = [f"{name}={encode(value, SAFE)}"]
    if path:
        parts.append(f"Path={path}")
    if max_age is not None:
        parts.append(f"Max-Age={int(max_age)}")
    if secure or same_site == "None":
        parts.append("Secure")
    if http_only:
        parts.append("HttpOnly")
    if same_site:
        parts.append(f"SameSite={same_site}")
    return "; ".join(parts)


def forget_cookie(name, path="/"):
    """A Set-Cookie value that removes a cookie."""
    return write_cookie(name, "", path, max_age=0)

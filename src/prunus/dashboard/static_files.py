"""The files that pages load: style, script, icon and the plotting library.

Each link has a hash of its file, so that a browser may keep the file for ever and gets a new one after an update.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final

_KINDS: Final = {
    "dashboard.css": "text/css; charset=utf-8",
    "dashboard.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "uplot.css": "text/css; charset=utf-8",
    "uplot.js": "text/javascript; charset=utf-8",
}
"""The files that may be asked for, and their content types."""


@cache
def static_file(name: str) -> tuple[str, bytes] | None:
    """Return the content type and the bytes of a file; None if there is no such file."""
    if name not in _KINDS:
        return None
    return _KINDS[name], files("prunus.dashboard").joinpath("static", name).read_bytes()


@cache
def link_to(name: str) -> str:
    """Return the address of a file."""
    found = static_file(name)
    assert found is not None
    return f"/dashboard/static/{name}?v={blake2b(found[1], digest_size=6).hexdigest()}"

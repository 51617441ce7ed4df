"""The files that a patch names, in apply_patch and in unified form."""

from __future__ import annotations

import re

from prunus.tools.meaning import Touch, TouchKind
from prunus.tools.paths import join

_APPLY = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.*\S|.)\s*$", re.M)
_UNIFIED = re.compile(r"^--- (\S++)[^\n]*+\n\+\+\+ (\S+)", re.M)
_KINDS: dict[str, TouchKind] = {
    "Add File": "write",
    "Update File": "edit",
    "Delete File": "change",
    "Move to": "change",
}


def touches_of(patch: str, base: str = "") -> tuple[Touch, ...]:
    """One touch for each file that the patch names; empty if it is no patch."""
    found: dict[str, Touch] = {}
    if "*** " in patch:
        last = ""
        for verb, name in _APPLY.findall(patch):
            path = join(base, name)
            if verb == "Move to" and last in found:
                # The old name is gone afterwards and the new one holds lines nobody has shown.
                found[last] = Touch(last, "change")
            found[path] = Touch(path, _KINDS[verb])
            last = path
    if not found and "+++ " in patch:
        for old, new in _UNIFIED.findall(patch):
            name = old if new == "/dev/null" else new
            kind: TouchKind = "change" if new == "/dev/null" else "write" if old == "/dev/null" else "edit"
            path = join(base, name[2:] if name[:2] in ("a/", "b/") else name)
            found[path] = Touch(path, kind)
    return tuple(found.values())

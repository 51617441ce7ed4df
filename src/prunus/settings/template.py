"""A prunus.toml in which every key stands, commented out, with its default and its words."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import Any

from prunus.settings.keys import ENABLED, keys

_HEAD = """\
# Settings of Prunus. Each key is shown with its default; take away the `#` before a key to change it.
# What a preset sets wins over the defaults shown here, and what this file sets wins over the preset.
"""

_TOOL_EXAMPLE = """\
# For example: tools = [{name = "open_file", kind = "read", path = "file"}]
"""


def init_text() -> str:
    """The text of a new prunus.toml. Lines that begin with `#` and no space are keys."""
    lines = [_HEAD]
    table = ""
    for key in keys():
        parent = key.name.rpartition(".")[0]
        if parent != table:
            lines.append(f"\n# {parent}: {key.group}\n")
            table = parent
        elif not parent:
            lines.append("\n")
        if key.doc != ENABLED:
            lines += (f"# {line}\n" for line in wrap(key.doc, 106))
        if key.name == "tools":
            lines.append(_TOOL_EXAMPLE)
        lines.append(f"#{key.name} = {_toml(key.default)}\n")
    return "".join(lines)


def _toml(value: Any) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_toml, value))}]"
        case str() if "\\" in value and "'" not in value:
            return f"'{value}'"
        case _:
            return json.dumps(value, ensure_ascii=False)

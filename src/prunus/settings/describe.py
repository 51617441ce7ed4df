"""Describe the settings: every key with its default and help text, its origin, the JSON schema, a template file.

The help text of a setting is the string below its field. Python drops such strings, so this module reads them from
the source, and only when somebody asks for a schema, a template or help.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from textwrap import dedent, wrap
from typing import Any, Final

from prunus.calls.meaning import Tool
from prunus.settings.acp import SHORTHANDS, known_at
from prunus.settings.generated_sections import GUARDS, SCHEDULES, STRATEGIES, summary
from prunus.settings.layers import Layer, merge
from prunus.settings.model import Loaded, Settings, Values
from prunus.settings.presets import OTHER_SETTINGS, strategies_of
from prunus.settings.settings_files import from_options, read

ENABLED: Final = "Whether this strategy runs."

_SHORTHAND_DOCS: Final[Mapping[str, str]] = {
    "protected_tools": (
        "Tools whose results Prunus never cuts and whose calls supersede no other calls: names, or tables with "
        "`name` and `as`, which is victim (never cut), trigger (supersedes no other calls) or both."
    ),
    "protected_paths": "Short for guards.protected_paths.patterns; your list replaces the built-in list.",
    "turn_protection": "Short for guards.recent_turns.turns.",
}
_TABLES: Final = (
    "tokens", "limits", "manual", "pressure", "budget", "cache", "agent", "reminders", "proxy", "upstreams",
    "store",
)  # fmt: skip
"""The tables beside those of strategies, guards and schedules, in the order of the documentation."""


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """One setting."""

    name: str
    """The full name: `strategies.old_errors.turns`."""
    default: Any
    doc: str
    group: str = ""
    """The summary of the table that holds this setting."""


def keys() -> Iterator[Key]:
    """Yield all settings in the order of the documentation."""
    plain = Settings().dump()
    docs = field_docs(Values)
    yield Key("preset", plain["preset"], docs.get("base", ""))
    for name, value in plain.items():
        if name != "preset" and not isinstance(value, dict | list):
            yield Key(name, value, docs.get(name, ""))
    for name, place in SHORTHANDS.items():
        yield Key(name, _value_at(plain, place), _SHORTHAND_DOCS[name])
    for name in ("tools", "prices"):
        yield Key(name, plain[name], docs.get(name, ""))
    kinds = (("strategies.", STRATEGIES), ("guards.", GUARDS), ("schedules.", SCHEDULES))
    owners = {f"{kind}{name}": owner for kind, classes in kinds for name, owner in classes.items()}
    for table, owner in (*owners.items(), *((name, _owner_of(name)) for name in _TABLES)):
        docs = {"enabled": ENABLED, **field_docs(owner)}
        for field, default in _value_at(plain, table.split(".")).items():
            yield Key(f"{table}.{field}", default, docs.get(field, ""), summary(owner))


def _owner_of(table: str) -> Any:
    """Return the class that declares the fields of a table."""
    section: Any = Values.model_fields[table].annotation
    return section.owner or section


def _value_at(table: Any, place: Iterable[str | int]) -> Any:
    for step in place:
        table = table[step]
    return table


@lru_cache(maxsize=128)
def field_docs(owner: type) -> Mapping[str, str]:
    """Return the string below each field of a class; empty if the source is not available."""
    try:
        tree = ast.parse(dedent(inspect.getsource(owner)))
    except (OSError, TypeError):
        return {}
    [body] = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    found = {}
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


def schema() -> dict[str, Any]:
    """Return the JSON schema of a settings file: every key with its type, help text and default."""
    root = Values.model_json_schema(by_alias=True)
    for field, text in field_docs(Tool).items():
        root["$defs"]["Tool"]["properties"].get(field, {})["description"] = text
    for name, text in field_docs(Values).items():
        root["properties"].get(name, {})["description"] = text
    _add_other_names(root)
    for key in keys():
        place = _find(root, key.name)
        place["description"] = key.doc
        place["default"] = key.default
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "title": "Settings of Prunus",
        "description": "What is pruned, and how.",
    }


def _add_other_names(root: dict[str, Any]) -> None:
    """Add the shorthands and the ACP keys."""
    top = root["properties"]
    for name, place in SHORTHANDS.items():
        top[name] = dict(_find(root, ".".join(map(str, place))))
    part = {"enum": ["victim", "trigger", "both"], "default": "both"}
    row = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "as": part},
        "required": ["name"],
        "additionalProperties": False,
    }
    top["protected_tools"] = {"type": "array", "items": {"anyOf": [{"type": "string"}, row]}}
    top["$schema"] = {"type": "string", "description": "Where this schema is, for editors."}
    top["tools"] = {"anyOf": [{"type": "array", "items": top["tools"]["items"]}, {"type": "object"}]}
    for table, properties in (("", top), ("strategies", root["$defs"]["Strategies"]["properties"])):
        for name in known_at(table):
            properties.setdefault(name, {"description": "As in acp.jsonc."})


def _find(root: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the part of the schema that describes a key."""
    place = root
    for step in name.split("."):
        table = root["$defs"][place["$ref"].rpartition("/")[2]] if "$ref" in place else place
        place = table["properties"][step]
    return place


_HEAD: Final = """\
# Settings of Prunus. Each key is shown with its default; take away the `#` before a key to change it.
# What a preset sets wins over the defaults shown here, and what this file sets wins over the preset.
"""
_TOOL_EXAMPLE: Final = """\
# For example: tools = [{name = "open_file", kind = "read", path = "file"}]
"""


def init_text() -> str:
    """Return a prunus.toml with every key commented out. A line that begins with `#` and no space is a key."""
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
        lines.append(f"#{key.name} = {as_toml(key.default, literal=True)}\n")
    return "".join(lines)


def origins(loaded: Loaded, options: Sequence[str] = ()) -> dict[str, str]:
    """Return for each setting that is not built in where it comes from: a preset, a file, or an option.

    `options` are the overrides `key=value` that the settings were loaded with.
    """
    base = loaded.settings.base
    chosen = strategies_of(base, loaded.settings.level)
    strategies = {name: {"enabled": True, **fields} for name, fields in chosen.items()}
    below = Layer("", values=merge(OTHER_SETTINGS.get(base, {}), {"strategies": strategies}))
    layers: list[tuple[str, Layer | None]] = [
        (f"preset {base}", below),
        *((str(source), read(source)) for source in loaded.sources),
        ("option", from_options(options)),
    ]
    return {
        ".".join(key): name
        for key, _ in flat(loaded.settings.dump())
        if (name := next((name for name, layer in reversed(layers) if layer is not None and layer.has(key)), ""))
    }


def flat(table: Mapping[str, Any], start: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each setting with its place."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flat(value, (*start, key))
        else:
            yield (*start, key), value


def mapped(table: Mapping[str, Any], change: Callable[[str, Any], Any], start: str = "") -> dict[str, Any]:
    """Return a table of settings with each value changed by a function of its key and itself."""
    return {
        key: mapped(value, change, f"{start}{key}.") if isinstance(value, Mapping) else change(start + key, value)
        for key, value in table.items()
    }


def as_toml(value: Any, *, literal: bool = False) -> str:
    """Return a value as it is written in a settings file; `literal` leaves backslashes as they are."""
    match value:
        case Mapping():
            return "{" + ", ".join(f"{key} = {as_toml(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(as_toml(inner, literal=literal) for inner in value) + "]"
        case str() if literal and "\\" in value and "'" not in value:
            return f"'{value}'"
        case _:
            return json.dumps(value, ensure_ascii=False)

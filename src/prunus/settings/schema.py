"""The JSON schema of a settings file, for editors."""

from __future__ import annotations

from typing import Any

from prunus.calls import Tool
from prunus.settings.docs import about, field_docs
from prunus.settings.keys import keys
from prunus.settings.model import Values
from prunus.settings.sections import GUARDS, SCHEDULES, STRATEGIES
from prunus.settings.seeds import SHORTHANDS, known_at


def schema() -> dict[str, Any]:
    """Every key with its type, its words and its default."""
    root = Values.model_json_schema(by_alias=True)
    tables = {
        owner.__name__: owner for owner in (*STRATEGIES.values(), *GUARDS.values(), *SCHEDULES.values(), Tool)
    }
    for name, table in root["$defs"].items():
        if name in tables:
            table["description"] = about(tables[name])
    for field, words in field_docs(Tool).items():
        root["$defs"]["Tool"]["properties"].get(field, {})["description"] = words
    for name, words in field_docs(Values).items():
        root["properties"].get(name, {})["description"] = words
    _add_names(root)
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


def _add_names(root: dict[str, Any]) -> None:
    """The other names that a file may use."""
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
    """The part of the schema that describes a key."""
    place = root
    for step in name.split("."):
        table = root["$defs"][place["$ref"].rpartition("/")[2]] if "$ref" in place else place
        place = table["properties"][step]
    return place

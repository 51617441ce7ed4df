"""The argument with which a model says why it edits."""

from copy import deepcopy
from typing import Any

import pytest

from prunus.errors import FormatError
from prunus.intent import edits_files, intent_of, offer_intent, with_intent, without_intent

SCHEMA = {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}
CHAT = {"type": "function", "function": {"name": "Edit", "parameters": SCHEMA}}
RESPONSES = {"type": "function", "name": "Edit", "parameters": SCHEMA}
ANTHROPIC = {"name": "Edit", "description": "Edits.", "input_schema": SCHEMA}
MCP = {"name": "Edit", "inputSchema": SCHEMA}
GEMINI = {
    "name": "replace",
    "parameters": {"type": "OBJECT", "properties": {"file_path": {"type": "STRING"}}, "required": ["file_path"]},
}
GEMINI_JSON = {"name": "replace", "parametersJsonSchema": SCHEMA}
SHAPES = [CHAT, RESPONSES, ANTHROPIC, MCP, GEMINI, GEMINI_JSON, SCHEMA]


def schema_of(tool: dict[str, Any]) -> dict[str, Any]:
    inner = tool.get("function", tool)
    keys = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
    found: dict[str, Any] = next((inner[key] for key in keys if key in inner), inner)
    return found


@pytest.mark.parametrize("tool", SHAPES)
def test_intent_is_added_as_an_optional_text(tool: dict[str, Any]) -> None:
    before = deepcopy(tool)
    schema = schema_of(with_intent(tool))
    assert schema["properties"]["intent"]["type"] in ("string", "STRING")
    assert schema["properties"]["file_path"] == schema_of(tool)["properties"]["file_path"]
    assert schema["required"] == ["file_path"]
    assert tool == before


@pytest.mark.parametrize("tool", SHAPES)
def test_offering_the_intent_twice_changes_nothing_more(tool: dict[str, Any]) -> None:
    once = with_intent(tool)
    assert once is not tool
    assert with_intent(once) is once


def test_types_are_spelled_as_the_schema_spells_them() -> None:
    assert schema_of(with_intent(GEMINI))["properties"]["intent"]["type"] == "STRING"
    assert schema_of(with_intent(GEMINI_JSON))["properties"]["intent"]["type"] == "string"


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "Edit", "strict": True, "parameters": SCHEMA}},
        {"type": "function", "name": "Edit", "strict": True, "parameters": SCHEMA},
    ],
)
def test_in_strict_mode_the_intent_is_required_and_may_be_null(tool: dict[str, Any]) -> None:
    schema = schema_of(with_intent(tool))
    assert schema["required"] == ["file_path", "intent"]
    assert schema["properties"]["intent"]["type"] == ["string", "null"]


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "custom", "name": "apply_patch", "format": {"type": "grammar", "syntax": "lark"}},
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        {"name": "own", "input_schema": {"type": "object", "properties": {"intent": {"type": "integer"}}}},
        {},
    ],
)
def test_a_tool_that_cannot_carry_an_intent_stays_the_same_object(tool: dict[str, Any]) -> None:
    assert with_intent(tool) is tool


def test_the_intent_is_removed_before_the_tool_runs() -> None:
    given = {"file_path": "a.py", "intent": "Why not"}
    assert without_intent(given) == {"file_path": "a.py"}
    assert given == {"file_path": "a.py", "intent": "Why not"}
    bare = {"file_path": "a.py"}
    assert without_intent(bare) is bare


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ('{"path": "a.py", "intent": "Why not"}', '{"path": "a.py"}'),
        ('{"intent": "Why not", "path":"\\u00e9"}', '{"path":"\\u00e9"}'),
        ('{ "intent": null }', "{  }"),
        ('{"intent": 1, "a": 2, "intent": 3}', '{"a": 2}'),
    ],
)
def test_the_intent_is_removed_from_json_text_and_the_rest_keeps_its_bytes(given: str, left: str) -> None:
    assert without_intent(given) == left


@pytest.mark.parametrize(
    "given",
    ['{"path": "a.py", "inner": {"intent": 1}}', "", "*** Begin Patch", '["intent"]', '{"intent": "cut', "\ud800"],
)
def test_text_without_an_intent_stays_the_same_object(given: str) -> None:
    assert without_intent(given) is given


@pytest.mark.parametrize("given", [None, 3, ["intent"], b'{"intent": "x"}'])
def test_arguments_of_another_kind_are_refused_by_name(given: Any) -> None:
    with pytest.raises(FormatError, match=f"{type(given).__name__}.*JSON text"):
        without_intent(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"intent": " Raise the\nlimit "}, "Raise the limit"),
        ({"intent": None}, ""),
        ({"intent": 3}, ""),
        ({}, ""),
        ("*** Begin Patch", ""),
        ('{"intent": " Raise the\\nlimit "}', "Raise the limit"),
        ('["intent"]', ""),
    ],
)
def test_intent_of_a_call_is_one_line(given: Any, said: str) -> None:
    assert intent_of(given) == said


@pytest.mark.parametrize(
    ("name", "properties", "edits"),
    [
        ("Edit", ("file_path", "old_string", "new_string"), True),
        ("Write", ("file_path", "content"), True),
        ("str_replace_editor", ("command", "path", "old_str"), True),
        ("Read", ("file_path", "offset"), False),
        ("Bash", ("command", "description"), False),
        ("weather", ("city",), False),
    ],
)
def test_edit_tools_are_recognised_by_name_and_arguments(
    name: str, properties: tuple[str, ...], edits: bool
) -> None:
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in properties}}
    assert edits_files({"name": name, "input_schema": schema}) is edits
    assert edits_files({"type": "function", "function": {"name": name, "parameters": schema}}) is edits


def test_only_edit_tools_of_a_request_get_an_intent() -> None:
    read = {"name": "Read", "input_schema": SCHEMA}
    offered, _ = offer_intent([read, ANTHROPIC])
    assert offered[0] is read
    assert "intent" in offered[1]["input_schema"]["properties"]
    alone = [read, "odd"]
    assert offer_intent(alone)[0] is alone


def test_declarations_of_gemini_are_looked_into() -> None:
    declared = [GEMINI, {"name": "glob", "parameters": {"type": "OBJECT"}}]
    [tool], _ = offer_intent([{"functionDeclarations": declared}])
    assert "intent" in tool["functionDeclarations"][0]["parameters"]["properties"]
    assert tool["functionDeclarations"][1] == {"name": "glob", "parameters": {"type": "OBJECT"}}


def test_tools_that_got_an_intent_are_known_by_name() -> None:
    own = {**SCHEMA, "properties": {**SCHEMA["properties"], "intent": {"type": "string"}}}  # type: ignore[dict-item]
    tools = [CHAT, {"name": "Read", "input_schema": SCHEMA}, {"name": "Write", "input_schema": own}]
    gemini = [{"functionDeclarations": [GEMINI, {"name": "read_file", "parametersJsonSchema": SCHEMA}]}]
    assert offer_intent(tools)[1] == {"Edit"}
    assert offer_intent(gemini)[1] == {"replace"}
    assert offer_intent(tools[1:])[1] == frozenset()

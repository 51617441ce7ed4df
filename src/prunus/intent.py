"""The purpose of an edit, stated by the model in the call itself.

    tools = [with_intent(tool) for tool in tools]      # what the model is offered
    run(name, without_intent(arguments))               # what the tool is given

Arguments are an object, or JSON text as in the OpenAI formats. Both functions are pure and return the same object
if nothing changes, so `is` shows whether anything changed. A tool with its own `intent` keeps it: do not remove
that argument from its calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, overload

from prunus.calls.toolbox import Toolbox
from prunus.errors import FormatError
from prunus.json.splice import splice
from prunus.providers.blocks import decode_arguments
from prunus.providers.filters import INTENT
from prunus.providers.recognition import APIS

_WORDS: Final = "Why this change is made, in one short sentence."
_SCHEMAS: Final = (*dict.fromkeys(key for api in APIS for key in api.schema_keys), "inputSchema")
"""The keys under which the definition of a tool has its schema: those of all formats, and that of MCP."""
_DECLARATIONS: Final = tuple(key for api in APIS for key in api.tool_list_keys)

Json: TypeAlias = dict[str, Any]


def with_intent(tool: Json) -> Json:
    """Return the definition of a tool with an optional argument `intent`.

    Supports the definitions of OpenAI chat (`function.parameters`), the Responses API (`parameters`), Anthropic
    (`input_schema`), MCP (`inputSchema`) and Gemini (`parameters` or `parametersJsonSchema`), and a bare JSON
    schema. A tool without such a schema, such as a provider's own tool or one that takes plain text, stays
    unchanged.
    """
    inner = tool.get("function")
    if isinstance(inner, dict):
        changed = with_intent(inner)
        return tool if changed is inner else {**tool, "function": changed}
    strict = tool.get("strict") is True
    for key in _SCHEMAS:
        schema = tool.get(key)
        if isinstance(schema, dict):
            wider = _wider(schema, strict)
            return tool if wider is schema else {**tool, key: wider}
    return _wider(tool, strict=False) if "properties" in tool else tool


def offer_intent(tools: list[Any], toolbox: Toolbox | None = None) -> tuple[list[Any], frozenset[str]]:
    """Return the tools of a request, edit tools with the argument `intent`, and the names of these edit tools.

    The list is the given one if no tool gets the argument.
    """
    box = toolbox or Toolbox()
    offered = [_offered(tool, box) for tool in tools]
    names = frozenset(name for _, named in offered for name in named)
    return ([tool for tool, _ in offered] if names else tools), names


def edits_files(tool: Json, toolbox: Toolbox | None = None) -> bool:
    """Whether a tool with this definition writes or edits files, as far as Prunus knows the tool."""
    inner = _function(tool)
    schema: Json = next((inner[key] for key in _SCHEMAS if isinstance(inner.get(key), dict)), {})
    properties = schema.get("properties")
    name = inner.get("name")
    if not isinstance(properties, dict) or not isinstance(name, str):
        return False
    meaning = (toolbox or Toolbox()).meaning(name, dict.fromkeys(properties, "x"))
    return meaning.kind in ("write", "edit")


def _function(tool: Json) -> Json:
    """The object of a definition that has the name and the schema of the tool."""
    inner = tool.get("function")
    return inner if isinstance(inner, dict) else tool


@overload
def without_intent(arguments: Json) -> Json: ...
@overload
def without_intent(arguments: str) -> str: ...
def without_intent(arguments: Json | str) -> Json | str:
    """Return the arguments of a call without `intent`, as the tool expects them.

    The other bytes of a JSON text stay. Text that is no JSON object, such as a patch, stays as it is.
    """
    if not isinstance(arguments, Mapping | str):
        raise FormatError(f"arguments of type {type(arguments).__name__}; expected an object or its JSON text")
    if isinstance(arguments, Mapping):
        if INTENT not in arguments:
            return arguments
        return {key: value for key, value in arguments.items() if key != INTENT}
    while INTENT in _object(arguments):  # a key may stand twice
        arguments = splice(arguments.encode(), {(INTENT,): None}).decode()
    return arguments


def intent_of(arguments: Mapping[str, Any] | str) -> str:
    """Return the purpose that a call states; empty if it states none."""
    given = (_object(arguments) if isinstance(arguments, str) else arguments).get(INTENT)
    return " ".join(given.split()) if isinstance(given, str) else ""


def _object(text: str) -> Mapping[str, Any]:
    """Return the arguments in a JSON text; none if the text is no JSON object, or has no intent."""
    read = decode_arguments(text) if f'"{INTENT}"' in text else text
    return {} if isinstance(read, str) else read


def _offered(tool: Any, toolbox: Toolbox) -> tuple[Any, frozenset[str]]:
    """Return a tool with the argument, and its name; the tool alone if it gets none."""
    if not isinstance(tool, dict):
        return tool, frozenset()
    for key in _DECLARATIONS:
        if isinstance(tool.get(key), list):
            offered, names = offer_intent(tool[key], toolbox)
            return ({**tool, key: offered} if names else tool), names
    changed = with_intent(tool) if edits_files(tool, toolbox) else tool
    return changed, frozenset() if changed is tool else frozenset({_function(tool)["name"]})


def _wider(schema: Json, strict: bool) -> Json:
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or INTENT in properties:
        return schema
    # Gemini spells the types of its own schemas in capitals.
    kind: Any = "STRING" if schema.get("type") == "OBJECT" else "string"
    wider = {**schema, "properties": {**properties, INTENT: {"type": kind, "description": _WORDS}}}
    if strict:
        # OpenAI's strict mode wants every argument listed as required; one that may be left out is nullable.
        # https://platform.openai.com/docs/guides/structured-outputs
        wider["properties"][INTENT]["type"] = [kind, "null"]
        wider["required"] = [*schema.get("required", ()), INTENT]
    return wider

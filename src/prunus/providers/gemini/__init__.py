"""Gemini: `:generateContent` and `:streamGenerateContent`.

Hidden tools are not offered in this format: Gemini signs its calls, and clients give calls ids of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.json.splice import Path, splice, values
from prunus.providers.blocks import arguments_object, as_json, dicts, listed, words_of
from prunus.providers.hidden_calls import CallSite, below, numbered
from prunus.providers.provider import Api, Endpoint, ToolDefinition, ToolResult
from prunus.providers.rewriting import Change, place_beside, with_item
from prunus.providers.sse import event

if TYPE_CHECKING:
    from prunus.providers.answer_stream import AnswerStream
    from prunus.providers.frame import Frame

_PATH: Final = re.compile(r".*/models/([^/:]+):(generateContent|streamGenerateContent)")
_OBJECTS: Final = ("functionCall", "functionResponse", "inlineData", "fileData")
_CAMEL: Final = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "display_name": "displayName",
    "mime_type": "mimeType",
    "file_uri": "fileUri",
}
"""The keys that may be spelled in two ways. The API takes both, and LiteLLM mixes them."""
_CALLS: Final = ("functionCall", "function_call")
_SIGNATURE: Final = ("thoughtSignature", "thought_signature")
_STATUS: Final = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
_ROLES: dict[str, Role] = {"model": "assistant", "function": "tool"}
_ANSWERS = ("output", "error", "content", "result")


class Gemini(Api):
    """The Gemini API."""

    name: ClassVar[str] = "gemini"
    field: ClassVar[str] = "contents"
    system_keys: ClassVar[tuple[str, ...]] = ("systemInstruction", "system_instruction")
    names_model: ClassVar[bool] = False
    upstream: ClassVar[str] = "gemini"
    operation: ClassVar[str] = "generate_content"
    genai_provider: ClassVar[str] = "gcp.gemini"
    version: ClassVar[str] = "/v1beta"
    own_prefix: ClassVar[str] = "/v1beta"
    own_headers: ClassVar[tuple[str, ...]] = ("x-goog-api-key",)
    schema_keys: ClassVar[tuple[str, ...]] = ("parameters", "parametersJsonSchema")
    tool_list_keys: ClassVar[tuple[str, ...]] = ("functionDeclarations", "function_declarations")
    hides_tools: ClassVar[bool] = False

    def claims_message(self, message: Mapping[str, Any]) -> bool:
        return "parts" in message and "content" not in message

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        parts: list[Part] = []
        for i, part in enumerate(listed(message.get("parts"))):
            _read(part, ("parts", i), parts)
        role = _ROLES.get(str(message.get("role")), "user")
        spoken = role == "user" and not any(isinstance(part, Result) for part in parts)
        return Message(role, tuple(parts), raw, spoken=spoken)

    def endpoint(self, path: str) -> Endpoint | None:
        found = _PATH.fullmatch(path)
        return None if found is None else Endpoint(found[1], found[2] == "streamGenerateContent")

    def called_tools(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        parts = dicts(message.get("parts"))
        calls = (part[key] for part in parts for key in _CALLS if key in part)
        return ((str(c.get("name") or "") if isinstance(c, dict) else "", "function") for c in calls)

    def define_tools(self, tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
        declared = [{"name": tool.name, **tool.described(), "parametersJsonSchema": tool.schema} for tool in tools]
        return [{"functionDeclarations": declared}] if declared else []

    def call_messages(self, id: str, tool: str, arguments: Mapping[str, Any] | str, text: str) -> list[Any]:
        call = {"functionCall": {"id": id, "name": tool, "args": arguments_object(arguments)}}
        return [{"role": "model", "parts": [call]}, *self.result_messages([ToolResult(id, tool, text)])]

    def result_messages(self, results: Sequence[ToolResult]) -> list[Any]:
        answers = ({"id": one.id, "name": one.tool, "response": {"output": one.text}} for one in results)
        return [{"role": "user", "parts": [{"functionResponse": answer} for answer in answers]}]

    def place_system_text(self, cut: Frame, text: str) -> list[Change]:
        key = "system_instruction" if "system_instruction" in cut.prompt else "systemInstruction"
        raw = cut.prompt.get(key)
        if raw is None or raw == b"null":
            return [place_beside(cut, key, msgspec.json.encode({"parts": [{"text": text}]}))]
        parts = values(raw).get("parts") if raw[:1] == b"{" else None
        if parts is None or parts[:1] != b"[" or msgspec.json.encode(text)[1:-1] in raw:
            return []
        return [place_beside(cut, key, splice(raw, {("parts",): with_item(parts, {"text": text})}))]

    def streams_arguments(self, cut: Frame) -> bool:
        return b'"streamFunctionCallArguments"' in cut.around()

    def by_model(self, message: Mapping[str, Any]) -> bool:
        return message.get("role") == "model"

    def calls_of(self, message: Any) -> Iterator[CallSite]:
        for at, part in numbered(message.get("parts") if isinstance(message, dict) else None):
            for key in _CALLS:
                made = part.get(key)
                if isinstance(made, dict) and isinstance(made.get("args"), dict):
                    # Many clients make up an id of their own if the model gave none.
                    yield CallSite.read(("parts", at, key, "args"), "", made.get("name"), made["args"])

    def ids_and_words(self, message: Mapping[str, Any]) -> tuple[list[str], str]:
        return [], words_of([part for part in dicts(message.get("parts")) if not part.get("thought")])

    def other_parts(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [
            part
            for part in dicts(message.get("parts"))
            if not part.get("thought") and not part.keys() & {"text", *_CALLS}
        ]

    def calls_in_answer(self, answer: Any) -> Iterator[CallSite]:
        for at, candidate in numbered(answer.get("candidates") if isinstance(answer, dict) else None):
            yield from below(("candidates", at, "content"), self.calls_of(candidate.get("content")))

    def stream(self, **given: Any) -> AnswerStream:
        from prunus.providers.gemini.stream import GeminiStream

        return GeminiStream(self, **given)

    def reply(self, text: str, model: str, *, streaming: bool) -> bytes:
        content = {"role": "model", "parts": [{"text": text}]}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        whole = {"candidates": [candidate], "usageMetadata": {"totalTokenCount": 0}}
        return event(whole) if streaming else msgspec.json.encode(whole)

    def refusal(self, status: int, kind: str, message: str) -> object:
        return {"error": {"code": status, "message": message, "status": _STATUS.get(status, "UNAVAILABLE")}}


def _read(part: Any, at: Path, parts: list[Part]) -> None:
    if not isinstance(part, dict):
        parts.append(Opaque("unknown", as_json(part), at=at))
        return
    signature = next((part[key] for key in _SIGNATURE if key in part), None)
    signed = signature is not None
    kind, key, inner = _object(part)
    place = (*at, key)
    if isinstance(part.get("text"), str):
        thought = Thinking(part["text"], len(str(signature or "")), fixed=signed, at=at)
        parts.append(thought if part.get("thought") is True else Text(part["text"], at=(*at, "text")))
    elif kind == "functionCall":
        parts.append(_call(inner, place, signed=signed))
    elif kind == "functionResponse":
        index, files = len(parts), numbered(inner.get("parts"))
        parts.append(_result(inner, place))
        # Only media may stand there, so words cannot take their place.
        parts += (_file(_object(file)[2], (*place, "parts", i), inside=index, fixed=True) for i, file in files)
    elif kind and not signed:
        parts.append(_file(inner, at))
    else:
        parts.append(Opaque("/".join(part), as_json(part), at=at))


def _object(part: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Return the kind of a part that holds an object, its key in the client's spelling, and the object."""
    for key, value in part.items():
        kind = _CAMEL.get(key, key)
        if kind in _OBJECTS and isinstance(value, dict):
            return kind, key, value
    return "", "", {}


def _call(call: Mapping[str, Any], at: Path, *, signed: bool) -> Call:
    given = call.get("args")
    given = given if isinstance(given, dict) else {}
    id, fixed = str(call.get("id") or ""), signed or "args" not in call
    return Call(id, str(call.get("name")), given, as_json(given), fixed=fixed, at=(*at, "args"))


def _file(data: Mapping[str, Any], at: Path, **given: Any) -> Attachment:
    about = {_CAMEL.get(key, key): str(value) for key, value in data.items()}
    name = about.get("displayName") or about.get("fileUri") or "file"
    return Attachment(name, about.get("mimeType", ""), len(about.get("data", "")), at=at, **given)


def _result(answer: Mapping[str, Any], place: Path) -> Result:
    response, at = answer.get("response"), (*place, "response")
    extra = ((*place, "parts"),) if answer.get("parts") else ()
    id = str(answer.get("id") or "")
    if not isinstance(response, dict):
        return Result(id, "" if response is None else as_json(response))
    error = "error" in response
    key = next((key for key in _ANSWERS if isinstance(response.get(key), str)), None)
    if key is not None and len(response) == 1:
        return Result(id, response[key], error=error, at=(*at, key), texts=((*at, key),), extra=extra)
    return Result(id, as_json(response), error=error, shape="object", at=at, extra=extra)

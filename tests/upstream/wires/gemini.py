"""The Gemini API of Google."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.upstream.signing import place, sign, signed_step
from tests.upstream.values import Json, Past, Tool, Turn, Usage, pieces, sse

__all__ = ["Gemini"]

ERRORS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
PART = {"text", "functionCall", "functionResponse", "inlineData", "fileData", "thought", "thoughtSignature",
        "executableCode", "codeExecutionResult", "videoMetadata"}  # fmt: skip


class Gemini:
    """`generateContent` and `streamGenerateContent`."""

    format = "gemini"

    def tools(self, body: Json) -> tuple[Tool, ...]:
        return tuple(
            Tool(
                f.get("name", ""),
                frozenset((f.get("parametersJsonSchema") or f.get("parameters") or {}).get("properties") or ()),
            )
            for tool in body.get("tools") or ()
            for f in tool.get("functionDeclarations") or ()
        )

    def past(self, body: Json) -> Past:
        ids: list[str] = []
        said: list[str] = []
        heard: list[str] = []
        results: dict[str, str] = {}
        for content in body.get("contents") or ():
            for part in content.get("parts") or ():
                if "functionCall" in part:
                    ids.append(part["functionCall"].get("id", ""))
                elif "functionResponse" in part:
                    answer = part["functionResponse"]
                    results[answer.get("id", "")] = "\n".join(str(v) for v in answer.get("response", {}).values())
                elif "text" in part and not part.get("thought"):
                    (said if content.get("role") == "model" else heard).append(part["text"])
        return Past(tuple(ids), tuple(said), tuple(heard), results)

    def head(self, body: Json) -> list[Any]:
        return [body.get("tools"), body.get("systemInstruction")]

    def messages(self, body: Json) -> list[Json]:
        return list(body["contents"])

    def by_model(self, message: Json) -> bool:
        return message.get("role") == "model"

    def thinks(self, body: Json) -> bool:
        return bool((body.get("generationConfig") or {}).get("thinkingConfig"))

    def lifetime(self, body: Json) -> float:
        return 300.0

    def signatures(self, body: Json) -> Iterator[str]:
        contents = body["contents"]
        open_loop = max((i for i, content in enumerate(contents) if _spoken(content)), default=-1)
        for i, content in enumerate(contents):
            parts = content.get("parts") or ()
            calls = [part for part in parts if "functionCall" in part]
            steps = {found[1] for part in calls if (found := place(part["functionCall"].get("id", "")))}
            for part in parts:
                if "thoughtSignature" not in part:
                    continue
                step = signed_step(part["thoughtSignature"])
                if step is None or (steps and step not in steps):
                    yield f"contents[{i}]: Thought signature is not valid"
            # https://ai.google.dev/gemini-api/docs/thought-signatures: the first call of each step keeps it.
            if i > open_loop and steps and self.thinks(body) and "thoughtSignature" not in calls[0]:
                yield f"contents[{i}]: Function call is missing a thought_signature in functionCall parts"

    def refusals(self, body: Json) -> Iterator[str]:
        contents = body.get("contents") or []
        if not contents:
            yield "contents is not specified"
        elif contents[0].get("role") != "user":
            yield "the first content has to come from the user"
        for content in contents:
            if content.get("role") not in ("user", "model"):
                yield f"Please use a valid role: user, model; not {content.get('role')!r}"
            for part in content.get("parts") or ():
                if extra := set(part) - PART:
                    yield f"Unknown name {min(extra)!r} in a part"
        names = Counter(tool.name for tool in self.tools(body))
        for name, count in names.items():
            if count > 1 or not name:
                yield f"Duplicate function declaration found: {name!r}"

    def answer(self, body: Json, turn: Turn, usage: Usage) -> Json:
        return _answer(list(_parts(turn)), turn, usage, last=True)

    def events(self, body: Json, turn: Turn, usage: Usage) -> Iterator[bytes]:
        *parts, final = _parts(turn)
        for part in parts:
            if set(part) == {"text"}:
                for piece in pieces(part["text"], 3):
                    yield sse(_answer([{"text": piece}], turn, usage, last=False))
            else:
                yield sse(_answer([part], turn, usage, last=False))
        yield sse(_answer([final], turn, usage, last=True))

    def error(self, status: int, message: str) -> Json:
        return {"error": {"code": status, "message": message, "status": ERRORS.get(status, "INTERNAL")}}


def _spoken(content: Json) -> bool:
    return content.get("role") == "user" and not any("functionResponse" in p for p in content.get("parts") or ())


def _parts(turn: Turn) -> Iterator[Json]:
    if turn.thinking:
        yield {"text": turn.thinking, "thought": True}
    if turn.text:
        yield {"text": turn.text}
    for index, call in enumerate(turn.calls):
        part: Json = {"functionCall": {"id": f"fc_{call.id}", "name": call.name, "args": call.arguments}}
        signed = turn.thinking and not index
        yield part | ({"thoughtSignature": sign("", turn.tag, turn.step)} if signed else {})


def _answer(parts: list[Json], turn: Turn, usage: Usage, *, last: bool) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    return {
        "candidates": [candidate | ({"finishReason": "STOP"} if last else {})],
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.input + usage.output,
            "cachedContentTokenCount": usage.read,
        },
        "modelVersion": "upstream",
        "responseId": f"{turn.tag}{turn.step:03d}",
    }

"""A story as the body of a request, in each of the five formats.

This is written apart from `prunus.providers`, so that the cases also test what is read there and written back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.strategies.agents import Unspoken, spell
from tests.strategies.story import Answer, File, Said, Step, Story, Thought, Tool, Turn, User

__all__ = ["FORMATS", "Body", "build"]

Place = tuple[int, str, int]


@dataclass(slots=True)
class Body:
    """A request under construction, and where its parts are."""

    format: str
    story: Story
    messages: list[dict[str, Any]] = field(default_factory=list)
    places: dict[tuple[str, str], Place] = field(default_factory=dict)
    """Of each target and field: message, kind of part, and its number among those of this kind there."""
    calls: int = 0

    def put(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    def mark(self, target: str, name: str, kind: str) -> None:
        """The next part of this kind in the message about to be put is this one."""
        index = len(self.messages)
        same = sum(1 for message, other, _ in self.places.values() if (message, other) == (index, kind))
        self.places[target, name] = index, kind, same

    def id(self, turn: Turn, at: int) -> str:
        self.calls += 1
        return f"call_{at}" if self.story.repeated_ids else f"call_{turn.number}_{at}"

    @property
    def json(self) -> dict[str, Any] | list[dict[str, Any]]:
        match self.format:
            case "anthropic_messages":
                return {"model": "claude-sonnet-4-5", "max_tokens": 8000, "messages": self.messages}
            case "openai_chat":
                return {"model": "qwen3-coder-plus", "messages": self.messages}
            case "openai_responses":
                return {"model": "gpt-5.1", "input": self.messages, "store": False}
            case "gemini":
                return {"contents": self.messages}
        return self.messages


def build(story: Story, format: str) -> Body:
    """The request; raises Unspoken for what its agent or its format cannot say."""
    body = Body(format, story)
    for event in story.events:
        if isinstance(event, User):
            for _ in event.files:
                body.mark(f"user {event.number}", "file", "Attachment")
            if event.text:
                body.mark(f"user {event.number}", "text", "Text")
            _USERS[format](body, event)
        else:
            _TURNS[format](body, event)
    return body


def _base64(file: File) -> str:
    return "QUJD" * ((file.kilobytes * 1024 + 2) // 3)


def _media(file: File) -> str:
    return "image/png" if file.image else "application/pdf"


def _address(file: File) -> str:
    return f"data:{_media(file)};base64,{_base64(file)}" if file.kilobytes else f"https://example.org/{file.name}"


def _anthropic_file(file: File) -> dict[str, Any]:
    if file.note:
        return {"type": "text", "text": file.note}
    source = {"type": "base64", "media_type": _media(file), "data": _base64(file)}
    if not file.kilobytes:
        source = {"type": "url", "url": _address(file)}
    return {"type": "image", "source": source} if file.image else {
        "type": "document", "title": file.name, "source": source
    }  # fmt: skip


def _anthropic_user(body: Body, user: User) -> None:
    blocks = [_anthropic_file(file) for file in user.files]
    body.put({"role": "user", "content": [*blocks, {"type": "text", "text": user.text}] if blocks else user.text})


def _anthropic_turn(body: Body, turn: Turn) -> None:
    blocks: list[dict[str, Any]] = []
    results: list[tuple[Tool, dict[str, Any]]] = []
    for at, item in enumerate(turn.items):
        match item:
            case Thought():
                body.mark(item.label, "thinking", "Thinking")
                if not item.gone:
                    blocks.append({"type": "thinking", "thinking": item.text, "signature": "c2lnbmVk" * 10})
            case Said():
                blocks.append({"type": "text", "text": item.text})
            case Step():
                raise Unspoken("steps are OpenCode's")
            case Tool():
                id = body.id(turn, at)
                name, given = spell(body.format, item)
                body.mark(item.label, "input", "Call")
                blocks.append({"type": "tool_use", "id": id, "name": name, "input": given})
                if _done(item):
                    results.append((item, _anthropic_result(id, _done(item))))
    body.put({"role": "assistant", "content": blocks})
    for item, _ in results:
        _mark_result(body, item)
    if results:
        body.put({"role": "user", "content": [result for _, result in results]})


def _anthropic_result(id: str, answer: Answer | None) -> dict[str, Any]:
    assert answer is not None
    content: Any = answer.text
    if answer.files:
        content = [{"type": "text", "text": answer.text}]
        content += [] if answer.noted else [_anthropic_file(file) for file in answer.files]
    failed = {"is_error": True} if answer.error else {}
    return {"type": "tool_result", "tool_use_id": id, "content": content, **failed}


def _done(tool: Tool) -> Answer | None:
    """The answer, where there is one; formats without a place for it cannot say more."""
    if tool.answer is None or tool.answer.state == "running":
        return None
    if tool.answer.state == "compacted":
        raise Unspoken("compacted results are OpenCode's")
    return tool.answer


def _mark_result(body: Body, tool: Tool) -> None:
    body.mark(tool.label, "result", "Result")
    for _ in tool.answer.files if tool.answer else ():
        body.mark(tool.label, "file", "Attachment")


def _chat_file(file: File) -> dict[str, Any]:
    if file.note:
        return {"type": "text", "text": file.note}
    if file.image or not file.kilobytes:
        return {"type": "image_url", "image_url": {"url": _address(file)}}
    return {"type": "file", "file": {"filename": file.name, "file_data": _address(file)}}


def _chat_user(body: Body, user: User) -> None:
    blocks = [_chat_file(file) for file in user.files]
    body.put({"role": "user", "content": [*blocks, {"type": "text", "text": user.text}] if blocks else user.text})


def _chat_turn(body: Body, turn: Turn) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    results: list[tuple[Tool, dict[str, Any]]] = []
    for at, item in enumerate(turn.items):
        match item:
            case Thought():
                if "reasoning_content" in message:
                    raise Unspoken("a message of Chat Completions has room for one thought")
                body.mark(item.label, "thinking", "Thinking")
                message["reasoning_content"] = "—" if item.gone else item.text
            case Said():
                message["content"] = item.text
            case Step():
                raise Unspoken("steps are OpenCode's")
            case Tool():
                id = body.id(turn, at)
                name, given = spell(body.format, item)
                body.mark(item.label, "input", "Call")
                function = {"name": name, "arguments": json.dumps(given)}
                calls.append({"id": id, "type": "function", "function": function})
                answer = _done(item)
                if answer:
                    content: Any = answer.text
                    if answer.files:
                        content = [{"type": "text", "text": answer.text}]
                        content += [] if answer.noted else [_chat_file(file) for file in answer.files]
                    results.append((item, {"role": "tool", "tool_call_id": id, "content": content}))
    body.put(message | ({"tool_calls": calls} if calls else {}))
    for item, result in results:
        _mark_result(body, item)
        body.put(result)


def _responses_file(file: File) -> dict[str, Any]:
    if file.note:
        return {"type": "input_text", "text": file.note}
    if file.image or not file.kilobytes:
        return {"type": "input_image", "image_url": _address(file)}
    return {"type": "input_file", "filename": file.name, "file_data": _address(file)}


def _responses_user(body: Body, user: User) -> None:
    blocks = [_responses_file(file) for file in user.files]
    body.put({"type": "message", "role": "user", "content": [*blocks, {"type": "input_text", "text": user.text}]})


def _responses_turn(body: Body, turn: Turn) -> None:
    results: list[tuple[Tool, dict[str, Any]]] = []
    for at, item in enumerate(turn.items):
        match item:
            case Thought():
                body.mark(item.label, "thinking", "Thinking")
                summary = [{"type": "summary_text", "text": item.text}]
                thought = {"type": "reasoning", "summary": summary, "encrypted_content": "c2VhbGVk" * 10}
                if not item.gone:
                    body.put(thought | ({"id": f"rs_{turn.number}"} if item.bound else {}))
            case Said():
                content = [{"type": "output_text", "text": item.text}]
                body.put({"type": "message", "role": "assistant", "content": content})
            case Step():
                raise Unspoken("steps are OpenCode's")
            case Tool():
                id = body.id(turn, at)
                name, given = spell(body.format, item)
                body.mark(item.label, "input", "Call")
                body.put({"type": "function_call", "call_id": id, "name": name, "arguments": json.dumps(given)})
                answer = _done(item)
                if answer:
                    output: Any = answer.text
                    if answer.files:
                        output = [{"type": "input_text", "text": answer.text}]
                        output += [] if answer.noted else [_responses_file(file) for file in answer.files]
                    results.append((item, {"type": "function_call_output", "call_id": id, "output": output}))
    for item, result in results:
        _mark_result(body, item)
        body.put(result)


def _gemini_file(file: File) -> dict[str, Any]:
    if file.note:
        return {"text": file.note}
    if not file.kilobytes:
        return {"fileData": {"mimeType": _media(file), "fileUri": _address(file)}}
    return {"inlineData": {"mimeType": _media(file), "displayName": file.name, "data": _base64(file)}}


def _gemini_user(body: Body, user: User) -> None:
    body.put({"role": "user", "parts": [*(_gemini_file(file) for file in user.files), {"text": user.text}]})


def _gemini_turn(body: Body, turn: Turn) -> None:
    parts: list[dict[str, Any]] = []
    results: list[tuple[Tool, dict[str, Any]]] = []
    for at, item in enumerate(turn.items):
        match item:
            case Thought():
                body.mark(item.label, "thinking", "Thinking")
                if not item.gone:
                    signed = {"thoughtSignature": "c2lnbmVk" * 10} if item.bound else {}
                    parts.append({"text": item.text, "thought": True, **signed})
            case Said():
                parts.append({"text": item.text})
            case Step():
                raise Unspoken("steps are OpenCode's")
            case Tool():
                id = body.id(turn, at)
                name, given = spell(body.format, item)
                body.mark(item.label, "input", "Call")
                parts.append({"functionCall": {"id": id, "name": name, "args": given}})
                answer = _done(item)
                if answer:
                    if answer.files:
                        raise Unspoken("Gemini puts no files into results")
                    response = {"error" if answer.error else "output": answer.text}
                    results.append((item, {"functionResponse": {"id": id, "name": name, "response": response}}))
    body.put({"role": "model", "parts": parts})
    for item, _ in results:
        _mark_result(body, item)
    if results:
        body.put({"role": "user", "parts": [result for _, result in results]})


def _opencode_file(file: File, identity: Mapping[str, str]) -> dict[str, Any]:
    if file.note:
        return {**identity, "type": "text", "text": file.note}
    return {**identity, "type": "file", "mime": _media(file), "filename": file.name, "url": _address(file)}


def _opencode_user(body: Body, user: User) -> None:
    message = f"msg_user_{user.number}"
    files = [_opencode_file(file, {"id": f"prt_{message}_{i}"}) for i, file in enumerate(user.files)]
    words = [{"id": f"prt_{message}", "type": "text", "text": user.text}] if user.text else []
    body.put({"info": {"id": message, "role": "user"}, "parts": [*files, *words]})


def _opencode_turn(body: Body, turn: Turn) -> None:
    message = f"msg_turn_{turn.number}"
    parts: list[dict[str, Any]] = []
    for at, item in enumerate(turn.items):
        identity = {"id": f"prt_{message}_{at}", "messageID": message}
        match item:
            case Thought():
                if item.bound:
                    raise Unspoken("OpenCode binds no reasoning")
                body.mark(item.label, "thinking", "Thinking")
                if not item.gone:
                    parts.append({**identity, "type": "reasoning", "text": item.text, "time": {"start": 1}})
            case Said():
                parts.append({**identity, "type": "text", "text": item.text})
            case Step():
                body.mark(item.label, item.type, "Marker")
                if not item.gone:
                    parts.append({**identity, "type": item.type})
            case Tool():
                name, given = spell(body.format, item)
                body.mark(item.label, "input", "Call")
                _mark_result(body, item)
                state = _opencode_state(item.answer, given)
                parts.append(
                    {**identity, "type": "tool", "callID": body.id(turn, at), "tool": name, "state": state}
                )
    body.put({"info": {"id": message, "role": "assistant"}, "parts": parts})


def _opencode_state(answer: Answer | None, given: Mapping[str, Any]) -> dict[str, Any]:
    if answer is None or answer.state == "running":
        return {"status": "running", "input": given, "time": {"start": 1}}
    time = {"start": 1, "end": 2} | ({"compacted": 3} if answer.state == "compacted" else {})
    if answer.error:
        return {"status": "error", "input": given, "error": answer.text, "time": time}
    state: dict[str, Any] = {
        "status": "completed",
        "input": given,
        "output": answer.text,
        "title": "",
        "time": time,
    }
    if answer.files and not answer.noted:
        state["attachments"] = [_opencode_file(file, {}) for file in answer.files]
    return state


_USERS: dict[str, Callable[[Body, User], None]] = {
    "anthropic_messages": _anthropic_user,
    "openai_chat": _chat_user,
    "openai_responses": _responses_user,
    "gemini": _gemini_user,
    "opencode": _opencode_user,
}
_TURNS: dict[str, Callable[[Body, Turn], None]] = {
    "anthropic_messages": _anthropic_turn,
    "openai_chat": _chat_turn,
    "openai_responses": _responses_turn,
    "gemini": _gemini_turn,
    "opencode": _opencode_turn,
}
FORMATS = tuple(_TURNS)

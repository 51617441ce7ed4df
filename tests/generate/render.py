"""A session on the wire: the five formats, each with the tools of an agent that really speaks it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.generate.names import claude_code, codex, gemini_cli, opencode
from tests.generate.session import Action, Ask, Session, Step

__all__ = ["FORMATS", "render"]

CLEARED = "[Old tool result content cleared]"


def render(session: Session, format: str) -> Any:
    """The whole session as the body of one request."""
    return FORMATS[format](session)


def _ids(session: Session) -> Iterator[tuple[Ask | Step, list[str]]]:
    count = 0
    for event in session.events:
        actions = event.actions if isinstance(event, Step) else ()
        first = 0 if session.repeats_ids else count
        yield event, [f"call_{first + i}" for i in range(len(actions))]
        count += len(actions)


def _said(action: Action) -> str:
    return CLEARED if action.answer == "compacted" else action.result


def _answered(action: Action) -> bool:
    return action.answer not in ("missing", "running")


def _anthropic(session: Session) -> dict[str, Any]:
    messages: list[Any] = []
    for event, ids in _ids(session):
        if isinstance(event, Ask):
            picture = {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "A" * event.picture},
            }
            text = {"type": "text", "text": event.text}
            messages.append({"role": "user", "content": [picture, text] if event.picture else event.text})
            continue
        blocks: list[Any] = []
        if event.thinks:
            signed = {"type": "thinking", "thinking": event.thinks, "signature": "c2lnbmVk" * 9}
            blocks.append({"type": "redacted_thinking", "data": "ZGF0YQ==" * 9} if event.hidden else signed)
        if event.says:
            blocks.append({"type": "text", "text": event.says})
        results: list[Any] = []
        for id, action in zip(ids, event.actions, strict=True):
            name, given = claude_code(action)
            blocks.append({"type": "tool_use", "id": id, "name": name, "input": given})
            if _answered(action):
                content = _blocks(action, "text", _png)
                if action.kind == "tools" and not action.failed:
                    content = [{"type": "tool_reference", "tool_name": "TaskCreate"}]
                result = {"type": "tool_result", "tool_use_id": id, "content": content}
                results.append({**result, "is_error": True} if action.failed else result)
        messages.append({"role": "assistant", "content": blocks})
        if results:
            reminder = (
                [{"type": "text", "text": "<system-reminder>Stay calm.</system-reminder>"}]
                if session.extras
                else []
            )
            messages.append({"role": "user", "content": [*results, *reminder]})
    if session.extras:
        messages.insert(
            1, {"role": "system", "content": "Tools are deferred.", "output_config": {"effort": "high"}}
        )
    tool = {"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}
    system = [{"type": "text", "text": "You are an agent.", "cache_control": {"type": "ephemeral"}}]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8000,
        "system": system,
        "tools": [tool],
        "messages": messages,
    }


def _png(size: int) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "B" * size}}


def _blocks(action: Action, kind: str, picture: Callable[[int], dict[str, Any]]) -> Any:
    text = _said(action)
    if not action.blocks:
        return text
    blocks: list[Any] = [{"type": kind, "text": text}] if text else []
    if action.picture and not action.failed:
        blocks.append(picture(action.picture))
    return blocks or text


def _chat(session: Session) -> dict[str, Any]:
    messages: list[Any] = [{"role": "system", "content": "You are an agent."}]
    for event, ids in _ids(session):
        if isinstance(event, Ask):
            picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * event.picture}}
            text = {"type": "text", "text": event.text}
            messages.append({"role": "user", "content": [text, picture] if event.picture else event.text})
            continue
        calls = []
        for id, action in zip(ids, event.actions, strict=True):
            name, given = opencode(action)
            function = {"name": name, "arguments": json.dumps(given, ensure_ascii=False)}
            calls.append({"id": id, "type": "function", "function": function})
        message: dict[str, Any] = {"role": "assistant", "content": event.says}
        if event.thinks:
            message["reasoning_content"] = event.thinks
        messages.append({**message, "tool_calls": calls} if calls else message)
        for id, action in zip(ids, event.actions, strict=True):
            if _answered(action):
                content = _blocks(action, "text", lambda size: {"type": "text", "text": "[an image]"})
                messages.append({"role": "tool", "tool_call_id": id, "content": content})
    tool: dict[str, Any] = {"name": "read", "description": "Reads a file.", "parameters": {"type": "object"}}
    return {
        "model": "glm-4.6",
        "messages": messages,
        "tools": [{"type": "function", "function": tool}],
        "stream": True,
    }


def _responses(session: Session) -> dict[str, Any]:
    items: list[Any] = [_spoken("developer", "input_text", "You are an agent.")]
    if session.extras:
        items.append({"type": "additional_tools", "tools": [{"type": "custom", "name": "exec"}]})
    for number, (event, ids) in enumerate(_ids(session)):
        if isinstance(event, Ask):
            item = _spoken("user", "input_text", event.text)
            if event.picture:
                item["content"].append(
                    {"type": "input_image", "image_url": "data:image/png;base64," + "A" * event.picture}
                )
            items.append(item)
            continue
        if event.thinks:
            reasoning: dict[str, Any] = {"type": "reasoning", "encrypted_content": "ZW5jcnlwdGVk" * 9}
            reasoning["summary"] = [] if event.hidden else [{"type": "summary_text", "text": event.thinks}]
            items.append({**reasoning, "id": f"rs_{number}"} if number % 3 == 0 else reasoning)
        if event.says:
            items.append(_spoken("assistant", "output_text", event.says))
        results: list[Any] = []
        for id, action in zip(ids, event.actions, strict=True):
            kind, name, given = codex(action)
            items.append({"type": kind, "call_id": id, **({"name": name} if name else {}), **given})
            if not _answered(action):
                continue
            if kind == "tool_search_call":
                results.append(
                    {"type": "tool_search_output", "call_id": id, "tools": [{"type": "function", "name": "x"}]}
                )
            else:
                results.append({"type": kind + "_output", "call_id": id, "output": _output(action, kind)})
        items += results
    tool = {"type": "function", "name": "exec_command", "parameters": {"type": "object"}}
    return {"model": "gpt-5.5", "instructions": "Be brief.", "input": items, "tools": [tool], "store": False}


def _spoken(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _output(action: Action, kind: str) -> Any:
    content = _blocks(
        action, "input_text", lambda n: {"type": "input_image", "image_url": "data:image/png;base64," + "B" * n}
    )
    if isinstance(content, list) or kind == "custom_tool_call":
        return content
    code = 1 if action.failed else 0
    chunk = f"Chunk ID: {len(action.result) * 7919 % 4096:x}\nWall time: 0.1 seconds"
    return f"{chunk}\nProcess exited with code {code}\nOutput:\n{content}"


def _gemini(session: Session) -> dict[str, Any]:
    contents: list[Any] = []
    for event, ids in _ids(session):
        if isinstance(event, Ask):
            parts: list[Any] = [{"text": event.text}]
            if event.picture:
                parts.append({"inlineData": {"mimeType": "image/png", "data": "A" * event.picture}})
            contents.append({"role": "user", "parts": parts})
            continue
        parts = [{"text": event.thinks, "thought": True}] if event.thinks else []
        if event.says:
            parts.append({"text": event.says})
        results: list[Any] = []
        for i, (id, action) in enumerate(zip(ids, event.actions, strict=True)):
            name, given = gemini_cli(action)
            part: dict[str, Any] = {"functionCall": {"name": name, "args": given, "id": id}}
            parts.append({**part, "thoughtSignature": "c2lnbmVk" * 5} if i == 0 and event.hidden else part)
            if _answered(action):
                answer: dict[str, Any] = {"error" if action.failed else "output": _said(action)}
                if action.blocks:
                    answer["exitCode"] = 0
                results.append({"functionResponse": {"name": name, "id": id, "response": answer}})
        contents.append({"role": "model", "parts": parts})
        if results:
            contents.append({"role": "user", "parts": results})
    tools = [{"functionDeclarations": [{"name": "read_file", "parameters": {"type": "object"}}]}]
    system = {"parts": [{"text": "You are an agent."}]}
    return {
        "contents": contents,
        "systemInstruction": system,
        "tools": tools,
        "generationConfig": {"temperature": 0},
    }


def _opencode(session: Session) -> list[Any]:
    messages: list[Any] = []
    for number, (event, ids) in enumerate(_ids(session)):
        message_id = f"msg_{number:04}"
        parts: list[Any] = []
        if isinstance(event, Ask):
            parts.append({"type": "text", "text": event.text})
            if event.picture:
                url = "data:image/png;base64," + "A" * event.picture
                parts.append({"type": "file", "mime": "image/png", "filename": "shot.png", "url": url})
        else:
            parts.append({"type": "step-start", "snapshot": "a" * 40})
            if event.thinks:
                parts.append({"type": "reasoning", "text": event.thinks, "time": {"start": 1, "end": 2}})
            if event.says:
                parts.append({"type": "text", "text": event.says})
            parts += [_tool(id, action) for id, action in zip(ids, event.actions, strict=True)]
            parts.append(
                {"type": "step-finish", "reason": "tool-calls", "cost": 0, "tokens": {"input": 1, "output": 2}}
            )
            parts.append({"type": "patch", "hash": "b" * 40, "files": []})
        for i, part in enumerate(parts):
            part |= {"id": f"prt_{number:04}_{i}", "sessionID": "ses_1", "messageID": message_id}
        role = "user" if isinstance(event, Ask) else "assistant"
        messages.append(
            {
                "info": {"id": message_id, "sessionID": "ses_1", "role": role, "time": {"created": number}},
                "parts": parts,
            }
        )
    return messages


def _tool(id: str, action: Action) -> dict[str, Any]:
    name, given = opencode(action)
    state: dict[str, Any] = {
        "status": "completed",
        "input": given,
        "title": name,
        "metadata": {},
        "time": {"start": 1, "end": 2},
    }
    if action.answer in ("missing", "running"):
        return {
            "type": "tool",
            "tool": name,
            "callID": id,
            "state": {"status": "running", "input": given, "time": {"start": 1}},
        }
    if action.failed:
        state |= {"status": "error", "error": action.result}
    else:
        state["output"] = action.result
        if action.picture:
            url = "data:image/png;base64," + "B" * action.picture
            state["attachments"] = [{"id": "prt_a", "type": "file", "mime": "image/png", "url": url}]
    if action.answer == "compacted":
        state["time"]["compacted"] = 3
    return {"type": "tool", "tool": name, "callID": id, "state": state}


FORMATS: dict[str, Callable[[Session], Any]] = {
    "anthropic_messages": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
    "opencode": _opencode,
}

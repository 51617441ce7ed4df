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
            redacted = {"type": "redacted_thinking", "data": "ZGF0YQ==" * 9}
            blocks += (
                [signed, redacted] if session.extras and event.hidden else [redacted if event.hidden else signed]
            )
        if event.says:
            blocks.append({"type": "text", "text": event.says})
        results: list[Any] = []
        for id, action in zip(ids, event.actions, strict=True):
            name, given = claude_code(action)
            if action.kind in ("hosted", "remote"):
                blocks += _served(id, name, given, action)
                continue
            call = {"type": "tool_use", "id": id, "name": name, "input": given}
            if action.kind == "program":
                code = {
                    "type": "server_tool_use",
                    "id": f"srv_{id}",
                    "name": "code_execution",
                    "input": {"code": "x"},
                }
                blocks.append(code)
                call["caller"] = {"type": "code_execution_20260120", "tool_id": f"srv_{id}"}
            blocks.append(call)
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


def _served(id: str, name: str, given: dict[str, Any], action: Action) -> list[Any]:
    """A call that the provider answers itself, in the same message."""
    if action.kind == "remote":
        call = {"type": "mcp_tool_use", "id": id, "name": name, "server_name": "box", "input": given}
        content = [{"type": "text", "text": _said(action) or "Done."}]
        result = {"type": "mcp_tool_result", "tool_use_id": id, "content": content}
        return [call, {**result, "is_error": action.failed}]
    call = {"type": "server_tool_use", "id": f"srv_{id}", "name": "web_search", "input": {"query": "x"}}
    found = {
        "type": "web_search_result",
        "url": "https://example.org",
        "title": "x",
        "encrypted_content": "x" * 900,
    }
    return [call, {"type": "web_search_tool_result", "tool_use_id": f"srv_{id}", "content": [found]}]


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
            call: dict[str, Any] = {"id": id, "type": "function", "function": function}
            if session.extras and event.hidden:
                call["extra_content"] = {"google": {"thought_signature": "c2lnbmVk" * 5}}
            calls.append(call)
        message: dict[str, Any] = {"role": "assistant", "content": event.says}
        if event.thinks:
            message["reasoning_content"] = event.thinks
            if session.extras and not event.hidden:
                message["reasoning_details"] = [{"type": "reasoning.text", "text": event.thinks, "index": 0}]
        messages.append({**message, "tool_calls": calls} if calls else message)
        for id, action in zip(ids, event.actions, strict=True):
            if _answered(action):
                content = _blocks(action, "text", lambda size: {"type": "text", "text": "[an image]"})
                if session.extras and isinstance(content, list):
                    content[-1]["prompt_cache_breakpoint"] = {"mode": "explicit"}
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
        if event.says and not (event.actions and event.says == "Done."):
            items.append(_spoken("assistant", "output_text", event.says))
        results: list[Any] = []
        for id, action in zip(ids, event.actions, strict=True):
            kind, name, given = codex(action)
            if kind == "web_search_call":
                items.append({"type": kind, "id": f"ws_{id}", **given})
                continue
            call = {"type": kind, "call_id": id, **({"name": name} if name else {}), **given}
            if action.kind == "program":
                items.append(
                    {"type": "program", "id": f"pr_{id}", "call_id": f"pr_{id}", "code": "x", "fingerprint": "f"}
                )
                call["caller"] = {"type": "program", "caller_id": f"pr_{id}"}
            items.append(call)
            if action.kind == "program" and _answered(action):
                answer = {
                    "type": kind + "_output",
                    "call_id": id,
                    "output": _said(action),
                    "caller": call["caller"],
                }
                ended = {"type": "program_output", "id": f"po_{id}", "call_id": f"pr_{id}", "result": "x"}
                results += [answer, {**ended, "status": "completed"}]
                continue
            if not _answered(action):
                continue
            if kind == "shell_call":
                results.append({"type": "shell_call_output", "call_id": id, "output": _chunks(action)})
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


def _chunks(action: Action) -> list[Any]:
    """The output of two shell commands, of which the second one may fail."""
    code = int(action.failed)
    streams = (
        {"stdout": _said(action), "stderr": ""},
        {"stdout": "", "stderr": "It ended." if action.blocks else ""},
    )
    ends = {"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": code}
    return [{**chunk, "outcome": end} for chunk, end in zip(streams, ends, strict=True)]


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
            if action.kind == "hosted":
                search = {"id": id, "toolType": "GOOGLE_SEARCH_WEB"}
                parts.append({"toolCall": {**search, "args": given}, "thoughtSignature": "c2lnbmVk"})
                parts.append({"toolResponse": {**search, "response": {"text": _said(action)}}})
                continue
            part: dict[str, Any] = {"functionCall": {"name": name, "args": given, "id": id}}
            parts.append({**part, "thoughtSignature": "c2lnbmVk" * 5} if i == 0 and event.hidden else part)
            if _answered(action):
                answer: dict[str, Any] = {"error" if action.failed else "output": _said(action)}
                if action.blocks:
                    answer["exitCode"] = 0
                response: dict[str, Any] = {"name": name, "id": id, "response": answer}
                if action.picture and not action.failed:
                    response["parts"] = [{"inlineData": {"mimeType": "image/png", "data": "B" * action.picture}}]
                results.append({"functionResponse": response})
        contents.append({"role": "model", "parts": parts})
        if results:
            contents.append({"role": "user", "parts": results})
    if session.extras:
        for content in contents[1:]:
            content["parts"] = [_snake(part) for part in content["parts"]]
    tools = [{"functionDeclarations": [{"name": "read_file", "parameters": {"type": "object"}}]}]
    system = {"parts": [{"text": "You are an agent."}]}
    return {
        "contents": contents,
        "systemInstruction": system,
        "tools": tools,
        "generationConfig": {"temperature": 0},
    }


def _snake(part: dict[str, Any]) -> dict[str, Any]:
    """A part with the keys that LiteLLM writes."""
    spelled = {
        "functionCall": "function_call",
        "functionResponse": "function_response",
        "inlineData": "inline_data",
    }
    spelled["thoughtSignature"] = "thought_signature"
    return {spelled.get(key, key): value for key, value in part.items()}


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

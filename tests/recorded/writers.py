"""The story as each agent's client records it on disk: agents that write a log of lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.recorded.story import STORY, Call, Step, iso
from tests.recorded.words import patch, shell, spelled

__all__ = ["SUMMARY", "Told", "claude_code", "codex", "copilot_cli", "gemini_cli", "pi", "qwen_code"]

SUMMARY = "So far: the tax of basket and orders is 0.2 now, and all tests pass."

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """How far the story is told, under which name, and where the client compacted it."""

    length: int = len(STORY)
    session: str = "s1"
    compact: int = 0
    """The step before which it was compacted; 0 is never."""

    def steps(self) -> Iterator[tuple[int, Step]]:
        yield from enumerate(STORY[: self.length])

    def calls(self, step: int, made: tuple[Call, ...]) -> list[tuple[str, Call]]:
        """The calls of a step with their ids."""
        return [(f"call_{step}_{n}", call) for n, call in enumerate(made)]

    def chained(self) -> Callable[..., Record]:
        """Makes records of which each names the one before."""
        parent: str | None = None

        def record(type: str, uuid: str, at: str, **fields: Any) -> Record:
            nonlocal parent
            above, parent = parent, uuid
            head = {"type": type, "uuid": uuid, "parentUuid": above, "sessionId": self.session, "timestamp": at}
            return head | fields

        return record


def claude_code(told: Told) -> Iterator[Record]:
    """One line for each block of an answer and each result."""
    line = told.chained()

    def said(role: str, uuid: str, at: str, content: Any, **more: Any) -> Record:
        answered = {"id": f"msg_{uuid.split('.')[0]}", "model": "claude-test"} if role == "assistant" else {}
        return line(role, uuid, at, message={"role": role, "content": content} | answered, **more)

    for step, made in told.steps():
        if told.compact and step == told.compact:
            yield line("system", "cut", iso(step), subtype="compact_boundary") | {"parentUuid": None}
            yield said("user", "sum", iso(step), SUMMARY, isCompactSummary=True)
        if isinstance(made, str):
            yield said("user", f"u{step}", iso(step), made)
            continue
        thinking = {"type": "thinking", "thinking": f"Step {step} comes next.", "signature": f"sig{step}"}
        yield said("assistant", f"a{step}.t", iso(step, 3), [thinking])
        for id, call in told.calls(step, made):
            name, given = spelled("claude", call)
            use = {"type": "tool_use", "id": id, "name": name, "input": given}
            yield said("assistant", f"a{step}.{id}", iso(step, 4), [use])
        for id, call in told.calls(step, made):
            result = {"type": "tool_result", "tool_use_id": id, "content": call.output, "is_error": call.failed}
            yield said("user", f"r{step}.{id}", iso(step, 9), [result])
    yield said("assistant", "end", iso(told.length), [{"type": "text", "text": "Done."}])


def codex(told: Told) -> Iterator[Record]:
    """Items of the Responses API; files are read with commands and changed with patches."""

    def line(type: str, at: str, /, **payload: Any) -> Record:
        return {"timestamp": at, "type": type, "payload": payload}

    def message(role: str, text: str) -> Record:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    yield line("session_meta", iso(0), id=told.session, base_instructions={"text": "Be Codex."})
    yield line("turn_context", iso(0), model="gpt-test")
    for step, made in told.steps():
        if told.compact and step == told.compact:
            history = [message("user", STORY[0]), message("user", SUMMARY)]  # type: ignore[arg-type]
            yield line("compacted", iso(step), message="", replacement_history=history)
        if isinstance(made, str):
            yield line("response_item", iso(step), **message("user", made))
            continue
        yield line(
            "response_item", iso(step, 3), type="reasoning", summary=[], encrypted_content=f"secret{step}" * 40
        )
        for id, call in told.calls(step, made):
            if call.kind == "edit":
                item = {"type": "custom_tool_call", "name": "apply_patch", "input": patch(call), "call_id": id}
            else:
                given = json.dumps({"cmd": shell(call)})
                item = {"type": "function_call", "name": "exec_command", "arguments": given, "call_id": id}
            yield line("response_item", iso(step, 4), **item)
        for id, call in told.calls(step, made):
            kind = "custom_tool_call_output" if call.kind == "edit" else "function_call_output"
            output = f"Process exited with code {int(call.failed)}\nOutput:\n{call.output}"
            yield line("response_item", iso(step, 9), type=kind, call_id=id, output=output)
    yield line("response_item", iso(told.length), **message("assistant", "Done."))


def pi(told: Told) -> Iterator[Record]:
    """Entries that name the one before."""
    parent: str | None = None

    def entry(type: str, id: str, at: str, **fields: Any) -> Record:
        nonlocal parent
        above, parent = parent, id
        return {"type": type, "id": id, "parentId": above, "timestamp": at} | fields

    def said(id: str, at: str, role: str, content: Any, **more: Any) -> Record:
        return entry("message", id, at, message={"role": role, "content": content, "model": "claude-test"} | more)

    yield {"type": "session", "version": 3, "id": told.session, "cwd": "/shop"}
    for step, made in told.steps():
        if told.compact and step == told.compact:
            yield entry("compaction", "cut", iso(step), summary=SUMMARY, firstKeptEntryId=f"a{step - 1}")
        if isinstance(made, str):
            yield said(f"u{step}", iso(step), "user", made)
            continue
        blocks = [{"type": "text", "text": f"Step {step}."}]
        for id, call in told.calls(step, made):
            name, given = spelled("pi", call)
            blocks.append({"type": "toolCall", "id": id, "name": name, "arguments": given})  # type: ignore[dict-item]
        yield said(f"a{step}", iso(step, 4), "assistant", blocks)
        for id, call in told.calls(step, made):
            content = [{"type": "text", "text": call.output}]
            yield said(f"r{step}{id}", iso(step, 9), "toolResult", content, toolCallId=id, isError=call.failed)
    yield said("end", iso(told.length), "assistant", [{"type": "text", "text": "Done."}])


def copilot_cli(told: Told) -> Iterator[Record]:
    """Events."""

    def event(type: str, at: str, **data: Any) -> Record:
        return {"type": type, "data": data, "timestamp": at}

    yield event("session.start", iso(0), sessionId=told.session)
    yield event("system.message", iso(0), role="system", content="Be Copilot.")
    for step, made in told.steps():
        if told.compact and step == told.compact:
            yield event("session.compaction_complete", iso(step), success=True, summaryContent=SUMMARY)
        if isinstance(made, str):
            yield event("user.message", iso(step), content=made, transformedContent=f"<date/>\n{made}")
            continue
        requests = []
        for id, call in told.calls(step, made):
            name, given = spelled("copilot", call)
            requests.append({"toolCallId": id, "name": name, "arguments": given})
        yield event("assistant.message", iso(step, 4), content="", model="gpt-test", toolRequests=requests)
        for id, call in told.calls(step, made):
            ended = {"error": {"message": call.output}} if call.failed else {"result": {"content": call.output}}
            yield event("tool.execution_complete", iso(step, 9), toolCallId=id, success=not call.failed, **ended)
    yield event("assistant.message", iso(told.length), content="Done.", model="gpt-test")


def gemini_cli(told: Told) -> Iterator[Record]:
    """A header, messages that are written again when their calls have ended, and updates."""
    yield {"sessionId": told.session, "projectHash": "p", "startTime": iso(0), "lastUpdated": iso(0)}
    for step, made in told.steps():
        if told.compact and step == told.compact:
            summary = {"id": "sum", "type": "user", "content": [{"text": SUMMARY}], "timestamp": iso(step)}
            thanks = {"id": "ok", "type": "gemini", "content": [{"text": "Got it."}], "timestamp": iso(step)}
            yield {"$set": {"messages": [summary, thanks], "lastUpdated": iso(step)}}
        if isinstance(made, str):
            yield {"id": f"u{step}", "type": "user", "content": [{"text": made}], "timestamp": iso(step)}
            yield {"$set": {"lastUpdated": iso(step)}}
            continue
        answer = {
            "id": f"g{step}",
            "type": "gemini",
            "content": "",
            "model": "gemini-test",
            "timestamp": iso(step, 3),
        }
        yield answer | {"thoughts": [{"subject": "Next", "description": f"Step {step}"}]}
        yield answer | {"toolCalls": [_gemini_call(id, call, iso(step, 9)) for id, call in told.calls(step, made)]}
    yield {"id": "end", "type": "gemini", "content": "Done.", "model": "gemini-test", "timestamp": iso(told.length)}


def _gemini_call(id: str, call: Call, at: str) -> Record:
    name, given = spelled("gemini", call)
    response = {"error" if call.failed else "output": call.output}
    result = [{"functionResponse": {"id": id, "name": name, "response": response}}]
    return {"id": id, "name": name, "args": given, "result": result, "status": "success", "timestamp": at}


def qwen_code(told: Told) -> Iterator[Record]:
    """Contents that name the one before."""
    record = told.chained()

    for step, made in told.steps():
        if told.compact and step == told.compact:
            history = [
                {"role": "user", "parts": [{"text": SUMMARY}]},
                {"role": "model", "parts": [{"text": "Got it."}]},
            ]
            payload = {"info": {}, "compressedHistory": history}
            yield record("system", "cut", iso(step), subtype="chat_compression", systemPayload=payload)
        if isinstance(made, str):
            yield record("user", f"u{step}", iso(step), message={"role": "user", "parts": [{"text": made}]})
            continue
        calls: list[Record] = [{"text": f"Step {step} comes next.", "thought": True}]
        for id, call in told.calls(step, made):
            name, given = spelled("qwen", call)
            calls.append({"functionCall": {"id": id, "name": name, "args": given}})
        spoken = {"role": "model", "parts": calls}
        yield record("assistant", f"a{step}", iso(step, 4), message=spoken, model="qwen-test")
        for id, call in told.calls(step, made):
            response = {"error" if call.failed else "output": call.output}
            part = {"functionResponse": {"id": id, "name": spelled("qwen", call)[0], "response": response}}
            yield record("tool_result", f"r{id}", iso(step, 9), message={"role": "user", "parts": [part]})
    done = {"role": "model", "parts": [{"text": "Done."}]}
    yield record("assistant", "end", iso(told.length), message=done, model="qwen-test")

"""The story as each agent's client records it on disk: agents that write one document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.recorded.story import Call, clock, iso
from tests.recorded.words import shell, spelled
from tests.recorded.writers import SUMMARY, Record, Told

__all__ = [
    "api_trace",
    "chat_export",
    "gemini_document",
    "mini_swe_agent",
    "openai_chat",
    "opencode",
    "openhands",
    "openhands_sdk",
    "swe_agent",
    "tau_bench",
]


def opencode(told: Told) -> Record:
    """Call and result are one part."""
    messages: list[Record] = []

    def add(role: str, step: int, *parts: Record, **more: Any) -> None:
        info = {"id": f"msg_{told.session}_{len(messages):03}", "role": role, "sessionID": told.session}
        info |= {"time": {"created": clock(step) * 1000}} | ({"modelID": "m"} if role == "assistant" else {}) | more
        messages.append({"info": info, "parts": list(parts)})

    for step, made in told.steps():
        if told.compact and step == told.compact:
            add("user", step, {"type": "compaction", "auto": True})
            add("assistant", step, {"type": "text", "text": SUMMARY}, summary=True)
        if isinstance(made, str):
            add("user", step, {"type": "text", "text": made})
            continue
        tools = [_tool(id, call, step) for id, call in told.calls(step, made)]
        reasoning = {"type": "reasoning", "text": f"Step {step} comes next."}
        add("assistant", step, {"type": "step-start"}, reasoning, *tools, {"type": "step-finish"})
    add("assistant", told.length, {"type": "step-start"}, {"type": "text", "text": "Done."})
    return {"info": {"id": told.session}, "messages": messages}


def _tool(id: str, call: Call, step: int) -> Record:
    name, given = spelled("opencode", call)
    ended = (
        {"status": "error", "error": call.output} if call.failed else {"status": "completed", "output": call.output}
    )
    time = {"start": clock(step) * 1000, "end": clock(step) * 1000 + 9}
    return {"type": "tool", "callID": id, "tool": name, "state": ended | {"input": given, "time": time}}


def gemini_document(told: Told) -> Record:
    """The older form: call and result are together in a message."""
    messages: list[Record] = []
    for step, made in told.steps():
        if isinstance(made, str):
            messages.append({"id": f"u{step}", "type": "user", "content": made, "timestamp": iso(step)})
            continue
        calls = []
        for id, call in told.calls(step, made):
            name, given = spelled("gemini", call)
            response = {"error" if call.failed else "output": call.output}
            result = [{"functionResponse": {"id": id, "name": name, "response": response}}]
            calls.append({"id": id, "name": name, "args": given, "result": result, "status": "success"})
        answer = {
            "id": f"g{step}",
            "type": "gemini",
            "content": "",
            "model": "gemini-test",
            "timestamp": iso(step, 3),
        }
        messages.append(answer | {"toolCalls": calls})
    messages.append({"id": "end", "type": "gemini", "content": "Done.", "timestamp": iso(told.length)})
    return {"sessionId": told.session, "projectHash": "p", "messages": messages}


def openhands(told: Told) -> list[Record]:
    """Events; a condensation forgets some and puts a summary in their place."""
    events: list[Record] = []

    def add(step: int, **fields: Any) -> None:
        events.append({"id": len(events), "timestamp": iso(step).removesuffix("Z")} | fields)

    add(0, source="agent", action="system", args={"content": "Be OpenHands."})
    for step, made in told.steps():
        if told.compact and step == told.compact:
            forgotten = {
                "forgotten_event_ids": list(range(2, len(events))),
                "summary": SUMMARY,
                "summary_offset": 2,
            }
            add(step, source="agent", action="condensation", args=forgotten)
        if isinstance(made, str):
            add(step, source="user", action="message", args={"content": made})
            continue
        calls = [(id, call, *spelled("openhands", call)) for id, call in told.calls(step, made)]
        wire = [_function(id, name, given) for id, _, name, given in calls]
        message = {"role": "assistant", "content": f"Step {step}.", "tool_calls": wire}
        answer = {"id": f"resp{step}", "model": "m", "choices": [{"message": message}]}
        for id, call, _, given in calls:
            metadata = {"tool_call_id": id, "model_response": answer}
            add(step, source="agent", action=call.kind, args=given, tool_call_metadata=metadata)
        for id, call, _, _ in calls:
            suffix = f"\n[The command completed with exit code {int(call.failed)}.]" if call.kind == "shell" else ""
            observed = {"content": call.output, "extras": {"metadata": {"suffix": suffix}}}
            add(step, source="agent", observation=call.kind, tool_call_metadata={"tool_call_id": id}, **observed)
    add(told.length, source="agent", action="message", args={"content": "Done."})
    return events


def openhands_sdk(told: Told) -> list[Record]:
    """Events with a kind; each action is one call of an answer."""
    events: list[Record] = []

    def add(kind: str, source: str, at: str, **fields: Any) -> None:
        events.append({"id": f"e{len(events)}", "kind": kind, "source": source, "timestamp": at} | fields)

    add("SystemPromptEvent", "agent", iso(0), system_prompt=_block("Be OpenHands."), tools=[])
    for step, made in told.steps():
        if told.compact and step == told.compact:
            forgotten = [event["id"] for event in events[2:]]
            fields = {"forgotten_event_ids": forgotten, "summary": SUMMARY, "summary_offset": 2}
            add("Condensation", "environment", iso(step), **fields)
        if isinstance(made, str):
            add("MessageEvent", "user", iso(step), llm_message={"role": "user", "content": [_block(made)]})
            continue
        for id, call in told.calls(step, made):
            name, given = spelled("openhands", call)
            wire = {"id": id, "name": name, "arguments": json.dumps(given), "origin": "completion"}
            fields = {"thought": [_block(f"Step {step}.")], "tool_call": wire, "llm_response_id": f"resp{step}"}
            add("ActionEvent", "agent", iso(step, 4), tool_name=name, tool_call_id=id, **fields)
        for id, call in told.calls(step, made):
            shown = {"content": [_block(call.output)], "is_error": call.failed}
            add("ObservationEvent", "environment", iso(step, 9), tool_call_id=id, observation=shown)
    done = {"role": "assistant", "content": [_block("Done.")]}
    add("MessageEvent", "agent", iso(told.length), llm_message=done)
    return events


def _block(text: str) -> Record:
    return {"type": "text", "text": text}


def swe_agent(told: Told) -> Record:
    """Actions as text, one in each answer."""
    history: list[Record] = [{"role": "system", "content": "Be SWE-agent."}]
    for step, made in told.steps():
        if isinstance(made, str):
            history.append({"role": "user", "content": made})
            continue
        for _, call in told.calls(step, made):
            action = f"open {call.target}" if call.kind == "read" else shell(call)
            shown = f"[File: {call.target} (90 lines total)]\n{call.output}" if call.kind == "read" else call.output
            history.append({"role": "assistant", "content": "", "thought": f"Step {step}.", "action": action})
            history.append({"role": "user", "content": shown})
    history.append({"role": "assistant", "content": "Done.", "thought": "Done.", "action": ""})
    config = {"agent": {"model": {"name": "gpt-test"}}}
    return {"trajectory": [], "history": history, "info": {"id": told.session}, "replay_config": config}


def mini_swe_agent(told: Told) -> Record:
    """Commands in code blocks, one in each answer."""
    messages: list[Record] = [{"role": "system", "content": "Be mini."}]
    for step, made in told.steps():
        if isinstance(made, str):
            messages.append({"role": "user", "content": made})
            continue
        for _, call in told.calls(step, made):
            messages.append({"role": "assistant", "content": f"THOUGHT: {step}\n\n```bash\n{shell(call)}\n```"})
            shown = f"<returncode>{int(call.failed)}</returncode>\n<output>\n{call.output}\n</output>"
            messages.append({"role": "user", "content": shown})
    messages.append({"role": "assistant", "content": "Done."})
    info = {"config": {"model": {"model_name": "gpt-test"}}}
    return {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}


def chat_export(told: Told) -> Record:
    """Answers split into messages of one block, each with what the owner's tool added."""
    messages: list[Record] = []

    def add(role: str, at: str, block: Record, **more: Any) -> None:
        messages.append({"role": role, "content": [block], "_metadata": {"timestamp": at}} | more)

    for step, made in told.steps():
        if isinstance(made, str):
            add("user", iso(step), {"type": "text", "text": made})
            continue
        for id, call in told.calls(step, made):
            wire = _function(id, *spelled("claude", call))
            block = {"type": "tool_call", "tool_call_id": id} | wire["function"]
            add("assistant", iso(step, 4), block, tool_calls=[wire])
        for id, call in told.calls(step, made):
            add("tool", iso(step, 9), {"type": "tool_output", "text": call.output}, tool_call_id=id)
    add("assistant", iso(told.length), {"type": "text", "text": "Done."})
    return {"messages": messages, "meta": {"models": ["m"]}}


def openai_chat(told: Told) -> list[Record]:
    """Plain chat messages."""
    return list(_chat(told))


def tau_bench(told: Told) -> list[Record]:
    """Runs with chat messages."""
    policy = {"role": "system", "content": "Be kind to customers."}
    return [{"task_id": 1, "trial": 0, "reward": 1.0, "traj": [policy, *_chat(told)]}]


def _chat(told: Told) -> Iterator[Record]:
    for step, made in told.steps():
        if isinstance(made, str):
            yield {"role": "user", "content": made}
            continue
        calls = [_function(id, *spelled("claude", call)) for id, call in told.calls(step, made)]
        yield {"role": "assistant", "content": None, "tool_calls": calls}
        for id, call in told.calls(step, made):
            yield {"role": "tool", "tool_call_id": id, "content": call.output}
    yield {"role": "assistant", "content": "Done."}


def _function(id: str, name: str, given: Any) -> Record:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}


def api_trace(told: Told) -> Iterator[Record]:
    """Every request that was sent to Anthropic, whole, with the cache breakpoint on its last block."""
    messages: list[Record] = []
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("Read", "Edit", "Bash")]
    for step, made in told.steps():
        if isinstance(made, str):
            said = {"type": "text", "text": made}
            # Alternating roles: what the person says joins the results before it.
            if messages:
                messages[-1] = {"role": "user", "content": [*messages[-1]["content"], said]}
            else:
                messages.append({"role": "user", "content": [said]})
            continue
        request = {"model": "claude-test", "max_tokens": 9, "system": "Be kind.", "tools": tools}
        yield {"request": request | {"messages": list(messages)}, "response": {}, "timestamp": iso(step)}
        uses, results = [], []
        for id, call in told.calls(step, made):
            name, given = spelled("claude", call)
            uses.append({"type": "tool_use", "id": id, "name": name, "input": given})
            results.append(
                {"type": "tool_result", "tool_use_id": id, "content": call.output, "is_error": call.failed}
            )
        messages += [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    yield {"request": request | {"messages": list(messages)}, "response": {}, "timestamp": iso(told.length)}

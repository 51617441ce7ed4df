"""litellm with Prunus: the functions of its SDK and its proxy, before a provider that plays the scenario."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner, Settings
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound
from tests.integrations.wires import TOOLS, Call, ChatWire, MessagesWire, ResponsesWire, chat_calls, schema

pytest.importorskip("litellm", reason="litellm is not installed: make integrations FRAMEWORKS=litellm")

import litellm
import yaml
from litellm.proxy import proxy_server
from litellm.proxy.guardrails.guardrail_hooks.headroom import HeadroomGuardrail
from starlette.testclient import TestClient

import prunus.integrations.litellm as integration
from prunus.integrations.litellm import PrunusHandler
from prunus.proxy.serve import Background

CONFIGURATION = Path(__file__).parents[2] / "docs" / "integrations" / "litellm.yaml"
CLAUDE = "claude-sonnet-4-5"
SUMMARY = "Your task is to create a detailed summary of the conversation so far. Do NOT call any tools."
LOOP = asyncio.new_event_loop()
"""One loop for all calls, since litellm keeps connections between them."""


class Chat(ChatWire):
    """Chat Completions: `acompletion`."""

    path, model, sdk = "/v1/chat/completions", f"openai/{MODEL}", staticmethod(litellm.acompletion)

    def body(self, history: list[Any]) -> dict[str, Any]:
        functions = [{"name": name, "parameters": schema(given)} for name, given in TOOLS.items()]
        tools = [{"type": "function", "function": one} for one in functions]
        return {"messages": [{"role": "system", "content": SYSTEM}, *history], "tools": tools}

    def read(self, answer: dict[str, Any], history: list[Any]) -> tuple[list[Call], str]:
        message = answer["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        history.append(
            {"role": "assistant", "content": message.get("content"), **({"tool_calls": calls} if calls else {})}
        )
        made = [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]
        return made, message.get("content") or ""


class Responses(ResponsesWire, Chat):
    """Responses: `aresponses`."""

    path, model, sdk = "/v1/responses", f"openai/{MODEL}", staticmethod(litellm.aresponses)

    def body(self, history: list[Any]) -> dict[str, Any]:
        tools = [
            {"type": "function", "name": name, "parameters": schema(given), "strict": False}
            for name, given in TOOLS.items()
        ]
        return {"input": history, "instructions": SYSTEM, "tools": tools, "store": False}

    def read(self, answer: dict[str, Any], history: list[Any]) -> tuple[list[Call], str]:
        output = [{key: value for key, value in item.items() if value is not None} for item in answer["output"]]
        history += output
        made = [
            (i["call_id"], i["name"], json.loads(i["arguments"])) for i in output if i["type"] == "function_call"
        ]
        return made, "".join(item["content"][0]["text"] for item in output if item["type"] == "message")


class Messages(MessagesWire, Chat):
    """Anthropic Messages: `anthropic_messages`."""

    path, model, sdk = "/v1/messages", f"anthropic/{CLAUDE}", staticmethod(litellm.anthropic_messages)

    def body(self, history: list[Any]) -> dict[str, Any]:
        tools = [{"name": name, "input_schema": schema(given)} for name, given in TOOLS.items()]
        return {"messages": history, "system": SYSTEM, "tools": tools, "max_tokens": 99}

    def read(self, answer: dict[str, Any], history: list[Any]) -> tuple[list[Call], str]:
        history.append({"role": "assistant", "content": answer["content"]})
        made = [(b["id"], b["name"], b["input"]) for b in answer["content"] if b["type"] == "tool_use"]
        return made, "".join(block["text"] for block in answer["content"] if block["type"] == "text")


@contextmanager
def provider(api: Chat, played: Played, last: Callable[[], Any]) -> Iterator[str]:
    """A provider that plays the scenario, and its address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            move = played.ask(api.rows(api.messages(body)), last())
            calls = [(move.id(n), call.tool, call.arguments) for n, call in enumerate(move.calls)]
            answer = json.dumps(api.answer(move, calls)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def play(
    api: Chat, make: Callable[[], Pruner] | None, ask: Callable[[dict[str, Any], str], dict[str, Any]]
) -> Played:
    """Run the scenario; `ask` sends one body by way of litellm to the provider at an address."""
    played = Played()

    def turn(history: list[Any], prompt: str, url: str) -> None:
        history.append(api.user(prompt))
        while True:
            calls, text = api.read(ask(api.body(history), url), history)
            if not calls:
                played.answers.append(text)
                return
            history += api.results([(id, name, played.workspace.run(name, given)) for id, name, given in calls])

    with provider(api, played, lambda: litellm.callbacks[0].last if litellm.callbacks else None) as url:
        history: list[Any] = []
        litellm.callbacks = [PrunusHandler(pruner=make())] if make else []
        turn(history, PROMPTS[0], url)
        turn(history, PROMPTS[1], url)
        played.resumed_at = len(played.requests)
        history = json.loads(json.dumps(history))
        litellm.callbacks = [PrunusHandler(pruner=make())] if make else []
        turn(history, PROMPTS[2], url)
    played.stored = api.rows(history)
    return played


@pytest.fixture(autouse=True)
def _no_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm, "callbacks", [])


@pytest.mark.parametrize(("kind", "before"), [(Chat, 1), (Responses, None), (Messages, 0)])
def test_an_agent_with_the_sdk_sends_less_and_ends_the_same(kind: type[Chat], before: int | None) -> None:
    api = kind()

    def ask(body: dict[str, Any], url: str) -> dict[str, Any]:
        base = url if kind is Messages else f"{url}/v1"
        answer = LOOP.run_until_complete(api.sdk(model=api.model, api_base=base, api_key="k", **body))
        return answer if isinstance(answer, dict) else answer.model_dump(mode="json")

    model = CLAUDE if kind is Messages else MODEL
    assert_sound(lambda make: play(api, make, ask), before=before, model=model)


@pytest.mark.parametrize(("kind", "before"), [(Chat, 1), (Responses, None), (Messages, 0)])
def test_an_agent_behind_the_proxy_sends_less_and_ends_the_same(
    kind: type[Chat], before: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = kind()
    name = "claude" if kind is Messages else MODEL

    def ask(body: dict[str, Any], url: str) -> dict[str, Any]:
        answer = clients[url].post(api.path, json={"model": name, **body}) if url in clients else begin(url, body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def begin(url: str, body: dict[str, Any]) -> Any:
        """Start the proxy with the configuration of the page, before our provider."""
        configuration = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
        for model in configuration["model_list"]:
            base = url if "anthropic" in model["litellm_params"]["model"] else f"{url}/v1"
            model["litellm_params"] |= {"api_base": base, "api_key": "k"}
        written = tmp_path / "config.yaml"
        written.write_text(yaml.safe_dump(configuration))
        given = litellm.callbacks
        LOOP.run_until_complete(proxy_server.initialize(config=str(written)))
        assert integration.handler in litellm.callbacks
        litellm.callbacks = given
        clients[url] = TestClient(proxy_server.app)
        return clients[url].post(api.path, json={"model": name, **body})

    clients: dict[str, TestClient] = {}
    monkeypatch.setattr(proxy_server, "master_key", None)
    model = CLAUDE if kind is Messages else MODEL
    assert_sound(lambda make: play(api, make, ask), before=before, model=model)


def test_another_call_and_one_without_a_history_pass_as_they_are() -> None:
    handler = PrunusHandler()
    for kwargs, kind in (({"input": ["a"]}, "aembedding"), ({"input": "a"}, "aresponses"), ({}, "acompletion")):
        assert LOOP.run_until_complete(handler.async_pre_call_deployment_hook(kwargs, kind)) is None
    assert handler.last is None
    assert LOOP.run_until_complete(handler.async_pre_call_deployment_hook({"messages": [], "n": 2}, None)) is None


@pytest.mark.parametrize("tools", [[], [{"type": "function", "function": {"name": "read_file"}}]])
def test_a_request_for_a_summary_gets_no_new_edits(tools: list[Any]) -> None:
    messages: list[Any] = [{"role": "user", "content": "Go on."}]
    for call in chat_calls([(f"c{n}", "read_file", {"path": "a"}) for n in range(4)]):
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "a line of a long file\n" * 400},
        ]
    messages.append({"role": "user", "content": "Go on." if not tools else SUMMARY})
    handler = PrunusHandler()
    kwargs = {"model": f"openai/{MODEL}", "messages": messages, "tools": tools}
    sent = LOOP.run_until_complete(handler.async_pre_call_deployment_hook(kwargs, "acompletion"))
    assert sent is not None and sent["messages"] == messages
    assert handler.last is not None and handler.last.error is None


def test_the_configuration_of_the_page_names_the_handler() -> None:
    assert CONFIGURATION.name == "litellm.yaml"
    named = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["litellm_settings"]["callbacks"]
    assert named == f"{integration.__name__}.handler"


@contextmanager
def sidecar(folder: Path) -> Iterator[str]:
    """A proxy of Prunus that keeps what it cuts, and its address."""
    settings = Settings(
        proxy={"port": 0, "deadline": 600.0, "token": "secret"}, store={"url": f"sqlite:///{folder / 'store.db'}"}
    )
    with Background(settings) as running:
        yield running.url


def _headroom(url: str) -> HeadroomGuardrail:
    return HeadroomGuardrail(api_base=url, api_key="secret", guardrail_name="prunus", event_hook="pre_call")


def test_the_guardrail_of_litellm_gets_what_it_expects_from_the_sidecar(tmp_path: Path) -> None:
    def ask(body: dict[str, Any], url: str) -> dict[str, Any]:
        bodies.append(body)
        asking = litellm.acompletion(model=Chat.model, api_base=f"{url}/v1", api_key="k", **body)
        return LOOP.run_until_complete(asking).model_dump(mode="json")

    bodies: list[dict[str, Any]] = []
    play(Chat(), None, ask)
    messages = bodies[-1]["messages"]
    with sidecar(tmp_path) as url:
        guardrail = _headroom(url)
        # Newer versions pass a hash of the session on, so that one replica gets its requests.
        more = {"affinity": None} if "affinity" in signature(guardrail._call_compress).parameters else {}
        result = LOOP.run_until_complete(guardrail._call_compress(messages, MODEL, **more))
        assert result.succeeded and len(result.messages) == len(messages)
        assert result.stats["tokens_saved"] > 0.3 * result.stats["tokens_before"]
        assert result.ccr_hashes
        texts = [message["content"] for message in messages]
        for hash in result.ccr_hashes:
            assert LOOP.run_until_complete(guardrail._call_retrieve(hash, **more)) in texts
        assert "not found" in LOOP.run_until_complete(guardrail._call_retrieve("0" * 24, **more))


def test_the_guardrail_of_litellm_withholds_the_calls_so_nothing_is_cut(tmp_path: Path) -> None:
    calls = chat_calls([(f"c{n}", "read_file", {"path": "a"}) for n in range(4)])
    text = "a line of a long file\n" * 400
    messages = [{"role": "user", "content": "Go on."}]
    for call in calls:
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": text},
        ]
    with sidecar(tmp_path) as url:
        given = {"structured_messages": messages}
        answer = LOOP.run_until_complete(_headroom(url).apply_guardrail(given, {"model": MODEL}, "request"))
    assert answer["structured_messages"] == messages

"""The SDKs of providers with transports that prune: what their server gets, and what the program gets back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import prunus
from prunus import Pruner, Settings
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet
from tests.integrations.wires import TOOLS, Call, ChatWire, GeminiWire, MessagesWire, ResponsesWire, schema

pytest.importorskip("openai", reason="openai is not installed: make integrations FRAMEWORKS=httpx")
pytest.importorskip("anthropic", reason="anthropic is not installed: make integrations FRAMEWORKS=httpx")
pytest.importorskip("google.genai", reason="google-genai is not installed: make integrations FRAMEWORKS=httpx")

import anthropic
import httpx
import openai
from google import genai

LIBRARIES = ["httpx", *(["httpx2"] if int(openai.__version__.partition(".")[0]) >= 3 else [])]
SDK_HTTP = import_module(LIBRARIES[-1])
"""The library that the SDKs here take clients of; older ones know only httpx."""


class Chat(ChatWire):
    """OpenAI Chat Completions."""

    def __init__(self, http_client: Any) -> None:
        kind = openai.AsyncOpenAI if isinstance(http_client, SDK_HTTP.AsyncClient) else openai.OpenAI
        self.client = kind(api_key="k", base_url="http://model.test/v1", http_client=http_client, max_retries=0)
        functions = [{"name": name, "parameters": schema(given)} for name, given in TOOLS.items()]
        self.tools: Any = [{"type": "function", "function": one} for one in functions]

    def ask(self, history: list[Any]) -> Any:
        messages: Any = [{"role": "system", "content": SYSTEM}, *history]
        return self.client.chat.completions.create(model=MODEL, messages=messages, tools=self.tools)

    def read(self, answer: Any, history: list[Any]) -> tuple[list[Call], str]:
        message = answer.choices[0].message
        history.append(message.model_dump(mode="json", exclude_none=True))
        made = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or ()]
        return made, message.content or ""


class Responses(ResponsesWire, Chat):
    """OpenAI Responses."""

    def __init__(self, http_client: Any) -> None:
        super().__init__(http_client)
        self.tools = [
            {"type": "function", "name": name, "parameters": schema(given), "strict": False}
            for name, given in TOOLS.items()
        ]

    def ask(self, history: list[Any]) -> Any:
        return self.client.responses.create(
            model=MODEL, input=history, instructions=SYSTEM, tools=self.tools, store=False
        )

    def read(self, answer: Any, history: list[Any]) -> tuple[list[Call], str]:
        history += [item.model_dump(mode="json", exclude_none=True) for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        return [(item.call_id, item.name, json.loads(item.arguments)) for item in calls], answer.output_text


class Messages(MessagesWire, Chat):
    """Anthropic Messages."""

    def __init__(self, http_client: Any) -> None:
        kind = anthropic.AsyncAnthropic if isinstance(http_client, SDK_HTTP.AsyncClient) else anthropic.Anthropic
        self.client = kind(api_key="k", base_url="http://model.test", http_client=http_client, max_retries=0)
        self.tools = [{"name": name, "input_schema": schema(given)} for name, given in TOOLS.items()]

    def ask(self, history: list[Any]) -> Any:
        return self.client.messages.create(
            model=MODEL, max_tokens=99, system=SYSTEM, messages=history, tools=self.tools
        )

    def read(self, answer: Any, history: list[Any]) -> tuple[list[Call], str]:
        blocks = [block.model_dump(mode="json", exclude_none=True) for block in answer.content]
        history.append({"role": "assistant", "content": blocks})
        made = [(block.id, block.name, block.input) for block in answer.content if block.type == "tool_use"]
        return made, "".join(block.text for block in answer.content if block.type == "text")


class Gemini(GeminiWire, Chat):
    """Google's generateContent."""

    def __init__(self, http_client: Any) -> None:
        self.asynchronous = isinstance(http_client, SDK_HTTP.AsyncClient)
        name = "httpx_async_client" if self.asynchronous else "httpx_client"
        options: Any = {"base_url": "http://model.test", name: http_client}
        self.client = genai.Client(api_key="k", http_options=options)
        declared = [{"name": name, "parameters_json_schema": schema(given)} for name, given in TOOLS.items()]
        quiet = {"disable": True}
        self.config: Any = {
            "tools": [{"function_declarations": declared}],
            "system_instruction": SYSTEM,
            "automatic_function_calling": quiet,
        }

    def ask(self, history: list[Any]) -> Any:
        models = self.client.aio.models if self.asynchronous else self.client.models
        return models.generate_content(model=MODEL, contents=history, config=self.config)

    def read(self, answer: Any, history: list[Any]) -> tuple[list[Call], str]:
        content = answer.candidates[0].content
        history.append(content.model_dump(mode="json", exclude_none=True))
        made = [
            (p.function_call.id, p.function_call.name, p.function_call.args)
            for p in content.parts
            if p.function_call
        ]
        return made, "".join(part.text or "" for part in content.parts)


def serve(sdk: type[Chat], played: Played, request: Any, outcome: Any) -> Any:
    """The answer of the provider."""
    rows = sdk.rows(sdk.messages(json.loads(request.content)))
    move = played.ask(rows, outcome)
    calls = [(move.id(n), call.tool, call.arguments) for n, call in enumerate(move.calls)]
    return SDK_HTTP.Response(200, json=sdk.answer(move, calls))


def play(sdk: type[Chat], make: Callable[[], Pruner] | None, *, asynchronous: bool) -> Played:
    played = Played()
    module = import_module(f"prunus.integrations.{SDK_HTTP.__name__}")

    async def ask(agent: Chat, history: list[Any], prompt: str) -> None:
        history.append(agent.user(prompt))
        while True:
            answer = agent.ask(history)
            calls, text = agent.read(await answer if asynchronous else answer, history)
            if not calls:
                played.answers.append(text)
                return
            history += agent.results([(id, name, played.workspace.run(name, given)) for id, name, given in calls])

    def begin() -> Chat:
        transport: Any = None

        def handle(request: Any) -> Any:
            return serve(sdk, played, request, transport.last if make else None)

        inner = SDK_HTTP.MockTransport(handle)
        kind = module.AsyncPruningTransport if asynchronous else module.PruningTransport
        transport = kind(inner, pruner=make()) if make else inner
        client = SDK_HTTP.AsyncClient if asynchronous else SDK_HTTP.Client
        return sdk(client(transport=transport))

    async def go() -> None:
        history: list[Any] = []
        agent = begin()
        await ask(agent, history, PROMPTS[0])
        await ask(agent, history, PROMPTS[1])
        played.resumed_at = len(played.requests)
        history = json.loads(json.dumps(history))
        await ask(begin(), history, PROMPTS[2])
        played.stored = sdk.rows(history)

    asyncio.run(go())
    return played


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(("sdk", "before"), [(Chat, 1), (Responses, None), (Messages, 0), (Gemini, 0)])
def test_an_agent_sends_less_and_ends_the_same(sdk: type[Chat], before: int | None, asynchronous: bool) -> None:
    assert_sound(lambda make: play(sdk, make, asynchronous=asynchronous), before=before)


BODY = {"model": MODEL, "messages": [{"role": "user", "content": "Hi."}], "tools": [{"name": "bash"}]}
URL = "http://model.test/v1/chat/completions"


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_response_is_that_of_the_inner_transport(library: str) -> None:
    http, module = import_module(library), import_module(f"prunus.integrations.{library}")
    response = http.Response(200, stream=http.ByteStream(b"data: {}\n\n"))
    transport = module.PruningTransport(http.MockTransport(lambda _: response), settings=Settings(preset="acp"))
    assert isinstance(transport, http.BaseTransport)
    assert transport.handle_request(http.Request("POST", URL, json=BODY)) is response
    assert transport.last.error is None and transport.last.report.messages == 1


def test_a_stream_arrives_piece_by_piece() -> None:
    pulled: list[int] = []

    class Pieces(SDK_HTTP.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for n in range(3):
                pulled.append(n)
                delta = {"index": 0, "delta": {"role": "assistant", "content": str(n)}}
                chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
                yield b"data: " + json.dumps({**chunk, "choices": [delta]}).encode() + b"\n\n"
            yield b"data: [DONE]\n\n"

    headers = {"content-type": "text/event-stream"}
    inner = SDK_HTTP.MockTransport(lambda _: SDK_HTTP.Response(200, headers=headers, stream=Pieces()))
    gpt = openai.OpenAI(api_key="k", http_client=prunus.httpx_client(SDK_HTTP, transport=inner))
    stream = iter(gpt.chat.completions.create(model=MODEL, messages=[], stream=True))
    assert next(stream).choices[0].delta.content == "0" and pulled == [0]
    assert [chunk.choices[0].delta.content for chunk in stream] == ["1", "2"]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("other", ["embeddings", "get", "encoded", "text", "broken"])
def test_any_other_request_passes_as_it_is(library: str, other: str) -> None:
    http, module = import_module(library), import_module(f"prunus.integrations.{library}")
    headers = {"content-type": "application/json", **({"content-encoding": "gzip"} if other == "encoded" else {})}
    request = {
        "embeddings": lambda: http.Request("POST", "http://model.test/v1/embeddings", json=BODY),
        "get": lambda: http.Request("GET", URL),
        "encoded": lambda: http.Request("POST", URL, content=b"...", headers=headers),
        "text": lambda: http.Request("POST", URL, content=b"..."),
        "broken": lambda: http.Request("POST", URL, content=b"...", headers=headers),
    }[other]()
    seen = []
    inner = http.MockTransport(lambda given: seen.append(given) or http.Response(200))
    module.PruningTransport(inner).handle_request(request)
    assert seen == [request]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_has_its_own_transports_behind_ours(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    http, module = import_module(library), import_module(f"prunus.integrations.{library}")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("NO_PROXY", "localhost")
    with prunus.httpx_client(http, timeout=7) as client:
        assert isinstance(client, http.Client) and client.timeout.read == 7
        behind = {type(one).__bases__[-1] for one in (client._transport, *client._mounts.values()) if one}
        assert behind == {http.BaseTransport} and len(client._mounts) == len(http.Client()._mounts) > 1
    made = prunus.async_httpx_client(http, transport=http.MockTransport(lambda _: http.Response(200)))
    assert isinstance(made, http.AsyncClient) and isinstance(made._transport.inner, http.MockTransport)
    assert type(made._transport).__name__ == module.AsyncPruningTransport.__name__


def test_the_snippet_of_the_page_makes_clients_that_prune() -> None:
    made = load_snippet("httpx.py")
    for client in (made.claude, made.gpt):
        assert hasattr(client._client._transport, "pruner")


def test_the_library_is_httpx2_where_it_is_installed() -> None:
    assert type(prunus.httpx_client()).__module__.partition(".")[0] == LIBRARIES[-1]
    assert httpx.Client in type(prunus.httpx_client(httpx)).__mro__

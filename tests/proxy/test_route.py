"""Where requests go."""

import pytest

from prunus.proxy.route import Route, join, route


@pytest.mark.parametrize(
    ("path", "upstream", "sent", "format"),
    [
        ("/v1/messages", "anthropic", "/v1/messages", "anthropic_messages"),
        ("/messages", "anthropic", "/v1/messages", "anthropic_messages"),
        ("/v1/chat/completions", "openai", "/v1/chat/completions", "openai_chat"),
        ("/chat/completions", "openai", "/v1/chat/completions", "openai_chat"),
        ("/v1/responses", "openai", "/v1/responses", "openai_responses"),
        ("/responses", "openai", "/v1/responses", "openai_responses"),
        ("/backend-api/codex/responses", "openai", "/backend-api/codex/responses", "openai_responses"),
        ("/v1beta/openai/chat/completions", "gemini", "/v1beta/openai/chat/completions", "openai_chat"),
    ],
)
def test_a_model_is_found_with_and_without_version(path: str, upstream: str, sent: str, format: str) -> None:
    assert route("POST", path, ()) == Route(upstream, sent, format)


@pytest.mark.parametrize("before", ["", "/v1beta", "/v1"])
@pytest.mark.parametrize("verb", ["generateContent", "streamGenerateContent"])
def test_gemini_names_its_model_in_the_path(before: str, verb: str) -> None:
    found = route("POST", f"{before}/models/gemini-2.5-pro:{verb}", ())
    assert (found.upstream, found.format, found.model) == ("gemini", "gemini", "gemini-2.5-pro")
    assert found.streaming == (verb == "streamGenerateContent")
    assert found.path == f"{before or '/v1beta'}/models/gemini-2.5-pro:{verb}"


@pytest.mark.parametrize(
    ("method", "path", "headers", "upstream"),
    [
        ("HEAD", "/api/hello", (), "anthropic"),
        ("POST", "/v1/messages/count_tokens", ("anthropic-version",), "anthropic"),
        ("GET", "/v1/models", ("x-api-key",), "anthropic"),
        ("GET", "/v1/models", ("authorization",), "openai"),
        ("GET", "/v1beta/models", (), "gemini"),
        ("GET", "/v1/models", ("x-goog-api-key",), "gemini"),
        ("POST", "/v1beta/models/gemini-2.5-pro:countTokens", (), "gemini"),
        ("POST", "/v1/threads/t1/messages", (), "openai"),
        ("POST", "/v1/completions", (), "openai"),
        ("GET", "/v1/messages", (), "anthropic"),
    ],
)
def test_everything_else_passes_through(method: str, path: str, headers: tuple[str, ...], upstream: str) -> None:
    assert route(method, path, headers) == Route(upstream, path)


def test_a_request_without_a_sign_of_its_provider_goes_to_the_clients_provider() -> None:
    assert route("HEAD", "/", ()).upstream == "openai"
    assert route("HEAD", "/", (), "anthropic").upstream == "anthropic"


def test_a_named_upstream_gets_the_path_as_it_is() -> None:
    assert route("POST", "/@groq/openai/v1/chat/completions", ()) == Route(
        "groq", "/openai/v1/chat/completions", "openai_chat"
    )
    assert route("POST", "/@pplx/chat/completions", ()).path == "/chat/completions"
    assert route("GET", "/@groq", ()) == Route("groq", "/")


@pytest.mark.parametrize(
    ("address", "path", "url"),
    [
        ("https://a.example", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/", "/v1/messages", "https://a.example/v1/messages"),
        ("https://a.example/api/v1", "/v1/chat/completions", "https://a.example/api/v1/chat/completions"),
        ("https://a.example/openai", "/v1/chat/completions", "https://a.example/openai/v1/chat/completions"),
        ("https://a.example/v1", "/other", "https://a.example/v1/other"),
    ],
)
def test_a_version_is_named_once(address: str, path: str, url: str) -> None:
    assert join(address, path) == url

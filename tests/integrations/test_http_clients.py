"""The laws of the HTTP clients: what is no request to a model passes as the bytes that came."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.integrations.http_clients import prune_request
from prunus.integrations.integration import Integration
from tests.formats import FIELDS, call_and_result
from tests.integrations.scenario import FailingPruner
from tests.validity import new_problems

LONG = "\n".join(f"line {n} of a file that is long enough to be worth a note" for n in range(60))
PATHS = {
    "anthropic_messages": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-3-pro:generateContent",
}


def body_of(format: str, reads: list[str]) -> dict[str, Any]:
    """A request in which a model has read these files."""
    pairs = [
        call_and_result(format, f"c{n}", "read_file", {"path": f"{name}.py"}, f"# {name}\n{LONG}")
        for n, name in enumerate(reads)
    ]
    return {"tools": [{"name": "read_file"}], FIELDS[format]: [message for pair in pairs for message in pair]}


def at_once() -> Integration:
    return Integration(pruner=Pruner(Settings(preset="acp")))


@pytest.mark.parametrize("format", FIELDS)
@given(reads=st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
def test_a_body_is_pruned_in_its_format_as_bytes_and_as_objects(format: str, reads: list[str]) -> None:
    body = body_of(format, reads)
    raw = json.dumps(body).encode()
    here = at_once()
    sent = prune_request(here, PATHS[format], raw)
    assert here.last is not None and here.last.error is None and here.last.report.format == format
    assert new_problems(raw, sent, format) == []
    assert len(sent) <= len(raw) and (sent == raw) == (not here.last.edits)
    assert prune_request(at_once(), PATHS[format], sent) == sent
    assert at_once().prune(body, format=format).body == json.loads(sent)
    assert body == json.loads(raw)


def test_the_path_names_the_model_where_the_body_does_not() -> None:
    here = at_once()
    prune_request(here, PATHS["gemini"], json.dumps(body_of("gemini", ["a"])).encode())
    assert here.last is not None and here.last.report.model == "gemini-3-pro"


@given(st.binary(), st.sampled_from([*PATHS.values(), "/v1/embeddings", "/"]))
def test_any_other_bytes_pass_as_they_came(body: bytes, path: str) -> None:
    assert prune_request(at_once(), path, body) == body


def test_another_path_is_not_looked_at() -> None:
    here = Integration(pruner=FailingPruner())
    body = json.dumps(body_of("openai_chat", ["a", "a"])).encode()
    assert prune_request(here, "/v1/embeddings", body) is body
    assert here.last is None


@pytest.mark.parametrize("format", FIELDS)
def test_a_failure_of_the_pruner_passes_the_body_as_it_came(format: str) -> None:
    body = body_of(format, ["a", "a"])
    raw = json.dumps(body).encode()
    assert prune_request(Integration(pruner=FailingPruner()), PATHS[format], raw) is raw
    assert Integration(pruner=FailingPruner()).prune(body).body is body


def test_a_request_without_tools_keeps_the_edits_of_its_conversation_and_gets_no_new_ones() -> None:
    here, path = at_once(), PATHS["openai_chat"]
    body = body_of("openai_chat", ["a", "a"])
    sent = json.loads(prune_request(here, path, json.dumps(body).encode()))
    more = {**body, "messages": [*body["messages"], *body_of("openai_chat", ["b", "b"])["messages"]]}
    title = json.loads(prune_request(here, path, json.dumps({"messages": more["messages"]}).encode()))
    assert title["messages"] == [*sent["messages"], *more["messages"][4:]]

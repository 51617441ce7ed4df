"""Programs that have their bodies pruned, and send them themselves."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.store import open_store
from tests.proxy.caller import Answered, call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import BODIES, TEXT, steps

FORMATS = tuple(BODIES)


def given(format: str, count: int = 4) -> dict[str, Any]:
    return BODIES[format](steps(count))


def send(url: str, value: object, path: str = "/v1/prune", *headers: tuple[str, str]) -> Answered:
    return call(url, "POST", path, json.dumps(value).encode(), headers)


def asked(url: str, value: object, path: str = "/v1/prune", *headers: tuple[str, str]) -> Any:
    answered = send(url, value, path, *headers)
    assert answered.status == 200, answered.body
    return json.loads(answered.body)


def chat(count: int = 4) -> dict[str, Any]:
    """A call of a guardrail: messages and model, nothing else."""
    body = given("openai_chat", count)
    return {"messages": body["messages"], "model": body["model"]}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("told", [True, False])
def test_a_body_comes_back_as_the_library_prunes_it(provider: Provider, format: str, told: bool) -> None:
    pruner = Pruner(Settings(preset="acp"))
    with behind(provider) as proxy:
        for count in range(2, 7):
            body = given(format, count)
            call = {"body": body, "key": "one", "model": "gpt-5", **({"format": format} if told else {})}
            answer = asked(proxy.url, call)
            outcome = pruner.prune(json.dumps(body).encode(), format=format, model="gpt-5")
            assert answer["body"] == json.loads(outcome.body)
            assert answer["error"] is None
            report = answer["report"]
            assert report["tokens_before"] == outcome.report.tokens_before
            assert report["tokens_after"] == outcome.report.tokens_after
            assert (report["format"], report["request"], report["messages"]) == (format, count - 1, 2 * count + 5)
            assert (report["cache_break"] is None) is (outcome.flush is None)
    assert report["tokens_after"] < report["tokens_before"]
    assert report["strategies"]
    assert provider.asked == []


def test_a_list_of_messages_is_a_body_too(provider: Provider) -> None:
    messages = given("anthropic_messages")["messages"]
    with behind(provider) as proxy:
        answer = asked(proxy.url, {"body": messages})
    assert len(answer["body"]) == len(messages)
    assert len(json.dumps(answer["body"])) < len(json.dumps(messages))


def test_bytes_that_are_not_cut_come_back_as_they_were(provider: Provider) -> None:
    text = json.dumps(given("openai_chat"))
    odd = text.replace(
        '"model": "gpt-5"', '"temperature":   1.50e0, "model": "gpt-5", "seed": 12345678901234567890123'
    )
    with behind(provider) as proxy:
        answered = call(proxy.url, "POST", "/v1/prune", b'{"body": ' + odd.encode() + b"}")
    assert b'"temperature":   1.50e0, "model": "gpt-5", "seed": 12345678901234567890123' in answered.body
    assert answered.header("content-type") == "application/json"


def test_half_of_a_surrogate_pair_comes_back_as_it_was(provider: Provider, tmp_path: Path) -> None:
    odd = "cut in an emoji \ud83d"
    body = BODIES["openai_chat"]([(tool, given, odd + result) for tool, given, result in steps(4)])
    messages = body["messages"]
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    with behind(provider, store=store) as proxy:
        pruned = asked(proxy.url, {"body": body})["body"]["messages"]
        answer = asked(proxy.url, {"messages": messages, "model": "gpt-5"}, "/v1/compress")
        [hash, *_] = answer["ccr_hashes"]
        found = json.loads(call(proxy.url, "GET", f"/v1/retrieve/{hash}").body)["original_content"]
    assert pruned[-1] == answer["messages"][-1] == messages[-1]
    assert found in [str(message["content"]).replace("\ud83d", "\ufffd") for message in messages]
    assert sum(odd in str(message["content"]) for message in pruned) < len(steps(4))


def test_a_compressed_call_is_read(provider: Provider) -> None:
    packed = gzip.compress(json.dumps({"body": given("openai_chat")}).encode())
    with behind(provider) as proxy:
        answered = call(proxy.url, "POST", "/v1/prune", packed, [("content-encoding", "gzip")])
    assert json.loads(answered.body)["report"]["tokens_after"] > 0


@pytest.mark.parametrize("body", [{"hello": 1}, "text", 7, None, {"messages": "none"}])
def test_a_body_that_cannot_be_pruned_comes_back_with_the_reason(provider: Provider, body: object) -> None:
    with behind(provider) as proxy:
        answer = asked(proxy.url, {"body": body})
    assert answer["body"] == body
    assert isinstance(answer["error"], str)


def test_an_unknown_format_is_an_error_of_the_body(provider: Provider) -> None:
    with behind(provider) as proxy:
        answer = asked(proxy.url, {"body": given("openai_chat"), "format": "no such format"})
    assert answer["body"] == given("openai_chat")
    assert "no such format" in answer["error"]


@pytest.mark.parametrize("path", ["/v1/prune", "/v1/compress"])
@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"{}", b'{"body"', b'{"messages": 1}', b"\xff" * 9])
def test_a_malformed_call_of_the_sidecar_is_refused(provider: Provider, path: str, raw: bytes) -> None:
    with behind(provider) as proxy:
        answered = call(proxy.url, "POST", path, raw)
        assert answered.status == 400
        assert "expected" in json.loads(answered.body)["error"]["message"]
        assert call(proxy.url, "GET", "/healthz").status == 200


@pytest.mark.parametrize("path", ["/v1/prune", "/v1/compress"])
def test_a_body_over_the_limit_is_refused(provider: Provider, path: str) -> None:
    with behind(provider, limits={"body": 1000}) as proxy:
        value = {"body": given("openai_chat"), "messages": given("openai_chat")["messages"]}
        assert send(proxy.url, value, path).status == 413
        raw = json.dumps(value).encode()
        chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(raw), raw)
        assert call(proxy.url, "POST", path, chunks, [("transfer-encoding", "chunked")]).status == 413


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/prune"), ("PUT", "/v1/compress"), ("POST", "/v1/retrieve/0123456789ab")]
)
def test_another_method_is_refused(provider: Provider, method: str, path: str) -> None:
    with behind(provider) as proxy:
        answered = call(proxy.url, method, path, b"{}")
    assert answered.status == 405
    assert answered.header("allow") in ("POST", "GET")


def test_a_fault_of_ours_gives_the_body_back(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the tenant is broken")

    with behind(provider) as proxy:
        monkeypatch.setattr(Pruner, "prune", broken)
        answer = asked(proxy.url, {"body": given("openai_chat")})
        assert answer["body"] == given("openai_chat")
        assert answer["error"] == "RuntimeError: the tenant is broken"
        compressed = asked(proxy.url, chat(), "/v1/compress")
        assert compressed["messages"] == chat()["messages"]
        assert (compressed["compression_ratio"], compressed["ccr_hashes"]) == (1.0, [])
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert 'prunus_faults_total{where="pruning"} 2.0' in metrics


def test_a_fault_while_the_answer_is_written_gives_the_body_back(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prunus.proxy.sidecar.tallies_record", lambda tallies: 1 // bool(not tallies))
    with behind(provider) as proxy:
        answer = asked(proxy.url, {"body": given("openai_chat")})
    assert answer["body"] == given("openai_chat")
    assert answer["error"].startswith("ZeroDivisionError")


def test_at_the_deadline_the_body_comes_back_with_the_edits_in_force(provider: Provider) -> None:
    with behind(provider, proxy={"deadline": 1e-9}) as proxy:
        answer = asked(proxy.url, {"body": given("openai_chat")})
    assert answer["error"] is None
    assert answer["report"]["behind"]
    assert answer["body"] == given("openai_chat")


def test_in_shadow_mode_the_body_is_the_given_one(provider: Provider, tmp_path: Path) -> None:
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    with behind(provider, proxy={"shadow": True}, store=store) as proxy:
        answer = asked(proxy.url, {"body": given("openai_chat")})
        compressed = asked(proxy.url, chat(5), "/v1/compress")
    assert answer["body"] == given("openai_chat")
    assert answer["report"]["tokens_after"] < answer["report"]["tokens_before"]
    assert compressed["messages"] == chat(5)["messages"]
    assert compressed["ccr_hashes"] == []


def test_cuts_of_the_sidecar_are_stored_and_counted(provider: Provider, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}) as proxy:
        for count in range(2, 6):
            asked(proxy.url, {"body": given("anthropic_messages", count)}, "/v1/prune", ("user-agent", "agent/2.0"))
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert 'prunus_requests_total{format="anthropic_messages",what="pruned"}' in metrics
    store = open_store(url, existing=True)
    [session] = store.sessions("")
    assert (session.client, len(store.exchanges("", session.id))) == ("agent", 4)
    assert TEXT in [store.original("", receipt.original) for receipt in store.receipts("")]
    store.close()


def test_messages_come_back_in_number_and_order_with_their_sizes(provider: Provider) -> None:
    with behind(provider) as proxy:
        answer = asked(proxy.url, chat(), "/v1/compress")
    before = chat()["messages"]
    shapes = [[(m["role"], m.get("tool_call_id")) for m in messages] for messages in (answer["messages"], before)]
    assert shapes[0] == shapes[1]
    assert len(json.dumps(answer["messages"])) < len(json.dumps(before))
    assert answer["tokens_saved"] == answer["tokens_before"] - answer["tokens_after"] > 0
    assert answer["compression_ratio"] == answer["tokens_after"] / answer["tokens_before"]
    assert answer["transforms_applied"]
    # Nothing is kept, so nothing could be retrieved.
    assert answer["ccr_hashes"] == []
    assert "hash=" not in json.dumps(answer["messages"])


def test_a_command_to_prunus_stays_among_the_messages_of_a_guardrail(provider: Provider) -> None:
    body = chat()
    body["messages"].append({"role": "user", "content": "/prunus stats"})
    with behind(provider) as proxy:
        answer = asked(proxy.url, body, "/v1/compress")
    assert answer["messages"][-1] == body["messages"][-1]
    assert len(answer["messages"]) == len(body["messages"])


def test_a_text_that_was_cut_can_be_retrieved_by_its_hash(provider: Provider, tmp_path: Path) -> None:
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    before: list[Any] = []
    with behind(provider, store=store) as proxy:
        for count in range(2, 7):
            answer = asked(proxy.url, chat(count), "/v1/compress")
            # What was marked stays so, and the provider's cache with it.
            for old, new in zip(before, answer["messages"], strict=False):
                assert old == new or "hash=" not in str(old["content"])
            before = answer["messages"]
        assert answer["ccr_hashes"]
        texts = [m["content"] for m in answer["messages"]]
        given_texts = [m["content"] for m in chat(6)["messages"]]
        for hash in answer["ccr_hashes"]:
            assert len(hash) == 24
            [index] = [n for n, text in enumerate(texts) if text and text.endswith(f"\n[original: hash={hash}]")]
            found = json.loads(call(proxy.url, "GET", f"/v1/retrieve/{hash}?query=greet").body)
            assert found == {"hash": hash, "original_content": given_texts[index]}
        hash = answer["ccr_hashes"][0]
        assert call(proxy.url, "GET", f"/v1/retrieve/{hash.upper()}").status == 200
        for wrong in ("", "0" * 24, hash[:12], hash[:-1] + "_", "..%2f..", "%00", hash + "00"):
            assert call(proxy.url, "GET", f"/v1/retrieve/{wrong}").status == 404


def test_a_hash_of_one_tenant_retrieves_nothing_for_another(provider: Provider, tmp_path: Path) -> None:
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    with behind(provider, store=store, proxy={"token": "alpha,beta"}) as proxy:
        own, other = ("x-prunus-token", "alpha"), ("authorization", "Bearer beta")
        [hash, *_] = asked(proxy.url, chat(), "/v1/compress", own)["ccr_hashes"]
        assert call(proxy.url, "GET", f"/v1/retrieve/{hash}", headers=[own]).status == 200
        assert call(proxy.url, "GET", f"/v1/retrieve/{hash}", headers=[other]).status == 404
        assert call(proxy.url, "GET", f"/v1/retrieve/{hash}").status == 401
        # The other tenant's own text has the same hash, and is the other tenant's.
        assert hash in asked(proxy.url, chat(), "/v1/compress", other)["ccr_hashes"]
        assert call(proxy.url, "GET", f"/v1/retrieve/{hash}", headers=[other]).status == 200


@pytest.mark.parametrize("path", ["/v1/prune", "/v1/compress", "/v1/retrieve/" + "0" * 24])
def test_the_gate_stands_before_the_sidecar(provider: Provider, path: str) -> None:
    method = "GET" if "retrieve" in path else "POST"
    with behind(provider, proxy={"token": "secret"}) as proxy:
        for wrong in ([], [("authorization", "Bearer wrong")], [("authorization", "Basic secret")]):
            assert call(proxy.url, method, path, b"{}", wrong).status == 401
        for right in ([("authorization", "Bearer secret")], [("x-prunus-token", "secret")]):
            assert call(proxy.url, method, path, b"{}", right).status in (400, 404)
            page = [*right, ("sec-fetch-site", "cross-site")]
            assert call(proxy.url, method, path, b"{}", page).status == 403
        # A request that is passed on has the provider's key in this header.
        assert call(proxy.url, "GET", "/v1/models", headers=[("authorization", "Bearer secret")]).status == 401
    with behind(provider) as proxy:
        assert call(proxy.url, method, path, b"{}", [("host", "evil.example")]).status == 403
        assert call(proxy.url, method, path, b"{}", [("origin", "https://evil.example")]).status == 403
    assert provider.asked == []


def test_a_store_that_fails_costs_only_what_it_would_have_kept(provider: Provider, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with behind(provider, store={"url": f"sqlite:///{path}"}) as proxy:
        first = asked(proxy.url, chat(3), "/v1/compress")
        for file in tmp_path.glob("store.db*"):
            file.unlink()
        path.mkdir()
        assert asked(proxy.url, chat(4), "/v1/compress")["tokens_saved"] > 0
        [hash, *_] = first["ccr_hashes"]
        assert call(proxy.url, "GET", f"/v1/retrieve/{hash}").status in (404, 503)


def test_programs_with_other_credentials_do_not_share_conversations(provider: Provider) -> None:
    with behind(provider) as proxy:
        value = {"body": given("openai_chat"), "key": "same"}
        one = asked(proxy.url, value, "/v1/prune", ("authorization", "Bearer one"))
        two = asked(proxy.url, value, "/v1/prune", ("authorization", "Bearer two"))
        again = asked(proxy.url, value, "/v1/prune", ("authorization", "Bearer one"))
    assert (one["report"]["request"], two["report"]["request"], again["report"]["request"]) == (1, 1, 2)

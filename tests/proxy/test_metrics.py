"""The metrics that the proxy shows."""

import json

from aiohttp import web
from prometheus_client.parser import text_string_to_metric_families

from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body


def test_health_is_json(provider: Provider) -> None:
    with behind(provider) as proxy:
        got = call(proxy.url, "GET", "/healthz")
    assert (got.status, got.header("content-type")) == (200, "application/json")
    assert json.loads(got.body)["status"] == "ok"


def test_metrics_count_what_happened(provider: Provider) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        usage = {"input_tokens": 1000, "cache_read_input_tokens": 50, "output_tokens": 3}
        return web.json_response({"usage": usage})

    provider.answer = answer
    with behind(provider) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
        call(proxy.url, "POST", "/v1/messages", b"{}")
        call(proxy.url, "GET", "/v1/models")
        raw = call(proxy.url, "GET", "/metrics").body.decode()
    families = list(text_string_to_metric_families(raw))
    assert all(family.name.startswith("prunus_") for family in families)
    values = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }
    assert values["prunus_requests_total", "anthropic_messages", "pruned"] == 1
    assert values["prunus_requests_total", "", "skipped"] == 1
    assert values["prunus_requests_total", "", "passed"] == 1
    assert values["prunus_answers_total", "200", "anthropic"] == 2
    assert values["prunus_billed_tokens_total", "cache_read", "claude-sonnet-4-5"] == 50
    before, after = (
        values["prunus_tokens_total", *sorted((when, "claude-sonnet-4-5", "real"))] for when in ("before", "after")
    )
    assert before > after > 0
    before, after = (
        values["prunus_cost_tokens_total", *sorted((when, "claude-sonnet-4-5", "real"))]
        for when in ("before", "after")
    )
    assert before > after > 0
    assert values["prunus_open_requests",] == 0


def test_one_process_shows_no_series_that_workers_do_not_show(provider: Provider) -> None:
    with behind(provider) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
        raw = call(proxy.url, "GET", "/metrics").body.decode()
    assert "prunus_requests_total{" in raw
    assert "_created" not in raw


def test_models_beyond_the_limit_share_one_label(provider: Provider) -> None:
    with behind(provider) as proxy:
        for n in range(110):
            call(proxy.url, "POST", "/v1/messages", body("anthropic_messages", 1, model=f"model-{n}"))
        raw = call(proxy.url, "GET", "/metrics").body.decode()
    assert 'model="other"' in raw
    assert 'model="model-109"' not in raw


def test_requests_in_shadow_mode_are_counted_separately(provider: Provider) -> None:
    with behind(provider, proxy={"shadow": True}) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"))
        raw = call(proxy.url, "GET", "/metrics").body.decode()
    assert 'prunus_requests_total{format="anthropic_messages",what="shadow"} 1.0' in raw
    assert 'mode="shadow"' in raw
    assert 'mode="real"' not in raw

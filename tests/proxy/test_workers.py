"""Several processes that answer as one."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests.proxy.caller import call
from tests.proxy.provider import Provider
from tests.proxy.talk import body

COUNT = 'prunus_requests_total{format="anthropic_messages",what="pruned"} 12.0'


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that share a listener")
def test_any_worker_tells_the_counts_of_all(provider: Provider) -> None:
    upstream = f"anthropic={provider.url}"
    options = ["--port", "0", "--store", "off", "--upstream", upstream, "--set", "proxy.workers=2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "prunus", "proxy", *options], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        url = process.stderr.readline().split()[-1]
        for _ in range(12):
            assert call(url, "POST", "/v1/messages", body("anthropic_messages")).status == 200
        # A request is counted behind its answer, so the last one may not be yet.
        while not all(COUNT in call(url, "GET", "/metrics").body.decode() for _ in range(6)):
            time.sleep(0.05)
    finally:
        process.terminate()
        process.communicate()

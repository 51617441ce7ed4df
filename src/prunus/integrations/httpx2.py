"""Transports for httpx2, which the newest SDKs of Anthropic and OpenAI use in place of httpx.

client = Anthropic(http_client=httpx2.Client(transport=PruningTransport()))
"""

from __future__ import annotations

import httpx2

from prunus.integrations.http_clients import transports

PruningTransport, AsyncPruningTransport = transports(httpx2)

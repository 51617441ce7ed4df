"""Transports for httpx, and so for every SDK that lets one bring an httpx client.

client = OpenAI(http_client=httpx.Client(transport=PruningTransport()))
"""

from __future__ import annotations

import httpx

from prunus.integrations.http_clients import transports

PruningTransport, AsyncPruningTransport = transports(httpx)

"""SDKs of providers whose requests are pruned."""

import os

from anthropic import Anthropic
from openai import OpenAI

import prunus

claude = Anthropic(api_key=os.environ.get("ANTHROPIC_API_KEY", "..."), http_client=prunus.httpx_client())
gpt = OpenAI(api_key=os.environ.get("OPENAI_API_KEY", "..."), http_client=prunus.httpx_client())

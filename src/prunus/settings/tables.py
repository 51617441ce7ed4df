"""Settings tables that belong to no strategy, guard or schedule: limits, prices, agent, proxy, store."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StrictBool

from prunus.settings.generated_sections import Count, Section

MIB: Final = 1024 * 1024


def _place(url: str) -> str:
    if url not in ("", "off") and not re.match(r"sqlite:///.|postgresql://|rediss?://", url):
        raise ValueError(
            "expected sqlite:///PATH, postgresql://HOST/DATABASE, redis://HOST, off, or nothing for the default"
        )
    return url


def _keys(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    for one in (given,) if isinstance(given, str) else given:
        if one and not re.fullmatch(r"env:\w+|file:.+|[A-Za-z0-9+/_-]{43}=?", one):
            raise ValueError(
                "expected file:PATH, env:NAME, or 32 random bytes in base64, as `openssl rand -base64 32` prints"
            )
    return given


class Tokens(Section):
    """How Prunus counts tokens."""

    exact: StrictBool = False
    """Count with a tokenizer instead of estimating; needs `prunus[tokens]`."""
    encoding: str = "o200k_base"
    """The vocabulary of the tokenizer, for exact counts."""


class Limits(Section):
    """How large a request Prunus prunes, and how much it remembers."""

    body: Count = 64 * MIB
    """Prunus sends requests of more bytes than this unchanged."""
    conversations: Count = 1_024
    """The number of conversations that Prunus remembers at a time."""
    memory: Count = 256 * MIB
    """The bytes of memory that the remembered conversations may take."""
    idle: Count = 86_400
    """Seconds after which Prunus forgets a conversation without new requests."""


class Manual(Section):
    """Manual mode: Prunus prunes only on request."""

    enabled: StrictBool = False
    """Whether manual mode is on."""
    automatic_strategies: StrictBool = True
    """Whether the strategies run in manual mode too."""


class PriceRow(Section):
    """Prices of some models. All but `input` are relative to an uncached input token."""

    model: str
    """The model's name; `*` and `?` are wildcards."""
    input: float | None = Field(None, ge=0)
    """The dollars of a million uncached input tokens, for reports."""
    read: float | None = Field(None, ge=0)
    """The price of a token that is read from the cache."""
    write: float | None = Field(None, ge=0)
    """The price of a token that is written to the cache."""
    ttl: float | None = Field(None, ge=0)
    """The lifetime of an unused cache entry in seconds."""
    tier: int | None = Field(None, ge=1)
    """A request of more tokens than this costs `tier_factor` times as much."""
    tier_factor: float | None = Field(None, ge=1)
    """The price factor of a request above `tier` tokens."""
    long_write: float | None = Field(None, ge=0)
    """The price of a token that is written to the cache for the longer lifetime, if the provider has one."""
    long_ttl: float | None = Field(None, ge=0)
    """The longer lifetime in seconds."""
    minimum: int | None = Field(None, ge=0)
    """The provider does not cache a prefix of fewer tokens than this."""


class CacheSettings(Section):
    """How long the provider's prompt cache lives, with the proxy and an API that lets a request say so."""

    lifetime: Literal["as sent", "1h", "auto"] = "as sent"
    """The lifetime of the client's cache marks: `as sent` leaves it to the client, `1h` asks for an hour, whose
    writes cost more, and `auto` does so where the pauses of the user so far would have paid for it."""
    keep_alive: Annotated[int, Field(strict=True, ge=0, le=3)] = 0
    """The number of keep-alive requests after a finished answer, at most: each reads the cache shortly before it
    expires, if that would have paid in the pauses so far."""


class Agent(Section):
    """How the agent itself may prune its context."""

    offer: Literal["off", "hidden", "mcp", "library"] = "off"
    """Who offers `context_prune` to the agent: nobody, the proxy without the client noticing, `prunus mcp`, or your
    own agent loop."""
    commands: StrictBool = True
    """Whether the proxy answers `/prunus ...` and `/acp ...` in the chat."""
    intent: StrictBool = False
    """Whether the proxy adds an `intent` argument to every edit tool."""
    hops: Count = 4
    """How often the proxy may continue one turn of the model by itself."""
    own_ids: StrictBool = True
    """Whether the agent also sees the ids of its own text and reasoning."""
    guidance: StrictBool = False
    """Whether a system text tells an agent with `context_prune` what to prune, and when."""


class StoreSettings(Section):
    """What Prunus keeps on disk."""

    url: Annotated[str, AfterValidator(_place)] = ""
    """`sqlite:///PATH`, `postgresql://USER@HOST/DATABASE` (needs `prunus[postgres]`), `redis://HOST:PORT/NUMBER` or
    `rediss://` with TLS (needs `prunus[redis]`; keeps no receipts), or `off` to keep nothing. Empty means a file in
    the user's data directory."""
    size: Count = 512 * MIB
    """The bytes that the store may take; Prunus removes the oldest conversations first."""
    days: Count = 30
    """Days after which Prunus removes a conversation without new requests."""
    receipts: StrictBool = True
    """Whether SQLite and Postgres keep requests, receipts, originals and totals; a Redis store never does."""
    originals: StrictBool = True
    """Whether the store keeps cut content, so that `prunus restore` can show it."""
    originals_days: Count = 0
    """Days after which Prunus removes cut content, while the receipt stays; 0 keeps it with its conversation."""
    key: Annotated[str | tuple[str, ...], AfterValidator(_keys), Field(repr=False)] = ""
    """The key that encrypts what the store keeps of the words of a conversation (needs `prunus[encrypted]`):
    `file:PATH`, `env:NAME`, or 32 bytes in base64. Of a list the first key encrypts, and all decrypt."""


class Upstreams(Section):
    """The addresses of the providers."""

    anthropic: str = "https://api.anthropic.com"
    """The address for the Messages API."""
    openai: str = "https://api.openai.com"
    """The address for the Chat Completions and Responses APIs."""
    gemini: str = "https://generativelanguage.googleapis.com"
    """The address for the Gemini API."""
    more: tuple[Annotated[str, Field(pattern=r"^[\w.-]+=https?://.+")], ...] = ()
    """Further providers as `NAME=URL`: clients reach `groq` under the base URL `http://HOST:PORT/@groq`."""

    def addresses(self) -> dict[str, str]:
        """Return the address of every provider by name."""
        named = {"anthropic": self.anthropic, "openai": self.openai, "gemini": self.gemini}
        return named | {name: url for name, _, url in (entry.partition("=") for entry in self.more)}


class Proxy(Section):
    """How the proxy listens and forwards requests."""

    host: str = "127.0.0.1"
    """The address to listen on; any address but loopback needs a token."""
    port: Count = 8787
    """The port to listen on; 0 means any free port."""
    token: str = ""
    """The token that clients must send as `x-prunus-token`; several tokens, separated by commas, keep the data of
    their users apart."""
    names: tuple[str, ...] = ()
    """Further host names by which clients may call the proxy without a token."""
    shadow: StrictBool = False
    """Send every request unchanged, and report what Prunus would have pruned."""
    connect_timeout: Annotated[float, Field(gt=0)] = 30.0
    """Seconds to wait for a connection to the provider."""
    idle_timeout: Annotated[float, Field(gt=0)] = 600.0
    """Seconds to wait for the next byte from the provider."""
    deadline: Annotated[float, Field(gt=0)] = 2.0
    """Seconds that pruning a request may take; after that the proxy sends it with the edits made so far."""
    drain: Annotated[float, Field(ge=0)] = 0.0
    """Seconds between the first SIGTERM or Ctrl-C and the closing of the port, in which `/readyz` answers 503, so
    that a load balancer stops sending requests."""
    grace: Annotated[float, Field(ge=0)] = 120.0
    """Seconds that running answers get once the port is closed; a second signal ends them at once."""
    verbose: StrictBool = False
    """Whether `prunus proxy` logs every edit, as with `-v`."""
    log: Literal["text", "json"] = "text"
    """What `prunus proxy` writes to standard error: lines for people, or a JSON object a line, without words of
    conversations."""
    otlp: Annotated[str, Field(pattern=r"^(https?://.+)?$")] = ""
    """The address of an OpenTelemetry collector, as `http://HOST:4318`: it gets a span for each request of a model,
    as OTLP over HTTP. Needs `prunus[otel]`; empty means none."""
    workers: Annotated[int, Field(strict=True, ge=1)] = 1
    """The number of processes that serve requests; each process answers `/metrics` for all."""

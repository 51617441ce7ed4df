"""The tables of settings that no strategy, guard or schedule owns: limits, prices, agent, proxy, store."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StrictBool

from prunus.settings.sections import Count, Section

MIB: Final = 1024 * 1024


def _place(url: str) -> str:
    if url not in ("", "off") and not re.match(r"sqlite:///.", url):
        raise ValueError("expected sqlite:///PATH, off, or nothing for the default")
    return url


class Tokens(Section):
    """How tokens are counted."""

    exact: StrictBool = False
    """Count with a tokenizer instead of estimating; needs `prunus[tokens]`."""
    encoding: str = "o200k_base"
    """The tokenizer's vocabulary, for exact counts."""


class Limits(Section):
    """How much Prunus takes on and remembers."""

    body: Count = 64 * MIB
    """Requests with more bytes than this pass as they are."""
    conversations: Count = 256
    """Conversations that are remembered at a time."""
    memory: Count = 256 * MIB
    """Bytes that the remembered conversations may take."""
    idle: Count = 86_400
    """Seconds after which a conversation without requests is forgotten."""


class Manual(Section):
    """Manual mode: pruning only when asked for."""

    enabled: StrictBool = False
    """Whether manual mode is on."""
    automatic_strategies: StrictBool = True
    """Whether the strategies run all the same."""


class PriceRow(Section):
    """What the prompt cache of some models costs, relative to an uncached input token."""

    model: str
    """The model's name; `*` and `?` are understood."""
    read: float | None = Field(None, ge=0)
    """Price of a token that is found in the cache."""
    write: float | None = Field(None, ge=0)
    """Price of a token that is written to it."""
    ttl: float | None = Field(None, ge=0)
    """Seconds that the cache lives without use."""
    tier: int | None = Field(None, ge=1)
    """Tokens above which the whole request costs `tier_factor` times as much."""
    tier_factor: float | None = Field(None, ge=1)
    """What the whole request then costs, against the usual price."""
    minimum: int | None = Field(None, ge=0)
    """Tokens that the shortest prefix must have to be cached."""


class Agent(Section):
    """What the agent itself may do about its context."""

    offer: Literal["off", "hidden", "mcp", "library"] = "off"
    """How `context_prune` is offered: not at all, by the proxy without the client noticing, by `prunus mcp`, or by
    a loop of your own."""
    commands: StrictBool = True
    """Whether the proxy answers `/prunus ...` and `/acp ...` in the chat."""
    intent: StrictBool = False
    """Whether the proxy offers an `intent` argument with every edit tool."""
    hops: Count = 4
    """How often the proxy may continue one turn of the model by itself."""
    own_ids: StrictBool = True
    """Whether the agent is also told the ids of its own words and of its reasoning."""
    guidance: StrictBool = False
    """Whether a system text tells an agent that has `context_prune` what to prune, and when."""


class Reminders(Section):
    """Short words to the model at the end of the newest message; off unless the preset says otherwise."""

    todo: StrictBool = False
    """Remind of the todo list."""
    todo_after: Count = 5
    """Turns without an update of the todo list before the first reminder."""
    todo_every: Count = 4
    """Turns between two reminders."""
    stuck_after: Count = 12
    """Turns that a task may be in progress before it counts as stuck."""
    max_context: Count = 0
    """Tokens that count as a full context where the todo reminder says how full it is; 0 leaves that out."""
    pressure: StrictBool = False
    """Say when the context fills up."""
    pressure_at: Annotated[float, Field(ge=0, le=1)] = 0.75
    """The share of the model's window from which on it is said."""
    reflection: StrictBool = False
    """Ask for a pause to reflect once the user has used the keyword."""
    reflection_word: str = "automata"
    """The keyword."""
    reflection_after: Count = 8
    """Turns between two such pauses."""


class StoreSettings(Section):
    """What is kept on disk."""

    url: Annotated[str, AfterValidator(_place)] = ""
    """`sqlite:///PATH`, or `off` to keep nothing; empty is a file in the user's data directory."""
    size: Count = 512 * MIB
    """Bytes that the store may take; the oldest goes first."""
    days: Count = 30
    """Days after which a conversation without requests is removed."""
    originals: StrictBool = True
    """Whether what was cut is kept, so that it can be restored."""


class Upstreams(Section):
    """Where requests go."""

    anthropic: str = "https://api.anthropic.com"
    """For the Messages API."""
    openai: str = "https://api.openai.com"
    """For the Chat Completions and Responses APIs."""
    gemini: str = "https://generativelanguage.googleapis.com"
    """For the Gemini API."""
    more: tuple[Annotated[str, Field(pattern=r"^[\w.-]+=https?://.+")], ...] = ()
    """Further ones as `NAME=URL`: clients reach `groq` under the base URL `http://HOST:PORT/@groq`."""

    def addresses(self) -> dict[str, str]:
        """Every upstream by its name."""
        named = {"anthropic": self.anthropic, "openai": self.openai, "gemini": self.gemini}
        return named | {name: url for name, _, url in (entry.partition("=") for entry in self.more)}


class Proxy(Section):
    """How the proxy listens and passes on."""

    host: str = "127.0.0.1"
    """Address to listen on; any other than loopback needs a token."""
    port: Count = 8787
    """Port to listen on; 0 takes a free one."""
    token: str = ""
    """Clients must send it as `x-prunus-token`; several, separated by commas, keep their users apart."""
    names: tuple[str, ...] = ()
    """Further host names by which clients may call the proxy without a token."""
    shadow: StrictBool = False
    """Change nothing, and report what would have been done."""
    connect_timeout: Annotated[float, Field(gt=0)] = 30.0
    """Seconds to reach the provider."""
    idle_timeout: Annotated[float, Field(gt=0)] = 600.0
    """Seconds without a byte from the provider."""
    deadline: Annotated[float, Field(gt=0)] = 2.0
    """Seconds after which a request is sent with the edits that are in force, looked at or not."""
    grace: Annotated[float, Field(ge=0)] = 120.0
    """Seconds that running answers get after the first SIGTERM or Ctrl-C; a second one cuts them at once."""
    verbose: StrictBool = False
    """Whether `prunus proxy` logs every edit, as with `-v`."""
    workers: Count = 1
    """Processes that serve requests; any of them answers `/metrics` for all."""

"""The token usage that a provider reports for a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Usage:
    """The token usage that a provider reports for a request."""

    input: int = 0
    """Input that was neither read from the cache nor written to it."""
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All input tokens of the request, cached or not."""
        return self.input + self.cache_read + self.cache_write


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Return the sum of several usages."""
    fields = [(one.input, one.cache_read, one.cache_write, one.output) for one in usages]
    return Usage(*map(sum, zip(*fields, strict=True)))


_INNER: Final = {
    "prompt_tokens_details": "of_input.",
    "input_tokens_details": "of_input.",
    "cache_creation": "of_write.",
}
"""Objects within the counts, and what their names get in front."""


def counts_in(event: Mapping[str, Any]) -> dict[str, int]:
    """The counts of one event, under the names of its format; cumulative, so that later ones replace earlier."""
    found: dict[str, int] = {}
    for holder in (event, event.get("message"), event.get("response")):
        if not isinstance(holder, dict):
            continue
        for key in ("usage", "usageMetadata"):
            counts = holder.get(key)
            if isinstance(counts, dict):
                found |= _flat(counts)
                for inner, before in _INNER.items():
                    if isinstance(counts.get(inner), dict):
                        found |= _flat(counts[inner], before)
    return found


def _flat(counts: Mapping[str, Any], before: str = "") -> dict[str, int]:
    return {before + key: value for key, value in counts.items() if type(value) is int and value >= 0}


def usage_of(counts: Mapping[str, int]) -> Usage | None:
    """The counts in one form. Servers mix the names of the formats, so each name is understood in every format."""
    if "promptTokenCount" in counts:
        read = counts.get("cachedContentTokenCount", 0)
        output = counts.get("candidatesTokenCount", 0) + counts.get("thoughtsTokenCount", 0)
        return Usage(max(0, counts["promptTokenCount"] - read), read, 0, output)
    if "prompt_tokens" in counts or "of_input.cached_tokens" in counts:
        whole = counts.get("prompt_tokens", counts.get("input_tokens", 0))
        read = counts.get("of_input.cached_tokens", 0)
        write = counts.get("of_input.cache_write_tokens", 0)
        output = counts.get("completion_tokens", counts.get("output_tokens", 0))
        return Usage(max(0, whole - read - write), read, write, output)
    if "input_tokens" in counts:
        read = counts.get("cache_read_input_tokens", 0)
        write = counts.get("cache_creation_input_tokens", 0)
        return Usage(counts["input_tokens"], read, write, counts.get("output_tokens", 0))
    return None


def long_writes_of(counts: Mapping[str, int]) -> int:
    """The tokens written to a cache that lives for an hour, which cost more than other writes."""
    return counts.get("of_write.ephemeral_1h_input_tokens", 0)

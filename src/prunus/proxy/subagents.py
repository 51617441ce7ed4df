"""Recognises requests of a sub-agent by their headers and system text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from prunus.clients.dialect import words

SUBAGENT: Final = "a sub-agent's request"
"""Why such a request is left alone if the settings say so."""


def from_subagent(headers: Mapping[str, str], system: bytes) -> bool:
    """Whether a sub-agent sent a request with these headers, in lower case, and this system text as JSON."""
    return any(is_subagent(headers, system) for is_subagent in words("from_subagent"))

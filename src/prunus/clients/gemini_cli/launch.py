"""Gemini CLI."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from prunus.clients.launcher import Host, Launch, origin, read_json, through

_VARIABLE: Final = "GOOGLE_GEMINI_BASE_URL"


@dataclass(frozen=True, slots=True)
class Gemini:
    """Takes the base URL from the environment, when it uses an API key."""

    name: str = "gemini"
    provider: str = "gemini"
    install: str = "npm install -g @google/gemini-cli"

    def upstreams(self, place: Host) -> dict[str, str]:
        base = place.environment.get(_VARIABLE)
        return {"gemini": origin(base)} if base else {}

    def launch(self, url: str, place: Host) -> Launch:
        base = place.environment.get(_VARIABLE)
        return Launch(environment={_VARIABLE: through(url, "gemini", base) if base else url})

    def problems(self, place: Host) -> Iterator[str]:
        settings = read_json(place.home / ".gemini" / "settings.json")
        security = settings.get("security")
        auth = security.get("auth") if isinstance(security, dict) else None
        chosen = auth.get("selectedType") if isinstance(auth, dict) else settings.get("selectedAuthType")
        if chosen and chosen != "gemini-api-key":
            yield f"signed in by {chosen!r}: requests go past Prunus; choose 'Use Gemini API key' in /auth"


LAUNCHER = Gemini()

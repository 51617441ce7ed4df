"""Gemini CLI takes its base URL from the environment if it uses an API key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prunus.clients.launcher import Host, Launch, Launcher, as_dict, origin, read_json, through

_VARIABLE: Final = "GOOGLE_GEMINI_BASE_URL"


class GeminiLauncher(Launcher):
    """Sets the one variable that Gemini CLI reads."""

    def upstreams(self, host: Host) -> dict[str, str]:
        base = host.environment.get(_VARIABLE)
        return {"gemini": origin(base)} if base else {}

    def launch(self, url: str, host: Host) -> Launch:
        base = host.environment.get(_VARIABLE)
        return Launch(environment={_VARIABLE: through(url, "gemini", base) if base else url})

    def problems(self, host: Host) -> Iterator[str]:
        settings = read_json(host.home / ".gemini" / "settings.json")
        auth = as_dict(settings.get("security")).get("auth")
        chosen = auth.get("selectedType") if isinstance(auth, dict) else settings.get("selectedAuthType")
        if chosen and chosen != "gemini-api-key":
            yield f"signed in by {chosen!r}: requests go past Prunus; choose 'Use Gemini API key' in /auth"


LAUNCHER: Final = GeminiLauncher

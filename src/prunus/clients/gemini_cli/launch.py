"""Gemini CLI takes its base URL from the environment if it uses an API key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prunus.clients.launcher import FileEntry, Host, Launch, Launcher, as_dict, entry, read_settings, through

_VARIABLE: Final = "GOOGLE_GEMINI_BASE_URL"


class GeminiLauncher(Launcher):
    """Sets the one variable that Gemini CLI reads."""

    def bases(self, host: Host) -> dict[str, str]:
        base = _base(host)
        return {"gemini": base} if base else {}

    def launch(self, url: str, host: Host) -> Launch:
        base = _base(host)
        return Launch(environment={_VARIABLE: through(url, "gemini", base) if base else url})

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        return (entry(_variables(host), (_VARIABLE,), url, "gemini", _base(host)),)

    def problems(self, host: Host) -> Iterator[str]:
        settings = read_settings(host.home / ".gemini" / "settings.json")
        auth = as_dict(settings.get("security")).get("auth")
        chosen = auth.get("selectedType") if isinstance(auth, dict) else settings.get("selectedAuthType")
        if chosen and chosen != "gemini-api-key":
            yield f"signed in by {chosen!r}: requests go past Prunus; choose 'Use Gemini API key' in /auth"


def _variables(host: Host) -> Path:
    """The user's file of variables. Gemini CLI reads one such file: that of the project, if there is one."""
    return host.home / ".gemini" / ".env"


def _base(host: Host) -> str:
    """The base URL in the environment, which counts, or in the user's file."""
    return host.environment.get(_VARIABLE) or read_settings(_variables(host)).get(_VARIABLE, "")


LAUNCHER: Final = GeminiLauncher
